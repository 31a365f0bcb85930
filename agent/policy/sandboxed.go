package policy

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/emendo-dev/emendo/internal/protect"
	"github.com/emendo-dev/emendo/internal/sandbox"
	"github.com/emendo-dev/emendo/internal/shellcmd"
	"github.com/emendo-dev/emendo/tools"
)

// What emendo itself decides about commands. Inside a sandbox they run unasked. What still
// asks is what cannot be undone, or what the sandbox would have to let out.

// The names of the built-in questions about commands, by which the user finds them.
const (
	ruleCommands = "commands"
	ruleReading  = "commands that only read"
	ruleSandbox  = "the sandbox"
	ruleHistory  = "version control"
	ruleRemoval  = "removal"
	ruleOutside  = "outside the workspace"
	ruleNetwork  = "the network"
	ruleNeeds    = "programs outside the sandbox"
	ruleDisguise = "what is not as it looks"
)

// A line holds what is known of a whole command before its parts are decided.
type line struct {
	crossed []finding // the question about each part that crosses the sandbox
	// strict: it runs with more than other commands have, so the sandbox alone allows no part
	// of it that could do something else with that.
	strict bool
	// outgrows says why it cannot work in the sandbox, in a sentence; empty if nothing shows
	// that. configures: because it changes what git runs, or git's data at level B.
	outgrows   string
	configures bool
	// verbatim: it runs as it was given.
	verbatim bool
}

func (m *matching) lineOf(r tools.Runs, parts []shellcmd.Part) line {
	l := line{crossed: make([]finding, len(parts))}
	s, held := m.call.Shell, missing
	if m.call.Files != nil && s.holds() {
		if f := m.call.Files.Held(); f != nil {
			held = f
		}
	}
	l.verbatim = s.holds() && s.Ask != AskAlways && !m.ruled()
	for i, p := range parts {
		l.crossed[i] = finding{kind: Allow}
		if !s.holds() {
			continue
		}
		l.crossed[i] = m.crossesSandbox(r, p, held)
		l.verbatim = l.verbatim && l.crossed[i].kind == Allow
		l.strict = l.strict || p.Lasting != "" || p.Needs != ""
		if p.Needs != "" && l.outgrows == "" && m.call.Mode != Yolo {
			l.outgrows = p.Needs + ", which a sandbox does not have."
		}
	}
	switch git := r.Git; {
	case !s.holds():
	case git.Configures != "":
		l.outgrows, l.configures = git.Configures+" writes git's configuration, which is read-only in the sandbox.", true
	case s.Level == sandbox.Restricted && git.Writes:
		l.outgrows, l.configures = "It writes git's data, which is read-only in the sandbox at level B.", true
	case git.Network != "" && m.call.Mode != Yolo && slices.ContainsFunc(parts, func(p shellcmd.Part) bool { return program(p) == "git" && p.Remote && !m.hostsAreOpen(p) }):
		l.outgrows = git.Network + " contacts a remote, and the sandbox has no network and none of the user's keys."
	}
	l.strict = l.strict || l.outgrows != ""
	return l
}

// ruled reports whether a rule of somebody's denies or asks about particular commands.
func (m *matching) ruled() bool {
	return slices.ContainsFunc(m.tiers[OfProject:], func(rules []*Rule) bool {
		return slices.ContainsFunc(rules, func(r *Rule) bool { return r.Decision != Allow && (r.aboutCommands() || r.opened) })
	})
}

// toRunOutside returns the question about a command that cannot work in the sandbox.
func (m *matching) toRunOutside(f finding) finding {
	ask := finding{kind: Ask, rule: ruleNeeds, fixed: f.fixed || m.line.configures, alone: f.alone || m.line.configures}
	if f.kind == Ask {
		ask.rule = f.rule
	}
	why := []string{m.line.outgrows, "It would run outside the sandbox."}
	if f.reason != "" && !strings.Contains(f.reason, m.line.outgrows) {
		why = slices.Insert(why, 0, f.reason)
	}
	ask.reason = strings.Join(why, " ")
	return ask
}

// program returns the name of the program of a part.
func program(p shellcmd.Part) string {
	if len(p.Words) == 0 {
		return ""
	}
	return filepath.Base(p.Words[0])
}

// harmless reports whether a part does nothing else with what its line may do: it only reads,
// or is a call of git that changes what is easily undone.
func harmless(p shellcmd.Part) bool {
	return p.ReadOnly && len(p.Writes) == 0 || program(p) == "git" && p.Lasting == "" && p.Needs == "" && p.Known && p.Opaque == ""
}

// bySandbox returns what emendo decides about a part of a command that no rule of anybody's
// is about. crossed is the question about what a sandbox cannot keep from lasting or has to
// let out.
func (m *matching) bySandbox(p shellcmd.Part, crossed finding) finding {
	s := m.call.Shell
	ask := finding{kind: Ask, rule: ruleCommands, reason: "No rule allows the command."}
	switch {
	case !s.holds():
	case crossed.kind != Allow:
		return crossed
	case s.Unsafe != "":
	case m.line.strict && !harmless(p):
		ask.reason = "It runs with more than the sandbox gives other commands, because of what runs beside it."
	case p.ReadOnly && len(p.Writes) == 0:
		return finding{kind: Allow, rule: ruleReading, unasked: true}
	case m.call.decides():
		return finding{kind: Allow, rule: ruleSandbox, unasked: true}
	}
	return ask
}

// crossesSandbox returns the question about a part that does what a sandbox cannot keep from
// lasting, or has to let out. held is of [Files.Held].
func (m *matching) crossesSandbox(r tools.Runs, p shellcmd.Part, held func(path string) bool) finding {
	ask := func(rule, reason string) finding {
		return finding{kind: Ask, rule: rule, reason: reason, crosses: true}
	}
	if r.Disguised != "" {
		f := ask(ruleDisguise, "The command is not as it looks: "+r.Disguised+".")
		f.alone = true
		return f
	}
	level := m.call.Shell.Level
	name := program(p)
	if p.Needs != "" {
		return ask(ruleNeeds, p.Needs+", which a sandbox does not have.")
	}
	if p.Lasting != "" {
		return ask(ruleHistory, p.Lasting+" changes the history, the branches or the files, and runs the hooks of the repository.")
	}
	if name == "git" && r.Git.Filter != "" {
		return ask(ruleHistory, "Git's settings make it run "+tools.Shown(r.Git.Filter)+" on the content of files.")
	}
	if level == sandbox.Restricted && name == "git" && r.Git.Writes {
		return ask(ruleHistory, "It writes git's data, which is read-only in the sandbox at level B.")
	}
	for _, path := range p.Removes {
		if m.call.inside(path) && !held(path) { // outside something else asks
			f := ask(ruleRemoval, "It removes "+tools.Shown(m.inWorkspace(path))+", and neither git nor a checkpoint would have all of that.")
			f.alone = true
			return f
		}
	}
	if f := m.leavesWorkspace(p); f.kind != Allow {
		return f
	}
	if p.Remote && !m.hostsAreOpen(p) || p.Network && level == sandbox.Restricted {
		f := ask(ruleNetwork, needsNetwork(p.Hosts))
		f.opens = tools.Access{Hosts: p.Hosts}
		if len(p.Hosts) == 0 || p.Raw || level == sandbox.Restricted {
			f.opens = tools.Access{Network: true}
		}
		return f
	}
	if level == sandbox.Restricted {
		if beside := m.besideProtected(p); beside != "" {
			return ask(ruleCommands, "It makes or removes names beside "+tools.Shown(beside)+", which the sandbox at level B cannot guard then.")
		}
	}
	return finding{kind: Allow}
}

// hostsAreOpen reports whether all hosts that a part needs are open to commands.
func (m *matching) hostsAreOpen(p shellcmd.Part) bool {
	at := m.call.Reach
	return at != nil && (len(p.Hosts) > 0 && !p.Raw || at.Reached("*")) && !slices.ContainsFunc(p.Hosts, func(host string) bool { return !at.Reached(host) })
}

// leavesWorkspace returns the question about a part that writes outside the workspace, reads what the
// sandbox does not show, or changes what is protected.
func (m *matching) leavesWorkspace(p shellcmd.Part) finding {
	ask := func(rule, reason string, opens tools.Access) finding {
		return finding{kind: Ask, rule: rule, reason: reason, crosses: true, opens: opens}
	}
	for _, path := range p.Alters {
		real := m.call.follow(path)
		if by := m.guard(path); by.kind != Allow && by.rule != ruleOutside && by.rule != watchedPath {
			by.kind, by.fixed, by.crosses = Ask, true, true
			return by
		}
		if !m.call.inside(path) && !m.temporary(path) {
			return ask(ruleOutside, tools.Shown(path)+" is outside the workspace.", tools.Access{Write: []string{existing(real)}})
		}
	}
	for _, path := range slices.Concat(p.Opens, p.Reads) {
		real := m.call.follow(path)
		if m.call.inside(path) || m.temporary(path) || m.call.Reach == nil || m.call.Reach.Shown(real) || slices.Contains(p.Alters, path) || missing(real) {
			continue
		}
		return ask(ruleOutside, tools.Shown(path)+" is outside the workspace, where the sandbox lets no command read it.", tools.Access{Read: []string{real}})
	}
	return finding{kind: Allow}
}

// temporary reports whether a path outside the workspace is, for commands, in their own folder
// of temporary files, and no file of another program has that name.
func (m *matching) temporary(path string) bool {
	if m.call.Reach == nil {
		return false
	}
	own := func(path string) (in, there bool) {
		at, in := m.call.Reach.Temporary(path)
		_, err := os.Lstat(at)
		return in, in && err == nil
	}
	if in, there := own(path); !in || there {
		return in
	}
	for up := path; up != filepath.Dir(up); up = filepath.Dir(up) { // its folder could be somebody else's too
		if in, _ := own(filepath.Dir(up)); !in {
			return true
		}
		_, there := own(up)
		if _, err := os.Lstat(up); err == nil && !there {
			return false
		}
	}
	return true
}

// existing returns a path, or the closest folder above it that exists: access is given to
// what exists.
func existing(path string) string {
	for {
		if _, err := os.Lstat(path); err == nil || path == filepath.Dir(path) {
			return path
		}
		path = filepath.Dir(path)
	}
}

// missing reports whether nothing is at a path.
func missing(path string) bool {
	_, err := os.Lstat(path)
	return errors.Is(err, fs.ErrNotExist)
}

// besideProtected returns a name that is protected or watched in a folder in which a part
// makes or removes names; "" if there is none. Writing a file that exists makes no name.
func (m *matching) besideProtected(p shellcmd.Part) string {
	for _, path := range slices.Concat(p.Writes, p.Alters) {
		real := m.call.follow(path)
		if info, err := os.Lstat(real); err == nil && !info.IsDir() && !slices.Contains(p.Removes, path) && program(p) != "mv" {
			continue
		}
		entries, _ := os.ReadDir(filepath.Dir(real))
		for _, e := range entries {
			if protect.Of(e.Name()) >= protect.Watched {
				return e.Name()
			}
		}
	}
	return ""
}

// joinNames joins names for a sentence.
func joinNames(names []string) string {
	if len(names) < 2 {
		return strings.Join(names, "")
	}
	return strings.Join(names[:len(names)-1], ", ") + " and " + names[len(names)-1]
}
