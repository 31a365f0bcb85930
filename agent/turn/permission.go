package turn

import (
	"context"
	"slices"

	"github.com/emendo-dev/emendo/agent/frontend"
	"github.com/emendo-dev/emendo/agent/gate"
	"github.com/emendo-dev/emendo/agent/state"
	"github.com/emendo-dev/emendo/agent/transcript"
	"github.com/emendo-dev/emendo/internal/visible"
	"github.com/emendo-dev/emendo/tools"
)

// newGate returns the gate of a turn.
func (t *Turn) newGate() *gate.Turn {
	return t.session.Gate.Turn(gate.TurnOptions{
		ID: t.ID, Emit: t.conv.Emit, Flush: func() error { return t.conv.Outbox.Flush(nil) },
		Untrusted: t.conv.Untrusted, Named: t.conv.Named, OpenFiles: t.files.BeforeCommand, Notify: t.hooks.Notify, Review: t.review.Await,
		OnlyReads: t.prompt.IsReview(),
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
	c.permission = c.turn.conv.Gate.Permit(ctx, c.gated())
	if c.permission.Refusal == nil {
		if e, runs := c.action.Effect.(tools.Runs); runs && c.permission.Unasked {
			c.turn.noteUnasked(transcript.Unasked{CallID: c.made.CallID, Command: visible.Short(e.Command, longestUnasked)})
		}
		return true
	}
	c.rule, c.stopsTurn = c.permission.Rule, c.permission.Stop
	c.declined = c.permission.Answer == frontend.RejectOnce || c.permission.Answer == frontend.RejectAlways
	c.end(*c.permission.Refusal)
	return false
}

// Limits of what the end of a turn says about commands that nobody allowed.
const (
	mostUnasked    = 200  // commands
	longestUnasked = 1000 // characters of a command
)

func (t *Turn) noteUnasked(u transcript.Unasked) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if len(t.unasked) < mostUnasked {
		t.unasked = append(t.unasked, u)
	}
}

// maxReruns limits how often one command runs again with more access. A command that
// gets further may find that more is blocked.
const maxReruns = 3

// actSandboxed runs the call. When a command failed at its sandbox, the user is asked whether
// it may run again with what it lacked. The command of a call that reads output is the one
// whose output it is.
func (c *call) actSandboxed(ctx context.Context) tools.Result {
	if e, runs := c.action.Effect.(tools.Runs); runs && c.action.WithAccess != nil {
		given := tools.Access{Outside: c.permission.Outside}
		if !given.Outside {
			given = c.turn.conv.Gate.Access(e, c.permission)
		}
		c.action.Run = c.action.WithAccess(given)
	}
	for n := 0; ; n++ {
		r := c.runTool(ctx)
		if n == maxReruns || ctx.Err() != nil || r.Met == nil || !r.Met.Lacked().Adds(r.Met.Given) {
			return r
		}
		refusal := c.turn.conv.Gate.Widen(ctx, c.gated(), *r.Met)
		if refusal != "" {
			r.Output += "\n" + refusal
			return r
		}
		again := r.Met.Again
		if again == nil {
			again = c.action.WithAccess
		}
		c.action.Run = again(r.Met.Given.Union(r.Met.Lacked()))
		c.update(transcript.ToolUpdate{State: transcript.Executing})
	}
}

// provenance returns where the result of a call comes from, and the authors of what is
// untrusted in it.
func (c *call) provenance(r tools.Result) (tools.Origin, []tools.Author) {
	if r.Origin == "" && c.tool != nil && c.acted {
		r.Origin = c.tool.Spec().Origin
	}
	e, reads := c.action.Effect.(tools.Reads)
	if reads && c.acted && r.Origin == "" && slices.ContainsFunc(e.Paths, c.turn.session.Private.IsOutput) {
		r.From = state.FromHistory(c.turn.session.Record, (*transcript.History).Outsiders) // long output was stored together with what was read
		if len(r.From) > 0 {
			r.Origin = r.From[len(r.From)-1].Origin
		}
	}
	from := slices.Clone(c.hooked.from)
	switch {
	case !r.Origin.Untrusted():
	case len(r.From) > 0:
		from = append(from, r.From...)
	case c.tool.Spec().Server != nil:
		from = append(from, tools.Author{Origin: r.Origin, Name: c.tool.Spec().Server.Server})
	case len(e.Servers) > 0:
		for _, server := range e.Servers {
			from = append(from, tools.Author{Origin: r.Origin, Name: server})
		}
	default:
		from = append(from, tools.Author{Origin: r.Origin})
	}
	var once []tools.Author
	for _, a := range from {
		r.Origin = a.Origin
		if !slices.Contains(once, a) {
			once = append(once, a)
		}
	}
	return r.Origin, once
}
