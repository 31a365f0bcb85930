package gate

import (
	"github.com/emendo-dev/emendo/agent/policy"
	"github.com/emendo-dev/emendo/internal/sandbox"
)

// A Sandbox reports at which level commands are sandboxed. [sandbox.Guard]
// implements it.
type Sandbox interface {
	// Survey returns the level. The first call starts processes to find out.
	Survey() sandbox.Survey
	// Known returns the survey if there has been one. It starts nothing.
	Known() (sandbox.Survey, bool)
}

// A Confinement says what sandboxed commands reach in a workspace of some folders.
type Confinement interface {
	// Temporary returns where a path in the folders for temporary files is for the commands of a
	// session, see [policy.Reach].
	Temporary(session, path string) (at string, temporary bool)
	// Shown reports whether commands may read an absolute path outside the workspace.
	Shown(folders []string, path string) bool
	// Reached is [policy.Reach.Reached].
	Reached(host string) bool
	// Unsafe says why no command runs unasked, in a sentence; empty if that is not so. To tell
	// it, not to decide by it, what was found last will do, and recent is true.
	Unsafe(folders []string, recent bool) string
}

// Commands describes how commands are sandboxed.
type Commands struct {
	Sandbox     Sandbox     // nil: no sandbox
	Confinement Confinement // nil: they see what everybody does, reach no host, and are safe
}

// sessionReach implements [policy.Reach] for the commands of a session.
type sessionReach struct {
	Confinement

	session string
	facts   Facts
}

// Temporary implements [policy.Reach].
func (r sessionReach) Temporary(path string) (at string, temporary bool) {
	return r.Confinement.Temporary(r.session, path)
}

// Shown implements [policy.Reach].
func (r sessionReach) Shown(path string) bool {
	return r.Confinement.Shown(r.facts.Roots, path) || r.facts.Private != nil && r.facts.Private.IsOutput(path)
}

// level returns the level at which commands are sandboxed. It may start processes, so call
// it only for a trusted folder.
func (c Commands) level() sandbox.Level {
	if c.Sandbox == nil {
		return sandbox.Open
	}
	return c.Sandbox.Survey().Level
}

// InSandbox reports whether commands run in a sandbox. It may start processes, as level
// does.
func (c Commands) InSandbox() bool { return c.level() > sandbox.Open }

// shell describes what holds commands in a workspace of these folders, see
// [Confinement.Unsafe] for recent. It may start processes, as level does.
func (c Commands) shell(ask policy.Asking, folders []string, recent bool) policy.Shell {
	s := policy.Shell{Level: c.level(), Ask: ask}
	if s.Level > sandbox.Open && c.Confinement != nil {
		s.Unsafe = c.Confinement.Unsafe(folders, recent)
	}
	return s
}

// Level returns the letter of the sandbox level; empty where there is no sandbox.
// It may start processes, as InSandbox does.
func (c Commands) Level() string {
	if c.Sandbox == nil {
		return ""
	}
	return c.Sandbox.Survey().Level.String()
}

// KnownLevel is like Level but starts nothing; empty while the level is not known.
func (c Commands) KnownLevel() string {
	if c.Sandbox == nil {
		return ""
	}
	s, ok := c.Sandbox.Known()
	if !ok {
		return ""
	}
	return s.Level.String()
}

// Unasked reports whether commands run unasked in a trusted workspace of these folders. It may
// start processes, as InSandbox does.
func (c Commands) Unasked(ask policy.Asking, folders []string) bool {
	return c.shell(ask, folders, true).Decides()
}

// Known describes what holds commands in a workspace of these folders, without starting
// anything; false while that is not known.
func (c Commands) Known(ask policy.Asking, folders []string) (policy.Shell, bool) {
	if c.Sandbox != nil {
		if _, known := c.Sandbox.Known(); !known {
			return policy.Shell{}, false
		}
	}
	return c.shell(ask, folders, true), true
}

// whyAsks returns why commands are asked about in the session's folders though a sandbox could
// decide, the first time that it is called; empty if that is not so.
func (g *Gate) whyAsks() string {
	f := g.o.Facts()
	if !f.Trusted || g.saidWhy.Swap(true) {
		return ""
	}
	return g.o.Commands.shell(policy.Asking(g.o.Settings().Tools.Shell.Ask), f.Roots, true).Why()
}

// terms adds to a verdict about a command how it runs if it is allowed: outside the sandbox,
// or with more than other commands have. A denial stays one.
func (v Verdict) terms(d policy.Decision) Verdict {
	v.outside, v.verbatim, v.opens = d.Outside, d.Verbatim, d.Opens
	if d.Outside && d.Kind == policy.Allow && v.Kind == Ask {
		v.reason = joinSentences(v.reason, "It would run outside the sandbox.")
	}
	return v
}
