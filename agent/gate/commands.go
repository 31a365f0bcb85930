package gate

import (
	"fmt"

	"github.com/emendo-dev/emendo/internal/sandbox"
	"github.com/emendo-dev/emendo/tools"
)

// A Sandbox tells at which level commands are sandboxed. Package sandbox's Guard
// is one.
type Sandbox interface {
	// Survey finds that out when it is not known yet, which starts processes.
	Survey() sandbox.Survey
	// Known returns what was found out, if it was.
	Known() (sandbox.Survey, bool)
}

// Commands tells how commands are sandboxed.
type Commands struct {
	Sandbox Sandbox // nil: there is none
	// Sandboxed, when not nil, overrides what Sandbox says about whether
	// commands are sandboxed at all.
	Sandboxed func() bool
	// Offline reports whether the sandbox blocks the network, except for what
	// the user opens to a command; nil: it does not.
	Offline func() bool
}

// InSandbox reports whether commands run in a sandbox. Finding out may start
// processes, so call it only for a trusted folder.
func (c Commands) InSandbox() bool {
	if c.Sandboxed != nil {
		return c.Sandboxed()
	}
	return c.Sandbox != nil && c.Sandbox.Survey().Level > sandbox.Open
}

// Level returns the letter of the level at which commands are sandboxed; empty
// where nothing is known of sandboxes. It may start processes, as InSandbox does.
func (c Commands) Level() string {
	if c.Sandbox == nil {
		return ""
	}
	return c.Sandbox.Survey().Level.String()
}

// KnownLevel is Level without finding it out: empty while it is not known.
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

// outgrows returns why a command cannot work in the sandbox, one sentence; empty
// when it can, as far as its text tells.
func (c Commands) outgrows(r tools.Runs) string {
	if !r.Git.Calls || c.Sandbox == nil {
		return ""
	}
	level := c.Sandbox.Survey().Level
	switch {
	case level == sandbox.Open:
		return ""
	case r.Git.Configures != "":
		return fmt.Sprintf("%s writes git's configuration, which the sandbox keeps read-only.", r.Git.Configures)
	case r.Git.Network != "" && c.offline():
		return fmt.Sprintf("%s talks to a remote, and the sandbox has no network and none of the user's keys.", r.Git.Network)
	case level == sandbox.Restricted && r.Git.Writes:
		return "It writes git's data, which the sandbox at level B keeps read-only."
	}
	return ""
}

// unbox asks about a command that cannot work in the sandbox: on a yes it runs
// outside, once. Rules and modes are about commands in the sandbox, so the user
// is asked whatever they say; a denial stays a denial.
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
		return deny(tools.PolicyViolation, "sandbox", "%s This session cannot ask for permission to run it outside of the sandbox. Continue without it, or say that the user should run it, or start emendo with --no-sandbox.", why)
	}
	return Verdict{Kind: Ask, reason: join(v.reason, why, "It would run outside of the sandbox."), Rule: v.Rule, untrusted: v.untrusted, outside: true, parts: v.parts}
}
