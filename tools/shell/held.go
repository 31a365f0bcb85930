package shell

import (
	"fmt"
	"path"
	"regexp"
	"slices"
	"strings"

	"github.com/emendo-dev/emendo/internal/sandbox"
	"github.com/emendo-dev/emendo/internal/shellcmd"
	"github.com/emendo-dev/emendo/internal/terminal"
	"github.com/emendo-dev/emendo/tools"
)

// held is how a command was held when it was started.
type held struct {
	command sandbox.Command
	level   sandbox.Level
	origin  tools.Origin // where what it prints may come from
	git     shellcmd.GitUse
}

// origin is where what a command prints may come from: the network, when it is
// known to use that or that was opened to it; else empty.
func origin(r tools.Runs, opened tools.Access) tools.Origin {
	if opened.Network || len(opened.Hosts) > 0 || slices.ContainsFunc(r.Parts, func(p shellcmd.Part) bool { return p.Network }) {
		return tools.OfWeb
	}
	return ""
}

// told adds to a result where it comes from and what the command's sandbox had to
// do with it: from what it seems to have kept a command that failed, and what it
// took away behind it.
func (h held) told(r tools.Result, o outcome) tools.Result {
	r.Origin = h.origin
	if !h.held() {
		return r
	}
	r.Output += h.replaced() + h.aside()
	failed := o.ending != byItself || o.exit != (sandbox.Exit{})
	r.Output += h.withheld(failed)
	r.Output += h.unwritten(o)
	if o.ending != byItself || o.exit == (sandbox.Exit{}) {
		return r
	}
	d := h.command.Profile.Denied(o.output.Text(terminal.MaxKept), h.command.Dir)
	r.Blocked = tools.Access{Network: d.Network.All, Hosts: d.Network.Hosts, Write: d.Write, Read: d.Read}
	if !r.Blocked.IsZero() {
		r.Output = strings.TrimSuffix(r.Output, "\n") + fmt.Sprintf("\nNote: commands run in a sandbox, which probably blocked %s.", stated(r.Blocked.String()))
	}
	return r
}

// held says whether the command was held at all.
func (h held) held() bool { return h.level > sandbox.Open && h.command.Profile != nil }

// withheld names the tracked secrets whose text git did not see.
func (h held) withheld(failed bool) string {
	l := slices.Clone(h.command.Profile.Withheld)
	for i, file := range l {
		l[i] = stated(file)
	}
	names := strings.Join(l[:min(len(l), mostMade)], ", ")
	switch {
	case len(l) == 0:
		return ""
	case h.git.Alone && h.level < sandbox.Isolated: // which alone can show git something else
		return fmt.Sprintf("\nNote: git tracks files that look like secrets and have local changes, which commands cannot read: %s. Leave them out, as in `git diff -- . ':(exclude)*%s'`.", names, path.Base(l[0]))
	case h.git.Alone:
		return fmt.Sprintf("\nNote: local changes of files that look like secrets are withheld, so git reports these files as unchanged: %s.", names)
	case failed:
		return fmt.Sprintf("\nNote: git tracks files that look like secrets, and reads them only where it runs alone: %s. Run git in a call of its own.", names)
	}
	return ""
}

// keptFrom is how git tells of a file that it could not write. It goes on, and may
// end well.
var keptFrom = regexp.MustCompile(`(?m)^(?:error|warning|fatal): (?:unable to unlink old '|unable to unlink '|unable to create file )([^':\n]+)`)

// unwritten names the protected files that git could not write.
func (h held) unwritten(o outcome) string {
	if !h.git.Writes {
		return ""
	}
	var l []string
	for _, m := range keptFrom.FindAllStringSubmatch(o.output.Text(terminal.MaxKept), -1) {
		if name := stated(m[1]); !slices.Contains(l, name) {
			l = append(l, name)
		}
	}
	if len(l) == 0 {
		return ""
	}
	return fmt.Sprintf("\nNote: git could not write protected files here, so they keep the text that they had and git shows them as changed: %s. Do not commit that; the user can run `git restore` on them.", strings.Join(l[:min(len(l), mostMade)], ", "))
}

// replaced says why a command was ended that git's settings were changed under.
func (h held) replaced() string {
	l := h.command.Profile.Replaced()
	if len(l) == 0 {
		return ""
	}
	return fmt.Sprintf("\nNote: somebody else changed %s while the command ran, and it was ended so that it could not change it too. Check how far it came before you run it again.", stated(l[0]))
}

// aside takes away what the command has made and may not make, and tells it.
func (h held) aside() string {
	if !h.held() {
		return ""
	}
	var b strings.Builder
	moved, err := h.command.Profile.Aside()
	for _, m := range moved {
		fmt.Fprintf(&b, "\nNote: the command created %s, which decides what may run, so commands may not create it. It was moved to %s; the user can move it back.", stated(m.From), stated(m.To))
	}
	if err != nil {
		fmt.Fprintf(&b, "\nNote: %s", stated(err.Error()))
	}
	return b.String()
}

// made tells, of a command that has run for long, what was made meanwhile that
// is not a command's to make. It stays: the user may have made it.
func (h held) made() string {
	if !h.held() {
		return ""
	}
	made, err := h.command.Profile.Made()
	for i, path := range made {
		made[i] = stated(path)
	}
	switch {
	case err != nil && len(made) == 0:
		return "; what it made could not be looked through: " + stated(err.Error())
	case len(made) == 0:
		return ""
	}
	return "; protected files were created while it ran: " + strings.Join(made[:min(len(made), mostMade)], ", ")
}

// mostMade is how many of them are named.
const mostMade = 5
