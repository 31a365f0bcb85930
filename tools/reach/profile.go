package reach

import (
	"github.com/emendo-dev/emendo/internal/sandbox"
)

// A Profile is what one command may reach of a workspace, with what was known of the
// workspace when it was made.
type Profile struct {
	sandbox.Profile
	// Withheld lists tracked secrets whose local changes git does not see.
	Withheld []string

	// Met is what the command asks its way out for.
	Met *Met

	before   before
	replaced *pathList

	keeps  []string // folders of the workspace that the command leaves as they were
	builds []string // but for these folders in them
}

// Reached reports whether the command could have got something from the network: it has
// the machine's own, or has reached a host through its outlet.
func (p *Profile) Reached() bool { return p.Network.All || p.Met.anything() }

// Denied returns what a command was denied at a level, as far as its outlet knows and, if it
// failed, as its output suggests.
func (p *Profile) Denied(output, dir string, level sandbox.Level, failed bool) sandbox.Denials {
	known := p.Met.denials()
	if !failed {
		return known
	}
	d := p.Profile.Denied(output, dir, level)
	d.Hosts, d.Names = known.Hosts, known.Names
	d.Network = d.Network && len(known.Hosts) == 0 && !p.Met.onlyNames()
	return d
}
