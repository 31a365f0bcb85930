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

// Commands describes how commands are sandboxed.
type Commands struct {
	Sandbox Sandbox // nil: no sandbox
	// Assumed overrides the level of Sandbox; nil: no override.
	Assumed func() sandbox.Level
	// Temp returns where a path in the folders for temporary files is for the commands of a
	// session, see [policy.Call.Temp]; nil: they are the machine's.
	Temp func(session, path string) (at string, temporary bool)
	// Reached reports whether commands reach a host without an answer of the user's; "*" is
	// the whole network. nil: none.
	Reached func(host string) bool
	// Shown reports whether commands in a workspace of these folders may read an absolute
	// path outside it; nil: all that exists.
	Shown func(folders []string, path string) bool
	// Unsafe says why no command runs unasked in a workspace of these folders, in a sentence;
	// empty if that is not so. To tell it, not to decide by it, what was found last will do,
	// and recent is true. nil: all are safe.
	Unsafe func(folders []string, recent bool) string
}

// temp returns [policy.Call.Temp] for a session.
func (c Commands) temp(session string) func(path string) (string, bool) {
	if c.Temp == nil {
		return nil
	}
	return func(path string) (string, bool) { return c.Temp(session, path) }
}

// level returns the level at which commands are sandboxed. It may start processes, so call
// it only for a trusted folder.
func (c Commands) level() sandbox.Level {
	switch {
	case c.Assumed != nil:
		return c.Assumed()
	case c.Sandbox == nil:
		return sandbox.Open
	}
	return c.Sandbox.Survey().Level
}

// InSandbox reports whether commands run in a sandbox. It may start processes, as level
// does.
func (c Commands) InSandbox() bool { return c.level() > sandbox.Open }

// shell describes what holds commands in a workspace of these folders, see Unsafe for recent.
// It may start processes, as level does.
func (c Commands) shell(ask policy.Asking, folders []string, recent bool) policy.Shell {
	s := policy.Shell{Level: c.level(), Ask: ask, Reached: c.Reached}
	if s.Level == sandbox.Open {
		return s
	}
	if c.Shown != nil {
		s.Shown = func(path string) bool { return c.Shown(folders, path) }
	}
	if c.Unsafe != nil {
		s.Unsafe = c.Unsafe(folders, recent)
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
	if c.Assumed == nil && c.Sandbox != nil {
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
