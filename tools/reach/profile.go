package reach

import (
	"slices"
	"sync"
	"sync/atomic"

	"github.com/emendo-dev/emendo/internal/sandbox"
)

// A Profile is what one command may reach of a workspace, with what was known of the
// workspace when it was made.
type Profile struct {
	sandbox.Profile
	// Withheld lists tracked secrets whose local changes git does not see.
	Withheld []string

	before   before
	refused  *hostList
	replaced *pathList
	reached  *atomic.Bool // it has reached a host through its outlet

	keeps  []string // folders of the workspace that the command leaves as they were
	builds []string // but for these folders in them
}

// Reached reports whether the command could have got something from the network: it has
// the machine's own, or has reached a host through its outlet.
func (p *Profile) Reached() bool {
	return p.Network.All || p.reached != nil && p.reached.Load()
}

// Denied returns what a failed command seems to have been denied, as
// [sandbox.Profile.Denied] does, and the hosts that its proxy has refused.
func (p *Profile) Denied(output, dir string) sandbox.Denials {
	d := p.Profile.Denied(output, dir)
	if hosts := p.refused.list(); len(hosts) > 0 {
		d.Network = sandbox.Network{Hosts: hosts}
	}
	return d
}

// mostRefused bounds the number of refused hosts.
const mostRefused = 5

// A hostList holds the hosts that a command's proxy refused.
type hostList struct {
	mu    sync.Mutex
	hosts []string
}

func (r *hostList) add(host string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if len(r.hosts) < mostRefused && !slices.Contains(r.hosts, host) {
		r.hosts = append(r.hosts, host)
	}
}

func (r *hostList) list() []string {
	if r == nil {
		return nil
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	return slices.Sorted(slices.Values(r.hosts))
}
