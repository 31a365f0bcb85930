package gate

import (
	"fmt"

	"github.com/emendo-dev/emendo/internal/sandbox"
	"github.com/emendo-dev/emendo/tools"
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
	// Sandboxed overrides Sandbox on whether commands are sandboxed at all; nil: no
	// override.
	Sandboxed func() bool
	// Offline reports whether the sandbox blocks the network, except for what the
	// user opens to a command; nil: it does not.
	Offline func() bool
	// Temp returns where a path in the folders for temporary files is for the commands of a
	// session, see [policy.Call.Temp]; nil: they are the machine's.
	Temp func(session, path string) (at string, temporary bool)
}

// temp returns [policy.Call.Temp] for a session.
func (c Commands) temp(session string) func(path string) (string, bool) {
	if c.Temp == nil {
		return nil
	}
	return func(path string) (string, bool) { return c.Temp(session, path) }
}

// InSandbox reports whether commands run in a sandbox. It may start processes, so
// call it only for a trusted folder.
func (c Commands) InSandbox() bool {
	if c.Sandboxed != nil {
		return c.Sandboxed()
	}
	return c.Sandbox != nil && c.Sandbox.Survey().Level > sandbox.Open
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

func (c Commands) offline() bool { return c.Offline != nil && c.Offline() }

// outgrows returns a sentence on why a command cannot work in the sandbox; empty if
// nothing in its text shows that.
func (c Commands) outgrows(r tools.Runs) string {
	if !r.Git.Calls || c.Sandbox == nil {
		return ""
	}
	level := c.Sandbox.Survey().Level
	switch {
	case level == sandbox.Open:
		return ""
	case r.Git.Configures != "":
		return fmt.Sprintf("%s writes git's configuration, which is read-only in the sandbox.", r.Git.Configures)
	case r.Git.Network != "" && c.offline():
		return fmt.Sprintf("%s contacts a remote, and the sandbox has no network and none of the user's keys.", r.Git.Network)
	case level == sandbox.Restricted && r.Git.Writes:
		return "It writes git's data, which is read-only in the sandbox at level B."
	}
	return ""
}

// unbox asks about a command that cannot work in the sandbox. If the user agrees,
// it runs outside once. Rules and modes only cover commands in the sandbox, so the
// user is asked whatever they allow; a denial stays a denial.
func (t *Turn) unbox(f Facts, e tools.Effect, v Verdict) Verdict {
	r, runs := e.(tools.Runs)
	if !runs || v.Kind == Deny || v.Kind == Review || !f.Trusted {
		return v
	}
	why := t.gate.o.Commands.outgrows(r)
	if why == "" {
		return v
	}
	if !t.gate.o.Client.Abilities().Asks {
		return deny(tools.PolicyViolation, "sandbox", "%s This session cannot ask for permission to run it outside the sandbox. Continue without it, or say that the user should run it, or start emendo with --no-sandbox.", why)
	}
	return Verdict{Kind: Ask, reason: join(v.reason, why, "It would run outside the sandbox."), Rule: v.Rule, outside: true, parts: v.parts}
}
