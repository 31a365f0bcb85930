package shell

import (
	"context"
	"errors"
	"fmt"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/emendo-dev/emendo/internal/paths"
	"github.com/emendo-dev/emendo/internal/sandbox"
	"github.com/emendo-dev/emendo/internal/terminal"
	"github.com/emendo-dev/emendo/tools"
	"github.com/emendo-dev/emendo/tools/aside"
	"github.com/emendo-dev/emendo/tools/reach"
)

// A confinement records how a command is sandboxed.
type confinement struct {
	command sandbox.Command
	profile *reach.Profile // nil: the command was not confined
	level   sandbox.Level
	runs    tools.Runs
	opened  tools.Access
	older   []tools.Job // of the session, which were there when it started
	env     tools.Env
	growth  growth
	watch   *reach.Watch // nil: somebody allowed the command, or nothing can be watched
}

// follow starts to watch what the command makes, before it is started.
func (h *confinement) follow(l reach.Limits) {
	if h.profile == nil {
		return
	}
	h.watch = h.profile.Watch(h.reportMoved)
	h.growth = growth{meter: h.profile.Meter(l), ask: func(ctx context.Context, why string) bool { return h.env.GoOn != nil && h.env.GoOn(ctx, h.runs, why) }}
}

// unfollow ends the watch of a command that is not confined.
func (h *confinement) unfollow() {
	_, _ = h.watch.Close() // there was nothing to move
	h.watch, h.growth = nil, growth{}
}

// reportMoved tells the user what was moved aside.
func (h confinement) reportMoved(l []reach.Moved) {
	if h.env.MovedAside == nil || len(l) == 0 {
		return
	}
	var files []aside.File
	for _, m := range l {
		files = append(files, aside.File{Command: h.runs.Command, From: m.From, To: m.To, PutBack: func() error { return h.profile.PutBack(m) }})
	}
	h.env.MovedAside(files)
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
	if r.Origin == tools.OfWeb && h.active() {
		for _, host := range h.profile.Met.Hosts() {
			r.From = append(r.From, tools.Author{Origin: tools.OfWeb, Name: host})
		}
	}
	if !h.active() {
		return r
	}
	r.Output += h.replaced() + h.describeMoved(h.moveAll())
	failed := o.ending != byItself || o.exit != (sandbox.Exit{})
	r.Output += h.withheld(failed)
	r.Output += h.unwritten(o)
	r.Output += h.keeps(o)
	if r.Met = h.metWall(o); r.Met != nil {
		r.Output = strings.TrimSuffix(r.Output, "\n") + failedAt(r.Met.Wall)
	} else if w := h.wallOf(o); !failed && !w.None() {
		r.Output = strings.TrimSuffix(r.Output, "\n") + fmt.Sprintf("\nNote: the command ran in a sandbox without these hosts: %s.", tools.UntrustedLine(w.String()))
	}
	return r
}

// readOnly matches the kernel's message about a file system that cannot be written.
var readOnly = regexp.MustCompile(`(?i)read-only file system|\bEROFS\b`)

// keeps explains why a failed command could not write the workspace, if it seems to have tried.
func (h confinement) keeps(o outcome) string {
	if !h.opened.Keeps || o.exit == (sandbox.Exit{}) || !readOnly.MatchString(o.output.Text(terminal.MaxKept)) && !slices.ContainsFunc(h.denied(o).Write, h.profile.Keeps) {
		return ""
	}
	var l []string
	for _, dir := range h.profile.Builds() {
		if rel, err := filepath.Rel(h.command.Dir, dir); err == nil && len(l) < maxListed {
			l = append(l, tools.UntrustedLine(rel))
		}
	}
	folders := "there are none here"
	if len(l) > 0 {
		folders = strings.Join(l, ", ")
	}
	return fmt.Sprintf("\nNote: nobody is there to review changes, so commands leave the workspace as it was. They can write temporary files, and folders of dependencies and builds that git ignores (%s). Whoever started this run can permit more: --approval-mode auto_edit, or --allowed-tools for one command.", folders)
}

// metWall returns what a command that has failed met at its sandbox, or nil.
func (h confinement) metWall(o outcome) *tools.Met {
	if !h.active() || o.ending == cancelled || o.ending == byItself && o.exit == (sandbox.Exit{}) {
		return nil
	}
	if w := h.wallOf(o); !w.None() {
		return &tools.Met{Wall: w, Runs: h.runs, Given: h.opened}
	}
	return nil
}

// failedAt tells the model what a failed command met.
func failedAt(w tools.Wall) string {
	return fmt.Sprintf("\nNote: the command ran in a sandbox, which blocked something: %s.", tools.UntrustedLine(w.String()))
}

// wallOf returns what the command met at its sandbox.
func (h confinement) wallOf(o outcome) tools.Wall {
	d := h.denied(o)
	d.Write = slices.DeleteFunc(d.Write, h.profile.Keeps) // nobody can grant it
	d.Read = paths.Except(d.Read, h.runs.Secrets())       // a search is to go around them
	return tools.Wall(d)
}

func (h confinement) denied(o outcome) sandbox.Denials {
	failed := o.ending != byItself || o.exit != (sandbox.Exit{})
	return h.profile.Denied(o.output.Text(terminal.MaxKept), h.command.Dir, h.level, failed)
}

// active reports whether the command is sandboxed at all.
func (h confinement) active() bool { return h.level > sandbox.Open && h.profile != nil }

// withheld names the tracked secrets that were hidden from git.
func (h confinement) withheld(failed bool) string {
	l := slices.Clone(h.profile.Withheld)
	for i, file := range l {
		l[i] = tools.UntrustedLine(file)
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
const cannotWrite = `(?m)^(?:error|warning|fatal): (?:unable to unlink old '|unable to unlink '|unable to create file )([^':\n]+)`

// unwritten names the protected files that git could not write.
func (h confinement) unwritten(o outcome) string {
	if !h.runs.Git.Writes {
		return ""
	}
	var l []string
	for _, m := range regexp.MustCompile(cannotWrite).FindAllStringSubmatch(o.output.Text(terminal.MaxKept), -1) {
		if name := tools.UntrustedLine(m[1]); !slices.Contains(l, name) {
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
	return fmt.Sprintf("\nNote: %s was changed by something else while the command ran, so the command was killed before it could change it too. Check what it has done before you run it again.", tools.UntrustedLine(l[0]))
}

// moveAll moves aside what the command has created and may not create, when it has ended.
func (h confinement) moveAll() ([]reach.Moved, error) {
	moved, err := h.watch.Close() // the user knows of these
	more, failed := h.moveAside()
	return append(moved, more...), errors.Join(err, failed)
}

// moveAside moves aside what the watch did not see, and tells the user.
func (h confinement) moveAside() ([]reach.Moved, error) {
	if !h.active() {
		return nil, nil
	}
	moved, err := h.profile.MoveAside()
	h.reportMoved(moved)
	return moved, err
}

// describeMoved reports what was moved aside.
func (h confinement) describeMoved(moved []reach.Moved, err error) string {
	var b strings.Builder
	for _, m := range moved {
		fmt.Fprintf(&b, "\nNote: the command created %s, which decides what may run or what agents read, so it may not create that. It was moved to %s; the user can put it back.", tools.UntrustedLine(m.From), tools.UntrustedLine(m.To))
	}
	if err != nil {
		fmt.Fprintf(&b, "\nNote: %s", tools.UntrustedLine(err.Error()))
	}
	return b.String()
}

// describeCreated describes what a background command has created and may not create, when it has
// ended: what was moved aside if nobody allowed the command. What an allowed one created
// stays: the user may have created it.
func (h confinement) describeCreated() string {
	if !h.active() {
		return ""
	}
	var text string
	var err error
	if h.watch != nil {
		var moved []reach.Moved
		moved, err = h.moveAll()
		text = movedNames(moved)
	} else {
		var made []string
		made, err = h.profile.Created()
		text = listed("protected files were created while it ran: ", made)
	}
	if err != nil && text == "" {
		return "; the files it created could not be checked: " + tools.UntrustedLine(err.Error())
	}
	return text
}

// movedSoFar names what the watch of a background command has moved aside.
func (h confinement) movedSoFar() string { return movedNames(h.watch.Moved()) }

func movedNames(moved []reach.Moved) string {
	var names []string
	for _, m := range moved {
		names = append(names, m.From+" (to "+filepath.Base(m.To)+")")
	}
	return listed("moved aside, since it decides what may run or what agents read: ", names)
}

func listed(what string, names []string) string {
	if len(names) == 0 {
		return ""
	}
	names = slices.Clone(names[:min(len(names), maxListed)])
	for i, name := range names {
		names[i] = tools.UntrustedLine(name)
	}
	return "; " + what + strings.Join(names, ", ")
}

// maxListed limits how many of them are listed.
const maxListed = 5
