package turn

import (
	"context"
	"slices"

	"github.com/emendo-dev/emendo/agent/frontend"
	"github.com/emendo-dev/emendo/agent/gate"
	"github.com/emendo-dev/emendo/agent/policy"
	"github.com/emendo-dev/emendo/agent/transcript"
	"github.com/emendo-dev/emendo/tools"
)

// newGate returns the gate of a turn.
func (t *Turn) newGate() *gate.Turn {
	return t.Session.Gate.Turn(gate.TurnOptions{
		ID: t.ID, Emit: t.Emit, Flush: func() error { return t.Outbox.Flush(nil) },
		Untrusted: t.Untrusted, OpenFiles: t.files.BeforeCommand, Notify: t.hooks.Notify,
	})
}

// gated returns the call as the gate decides about it.
func (c *call) gated() gate.Call {
	return gate.Call{
		Info: frontend.CallInfo{CallID: c.made.CallID, Name: c.made.Name, Title: c.made.Title, Kind: c.made.Kind, Args: c.made.Args, Locations: c.action.Locations},
		Spec: c.tool.Spec(), Effect: c.action.Effect, Hook: c.hooked.ask, Among: c.batched, Subagent: c.agent,
	}
}

// permitted takes a call that is not an edit through the gate. It returns false if the
// call ended with a refusal.
func (c *call) permitted(ctx context.Context) bool {
	c.permission = c.turn.Gate.Permit(ctx, c.gated())
	if c.permission.Refusal == nil {
		return true
	}
	c.rule, c.stopsTurn = c.permission.Rule, c.permission.Stop
	c.declined = c.permission.Answer == frontend.RejectOnce || c.permission.Answer == frontend.RejectAlways
	c.end(*c.permission.Refusal)
	return false
}

// maxReruns limits how often one command runs again with more access. A command that
// gets further may find that more is blocked.
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
	given := c.turn.Gate.Access(e, c.permission)
	given.Unasked, given.Untrusted = c.permission.Unasked, c.turn.Untrusted().Any()
	given.Keeps = given.Unasked && c.turn.Session.Info().Mode == policy.Default && !c.turn.Session.Agent.Client.Abilities().Asks
	for n := 0; ; n++ {
		c.action.Run = c.action.WithAccess(given)
		r := c.act(ctx)
		if n == maxReruns || ctx.Err() != nil || !r.Blocked.Adds(given) {
			return r
		}
		refusal := c.turn.Gate.Widen(ctx, c.gated(), e, given, r.Blocked)
		if refusal != "" {
			r.Output += "\n" + refusal
			return r
		}
		given = given.Union(r.Blocked)
		c.update(transcript.ToolUpdate{State: transcript.Executing})
	}
}

// provenance returns where the result of a call comes from.
func (c *call) provenance(r tools.Result) tools.Origin {
	if r.Origin == "" && c.tool != nil && c.acted {
		r.Origin = c.tool.Spec().Origin
	}
	if e, reads := c.action.Effect.(tools.Reads); reads && r.Origin == "" && slices.ContainsFunc(e.Paths, c.turn.Session.Private.IsOutput) {
		return c.turn.UntrustedOrigin() // long output was stored together with what was read
	}
	return r.Origin
}

// server returns the MCP server that the result of a call comes from; empty if there
// is none, or if something else may have a part in it.
func (c *call) server() string {
	if c.hooked.origin != "" || c.tool == nil {
		return ""
	}
	if of := c.tool.Spec().Server; of != nil {
		return of.Server
	}
	if e, ok := c.action.Effect.(tools.Reads); ok && len(e.Servers) == 1 {
		return e.Servers[0]
	}
	return ""
}
