package agent

import (
	"context"
	"slices"

	"github.com/emendo-dev/emendo/agent/frontend"
	"github.com/emendo-dev/emendo/agent/gate"
	"github.com/emendo-dev/emendo/agent/policy"
	"github.com/emendo-dev/emendo/agent/transcript"
	"github.com/emendo-dev/emendo/tools"
)

// newGate returns the gate of a session.
func (a *Agent) newGate(s *Session) *gate.Gate {
	return gate.New(gate.Options{
		SessionID: s.id, Dir: s.started.Cwd, Own: a.o.Own, Client: a.client, Log: a.log,
		Facts: func() gate.Facts {
			return gate.Facts{Mode: s.Info().Mode, Trusted: s.Trusted(), Elicits: a.elicitor() != nil, Folders: s.work.Tree(), Roots: s.work.Roots(), IsPlan: s.isPlan}
		},
		Settings: func() gate.Settings {
			c := a.choices()
			return gate.Settings{Lists: c.lists(), NoAlways: c.NoAlways, ContextNames: c.ContextNames}
		},
		Policy: a.o.Policy, Answers: a.o.Answers, Approvals: a.o.Approvals, TrustsFolder: a.o.Trusted, Commands: a.o.Commands,
	})
}

// newGate returns the gate of a turn.
func (t *turn) newGate() *gate.Turn {
	return t.session.gate.Turn(gate.TurnOptions{
		ID: t.id, Emit: t.emit, Flush: func() error { return t.box.settle(nil) },
		Untrusted: t.untrusted, OpenFiles: t.openBeforeCommand, Notify: t.notify,
	})
}

// lists returns what the settings say of tools.
func (c *Choices) lists() policy.Lists {
	return policy.Lists{Allowed: c.AllowedTools, Excluded: c.ExcludedTools, Asked: c.ConfirmedTools, Core: c.CoreTools}
}

// switchedOff reports whether the settings exclude a tool.
func (a *Agent) switchedOff(tool string) bool {
	_, off := policy.New(a.choices().lists().Rules(), nil).Excluded(policy.Call{Tool: tool, Mode: policy.Plan})
	return off
}

// gated returns the call as the gate decides about it.
func (c *call) gated() gate.Call {
	return gate.Call{
		Info: frontend.CallInfo{CallID: c.made.CallID, Name: c.made.Name, Title: c.made.Title, Kind: c.made.Kind, Args: c.made.Args, Locations: c.action.Locations},
		Spec: c.tool.Spec(), Effect: c.action.Effect, Hook: c.hooked.ask, Among: c.among,
	}
}

// permitted takes a call that is not an edit through the gate. It reports false
// when the call has ended with a refusal.
func (c *call) permitted(ctx context.Context) bool {
	c.permission = c.turn.gate.Permit(ctx, c.gated())
	if c.permission.Refusal == nil {
		return true
	}
	c.rule, c.halts = c.permission.Rule, c.permission.Stop
	c.end(*c.permission.Refusal)
	return false
}

// maxReruns is how often one command runs again with more access: one that gets
// further may find more that is blocked.
const maxReruns = 3

// actSandboxed runs the call. When the sandbox seems to have blocked a command,
// the user is asked whether it may run again with access to what it needs.
func (c *call) actSandboxed(ctx context.Context) tools.Result {
	e, runs := c.action.Effect.(tools.Runs)
	if !runs || c.action.WithAccess == nil {
		return c.act(ctx)
	}
	if c.permission.Outside {
		c.action.Run = c.action.WithAccess(tools.Access{Outside: true})
		return c.act(ctx)
	}
	given := c.turn.gate.Access(e, c.permission)
	for n := 0; ; n++ {
		c.action.Run = c.action.WithAccess(given)
		r := c.act(ctx)
		if n == maxReruns || ctx.Err() != nil || !r.Blocked.Adds(given) {
			return r
		}
		refusal := c.turn.gate.Widen(ctx, c.gated(), e, given, r.Blocked)
		if refusal != "" {
			r.Output += "\n" + refusal
			return r
		}
		given = given.Union(r.Blocked)
		c.update(transcript.ToolUpdate{State: transcript.Executing})
	}
}

// untrusted returns the untrusted content that the model has read since the user's
// last message.
func (t *turn) untrusted() transcript.Untrusted {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.session.history.Untrusted
}

// mixed returns the untrusted origin of something that the session has read;
// empty when there was none.
func (t *turn) mixed() tools.Origin {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.session.history.Mixed
}

// provenance returns where the result of a call comes from.
func (c *call) provenance(r tools.Result) tools.Origin {
	if r.Origin == "" && c.tool != nil {
		r.Origin = c.tool.Spec().Origin
	}
	if e, reads := c.action.Effect.(tools.Reads); reads && r.Origin == "" && slices.ContainsFunc(e.Paths, c.turn.session.keeps) {
		return c.turn.mixed() // long output was stored together with what was read
	}
	return r.Origin
}

// SandboxLevel returns the letter of the level at which commands are sandboxed;
// empty while it is not known. It starts nothing to find out.
func (a *Agent) SandboxLevel() string { return a.o.Commands.KnownLevel() }
