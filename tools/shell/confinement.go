package shell

import (
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/emendo-dev/emendo/internal/lazyregexp"
	"github.com/emendo-dev/emendo/internal/sandbox"
	"github.com/emendo-dev/emendo/internal/terminal"
	"github.com/emendo-dev/emendo/tools"
	"github.com/emendo-dev/emendo/tools/reach"
	"github.com/emendo-dev/emendo/tools/untrusted"
)

// A confinement records how a command is sandboxed.
type confinement struct {
	command sandbox.Command
	profile *reach.Profile // nil: the command was not confined
	level   sandbox.Level
	runs    tools.Runs
	opened  tools.Access
	older   []tools.Job // of the session, which were there when it started
}

// origin returns the network if what the command printed could have come from there, else
// the empty string. In a sandbox that is a fact: it has reached a host, or has asked a
// server of the session whose own output comes from the network. Without one its words
// tell.
func (h confinement) origin() tools.Origin {
	network, remote := false, h.opened.Network || len(h.opened.Hosts) > 0
	for _, p := range h.runs.Parts {
		network, remote = network || p.Network, remote || p.Remote
	}
	if h.active() && !h.profile.Network.All {
		remote = h.profile.Reached()
	}
	if remote || network && slices.ContainsFunc(h.older, func(j tools.Job) bool { return j.Origin() == tools.OfWeb }) {
		return tools.OfWeb
	}
	return ""
}

// annotate adds to a result where it comes from and what the sandbox did: what it
// probably blocked if the command failed, and which files it moved away.
func (h confinement) annotate(r tools.Result, o outcome) tools.Result {
	r.Origin = h.origin()
	if !h.active() {
		return r
	}
	r.Output += h.replaced() + h.moveAside()
	failed := o.ending != byItself || o.exit != (sandbox.Exit{})
	r.Output += h.withheld(failed)
	r.Output += h.unwritten(o)
	if o.ending != byItself || o.exit == (sandbox.Exit{}) {
		return r
	}
	d := h.profile.Denied(o.output.Text(terminal.MaxKept), h.command.Dir)
	r.Blocked = tools.Access{Network: d.Network.All, Hosts: d.Network.Hosts, Write: d.Write, Read: d.Read}
	if !r.Blocked.IsZero() {
		r.Output = strings.TrimSuffix(r.Output, "\n") + fmt.Sprintf("\nNote: commands run in a sandbox, which probably blocked %s.", untrusted.Line(r.Blocked.String()))
	}
	return r
}

// active reports whether the command is sandboxed at all.
func (h confinement) active() bool { return h.level > sandbox.Open && h.profile != nil }

// withheld names the tracked secrets that were hidden from git.
func (h confinement) withheld(failed bool) string {
	l := slices.Clone(h.profile.Withheld)
	for i, file := range l {
		l[i] = untrusted.Line(file)
	}
	names := strings.Join(l[:min(len(l), maxListed)], ", ")
	switch {
	case len(l) == 0:
		return ""
	case h.runs.Git.Alone && h.level < sandbox.Isolated: // only that level can show git another text
		return fmt.Sprintf("\nNote: git tracks files that look like secrets and have local changes, which commands cannot read: %s. Leave them out, as in `git diff -- . ':(exclude)*%s'`.", names, path.Base(l[0]))
	case h.runs.Git.Alone:
		return fmt.Sprintf("\nNote: local changes of files that look like secrets are withheld, so git reports these files as unchanged: %s.", names)
	case failed:
		return fmt.Sprintf("\nNote: git tracks files that look like secrets, and can read them only if nothing else runs in the same call: %s. Run git in a call of its own.", names)
	}
	return ""
}

// cannotWrite matches git's message about a file that it could not write. Git
// continues and may succeed.
var cannotWrite = lazyregexp.New(`(?m)^(?:error|warning|fatal): (?:unable to unlink old '|unable to unlink '|unable to create file )([^':\n]+)`)

// unwritten names the protected files that git could not write.
func (h confinement) unwritten(o outcome) string {
	if !h.runs.Git.Writes {
		return ""
	}
	var l []string
	for _, m := range cannotWrite.FindAllStringSubmatch(o.output.Text(terminal.MaxKept), -1) {
		if name := untrusted.Line(m[1]); !slices.Contains(l, name) {
			l = append(l, name)
		}
	}
	if len(l) == 0 {
		return ""
	}
	return fmt.Sprintf("\nNote: git could not write protected files here, so they keep the text that they had and git shows them as changed: %s. Do not commit that; the user can run `git restore` on them.", strings.Join(l[:min(len(l), maxListed)], ", "))
}

// replaced explains that the command was killed because git's configuration was
// changed under it.
func (h confinement) replaced() string {
	l := h.profile.Replaced()
	if len(l) == 0 {
		return ""
	}
	return fmt.Sprintf("\nNote: %s was changed by something else while the command ran, so the command was killed before it could change it too. Check what it has done before you run it again.", untrusted.Line(l[0]))
}

// moveAside moves away files that the command created and may not create, and
// reports them.
func (h confinement) moveAside() string {
	if !h.active() {
		return ""
	}
	var b strings.Builder
	moved, err := h.profile.MoveAside()
	for _, m := range moved {
		fmt.Fprintf(&b, "\nNote: the command created %s, which decides what may run, so commands may not create it. It was moved to %s; the user can move it back.", untrusted.Line(m.From), untrusted.Line(m.To))
	}
	if err != nil {
		fmt.Fprintf(&b, "\nNote: %s", untrusted.Line(err.Error()))
	}
	return b.String()
}

// created lists protected files that were created while a background command ran.
// They stay: the user may have created them.
func (h confinement) created() string {
	if !h.active() {
		return ""
	}
	made, err := h.profile.Created()
	for i, path := range made {
		made[i] = untrusted.Line(path)
	}
	switch {
	case err != nil && len(made) == 0:
		return "; the files it created could not be checked: " + untrusted.Line(err.Error())
	case len(made) == 0:
		return ""
	}
	return "; protected files were created while it ran: " + strings.Join(made[:min(len(made), maxListed)], ", ")
}

// maxListed limits how many of them are listed.
const maxListed = 5
