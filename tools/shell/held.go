package shell

import (
	"fmt"
	"strings"

	"github.com/emendo-dev/emendo/tools"
	"github.com/emendo-dev/emendo/tools/sandbox"
)

// held is how a command was held when it was started.
type held struct {
	command sandbox.Command
	level   sandbox.Level
}

// told adds to a result what its sandbox had to do with it: from what it seems
// to have kept a command that failed, and what it took away behind it.
func (h held) told(r tools.Result, o outcome) tools.Result {
	if h.level == sandbox.Open || h.command.Profile == nil {
		return r
	}
	aside, err := h.command.Profile.Aside()
	for _, m := range aside {
		r.Output += fmt.Sprintf("\nNote: the command made %s, which decides what may run and is not a command's to make. It was moved to %s; the user can put it in its place.", escaped(m.From), escaped(m.To))
	}
	if err != nil {
		r.Output += fmt.Sprintf("\nNote: %v", err)
	}
	if o.ending != byItself || o.exit == (sandbox.Exit{}) {
		return r
	}
	d := h.command.Profile.Denied(o.output.text(maxKept), h.command.Dir)
	r.Blocked = tools.Wider{Network: d.Network.All, Hosts: d.Network.Hosts, Write: d.Write, Read: d.Read}
	if !r.Blocked.None() {
		r.Output = strings.TrimSuffix(r.Output, "\n") + fmt.Sprintf("\nNote: commands run in a sandbox, which seems to have kept this one from %s.", r.Blocked)
	}
	return r
}
