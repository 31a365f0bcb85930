package policy

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/emendo-dev/emendo/ide"
	"github.com/emendo-dev/emendo/ide/ledger"
	"github.com/emendo-dev/emendo/internal/paths"
	"github.com/emendo-dev/emendo/internal/protect"
	"github.com/emendo-dev/emendo/internal/secret"
	"github.com/emendo-dev/emendo/tools"
)

// paths makes the decision stricter according to the files that a call reads or
// changes.
func (m *matching) paths(f finding) finding {
	covers := func(r *Rule) bool { return r.Args != nil && m.args.match(r) }
	switch e := m.call.Effect.(type) { //nolint:gochecksumtype // the others touch no file of the user's
	case tools.Reads:
		for _, p := range slices.Concat(e.Given, e.Paths) {
			f = m.stricter(f, m.ofSecret(p), secretNames(p), covers)
		}
		if e.Key && len(e.Paths) > 0 {
			f = m.stricter(f, keyed(e.Paths[0]), secretNames(e.Paths[0]), covers)
		}
	case tools.Edits:
		for _, file := range e.Files {
			if file.NewPath != "" {
				f = m.stricter(f, m.renamed(file), secretNames(file.Path), covers)
			}
			if file.Op == ledger.Modify && m.call.Files != nil && m.call.Files.Leaves(file.Path) {
				f = m.stricter(f, linked(file.Path), []string{filepath.Base(file.Path)}, covers)
			}
			for _, p := range []string{file.Path, file.NewPath} {
				if p != "" && !m.call.isPlan(p) {
					f = m.stricter(f, m.guard(p), protectedNames(p), covers)
				}
			}
		}
		for _, p := range e.Given { // a link may have a protected name
			if !m.call.isPlan(p) {
				f = m.stricter(f, m.guard(p), protectedNames(p), covers)
			}
		}
	}
	return f
}

// stricter replaces a decision by what a path requires, unless a rule of the
// user's or the administrator's that allows the call names the path.
func (m *matching) stricter(f, by finding, names []string, covers func(*Rule) bool) finding {
	if by.kind == Allow || f.kind == Deny {
		return f
	}
	for _, t := range []Tier{OfAdmin, OfUser} {
		for _, r := range m.tiers[t] {
			if r.Decision == Allow && r.narrow() && m.inMode(r) && r.mentions(names) && covers(r) {
				return f
			}
		}
	}
	return by
}

// guard returns what changing a path requires.
func (m *matching) guard(path string) finding {
	real := m.call.follow(path)
	rel, inside := m.call.within(real)
	given, _ := m.call.within(path)
	level := protect.Of(rel)
	if m.call.Files != nil {
		level = m.call.Files.Level(real)
	}
	level = max(level, protect.Of(given))
	if level < protect.Sealed && (isChat(real) || isChat(path)) {
		return chatDocument(path)
	}
	switch level {
	case protect.Sealed:
		return finding{kind: Deny, rule: "protected path", reason: tools.Shown(path) + " is protected: it decides what may run, so no tool may change it."}
	case protect.Guarded:
		return askEachTime("protected path", tools.Shown(filepath.Base(path))+" can make other programs run code.")
	case protect.Watched:
		if inside {
			return finding{kind: Ask, rule: watchedPath, reason: tools.Shown(path) + " gives instructions to other agents, or runs at a commit, on a forge or when a tool starts.", alone: true}
		}
	case protect.Open:
	}
	if !inside {
		return askEachTime(ruleOutside, tools.Shown(path)+" is outside the workspace.")
	}
	return finding{kind: Allow}
}

// linked returns what changing a file requires that is another one's outside the workspace.
func linked(path string) finding {
	return askEachTime(ruleOutside, tools.Shown(filepath.Base(path))+" is a hard link: the same file has names outside the workspace, which get the new text too.")
}

// isChat reports whether a path is that of a chat document, in any spelling.
func isChat(path string) bool {
	names := paths.Elements(path)
	return len(names) > 0 && strings.HasSuffix(names[len(names)-1], ide.ChatSuffix)
}

// chatDocument returns what changing a chat document requires: the user might send what the
// model wrote.
func chatDocument(path string) finding {
	return askEachTime("chat documents", tools.Shown(filepath.Base(path))+" is a chat document: what is written there looks like your own question.")
}

// watchedPath returns the name that rules can use for a watched path.
const watchedPath = "watched path"

// within returns a path relative to its workspace folder, or the path itself.
func (c *Call) within(path string) (string, bool) {
	for _, root := range c.Roots {
		if rel, ok := paths.CutFolder(path, root); ok {
			return rel, true
		}
	}
	return path, false
}

// inside reports whether a path leads to a file of the workspace.
func (c *Call) inside(path string) bool {
	_, inside := c.within(c.follow(path))
	return inside
}

func (c *Call) isPlan(path string) bool { return c.Files != nil && c.Files.IsPlan(path) }

// ownPlan reports whether a call changes only the session's plans while it
// plans.
func (c *Call) ownPlan() bool {
	e, ok := c.Effect.(tools.Edits)
	return ok && c.Mode == Plan && len(e.Files) > 0 && !slices.ContainsFunc(e.Files, func(f ledger.Proposed) bool {
		return f.NewPath != "" || !c.isPlan(f.Path)
	})
}

// secret reports whether a file looks like a secret by its name, or did by an earlier one.
func (c *Call) secret(path string) bool {
	return secret.Named(path) || c.Files != nil && c.Files.WasSecret(c.follow(c.absolute(path)))
}

// Hides reports whether a file that looks like a secret gets a name that does not.
func (c *Call) Hides(file ledger.Proposed) bool {
	return file.NewPath != "" && c.secret(file.Path) && !secret.Named(file.NewPath)
}

// renamed returns what a new name for a file with a secret name requires: by it nothing
// knows the secret any more, git and other agents included.
func (m *matching) renamed(file ledger.Proposed) finding {
	if !m.call.Hides(file) {
		return finding{kind: Allow}
	}
	return askEachTime("secret files", fmt.Sprintf("%s looks like it contains secrets, and %s would not.", tools.Shown(filepath.Base(file.Path)), tools.Shown(filepath.Base(file.NewPath))))
}

// ofSecret returns what reading a file with a secret name requires.
func (m *matching) ofSecret(path string) finding {
	if !m.call.secret(path) {
		return finding{kind: Allow}
	}
	return askEachTime("secret files", fmt.Sprintf("%s looks like it contains secrets; its text would be sent to the model.", tools.Shown(filepath.Base(path))))
}

// keyed returns what reading a file with a private key or credentials requires.
func keyed(path string) finding {
	return askEachTime("secret files", fmt.Sprintf("%s contains a private key or credentials; its text would be sent to the model.", tools.Shown(filepath.Base(path))))
}

// secretNames returns the names by which a rule can name a secret file.
func secretNames(path string) []string {
	base := filepath.Base(path)
	names := []string{base, filepath.Ext(base)}
	if strings.HasPrefix(base, ".env") {
		names = append(names, ".env")
	}
	return names
}

// protectedNames returns the protected names in a path.
func protectedNames(path string) []string {
	var l []string
	for name := range strings.SplitSeq(filepath.ToSlash(path), "/") {
		if name != "" && protect.Of(name) != protect.Open {
			l = append(l, name)
		}
	}
	if len(l) == 0 { // only the whole path is protected
		l = append(l, filepath.Base(path))
	}
	return l
}
