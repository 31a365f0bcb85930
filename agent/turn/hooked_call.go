package turn

import (
	"cmp"
	"context"
	"fmt"
	"strings"

	"github.com/emendo-dev/emendo/agent/gate"
	"github.com/emendo-dev/emendo/agent/hooks"
	"github.com/emendo-dev/emendo/agent/transcript"
	"github.com/emendo-dev/emendo/tools"
)

// maxTailCalls limits the calls that hooks may make after one of the model's.
const maxTailCalls = 8

// hookedCall records how hooks changed a call.
type hookedCall struct {
	original string         // the tool that the model called, where hooks had another one follow
	tails    int            // how many followed
	withheld bool           // hooks have let the request offer no such tool
	changed  []string       // names of the arguments that hooks changed
	ask      string         // why hooks want the user asked; empty: they do not
	from     []tools.Author // of what calls that another one follows have brought from outside
}

// beforeHooks runs the BeforeTool hooks of a call. Arguments that they change are
// checked like the model's. It reports false if the call has ended.
func (c *call) beforeHooks(ctx context.Context) bool {
	if c.hooked.withheld {
		c.end(tools.Result{Err: tools.Errorf(tools.PolicyViolation, "A hook keeps the tool %s out of this request, in which it was not offered. Go on without it.", c.made.Name)})
		return false
	}
	o, ok := c.beforeHook(ctx, hooks.ToolInput{Tool: c.made.Name, Args: c.made.Args, Original: c.hooked.original})
	if !ok {
		return false
	}
	if args, changed := o.Args(c.made.Args); len(changed) > 0 {
		c.made.Args, c.hooked.changed = args, changed
		if !c.prepare(ctx) {
			return false
		}
	}
	for _, in := range c.parts() {
		o, ok := c.beforeHook(ctx, in)
		if !ok {
			return false
		}
		if _, changed := o.Args(in.Args); len(changed) > 0 {
			c.end(tools.Result{Err: tools.Errorf(tools.PolicyViolation, "A hook of the user's changes the arguments of %s, which is not possible in a call of %s. Nothing was changed. Make this change with %s instead.", in.Tool, in.Within, in.Tool)})
			return false
		}
	}
	return true
}

// parts returns the inputs of hooks that are about the tools of the calls that the call
// stands for.
func (c *call) parts() []hooks.ToolInput {
	e, _ := c.action.Effect.(tools.Edits)
	var l []hooks.ToolInput
	for _, p := range e.Parts {
		l = append(l, hooks.ToolInput{Tool: p.Tool, Args: p.Args, Original: c.hooked.original, Within: c.made.Name})
	}
	return l
}

// beforeHook runs the BeforeTool hooks for an input. It reports false if the call has
// ended.
func (c *call) beforeHook(ctx context.Context, in hooks.ToolInput) (hooks.Outcome, bool) {
	t := c.turn
	o := t.hooks.Fire(ctx, in)
	switch {
	case ctx.Err() != nil:
		c.end(tools.CancelledResult(""))
		return o, false
	case !o.Ran():
	case o.Stops():
		t.hooks.Stop(halt{Stops: true, Reason: o.Why()})
		c.end(stopped(o.Why(), ""))
		return o, false
	case o.Blocks():
		c.end(tools.Result{Err: tools.Errorf(tools.PolicyViolation, "A hook refused the call: %s", hooks.BoundedReason(o.Why()))})
		return o, false
	case o.Asks():
		c.hooked.ask = cmp.Or(hooks.BoundedMessage(cmp.Or(o.Message(), o.Reason)), "A hook wants you asked about this call.")
	}
	return o, true
}

// stopped returns the result of a call at which a hook has ended the turn.
func stopped(why, output string) tools.Result {
	return tools.Result{Output: output, Err: tools.Errorf(tools.StopExecution, "A hook stopped the turn: %s", hooks.BoundedReason(why))}
}

// conclude runs the AfterTool hooks and ends the call with the result that they
// leave, or with the result of another call that they request.
func (c *call) conclude(ctx context.Context, r tools.Result) {
	t := c.turn
	c.noteHooks(&r)
	cancelled := r.Err != nil && r.Err.Type == tools.Cancelled
	if cancelled || !t.session.HasHooks(hooks.AfterTool) {
		c.end(r)
		return
	}
	var contexts []string
	ins := c.hookInputs()
	for i, in := range ins {
		o := t.hooks.Fire(ctx, hooks.ToolOutcome{ToolInput: in, Response: responseOf(r)})
		if text, ok := o.ToolOutput(); ok { // nothing of what it stands for goes on
			r.Output, r.Display, r.Blobs = text, "", nil
			if r.Err != nil {
				r.Output, r.Err = "", &tools.Error{Type: r.Err.Type, Message: text}
			}
		}
		if text := o.Context(); strings.TrimSpace(text) != "" { // not in the result, where all is data
			contexts = append(contexts, hooks.Enclosed(text))
		}
		tail, follows := o.Tail()
		switch {
		case o.Stops():
			t.hooks.Stop(halt{Stops: true, Reason: o.Why()})
			r = stopped(o.Why(), r.Output)
		case o.Blocks():
			r = tools.Result{Origin: r.Origin, From: r.From, Display: "(A hook withheld the result.)", Err: tools.Errorf(tools.PolicyViolation, "A hook withheld the result of this call: %s", hooks.BoundedReason(o.Why()))}
		case follows && i == len(ins)-1 && ctx.Err() == nil:
			if c.hooked.tails < maxTailCalls {
				_, c.hooked.from = c.provenance(r) // the hook has read it
				c.follow(tail)
				return
			}
			r.Output += fmt.Sprintf("\n(A hook wanted yet another call, of %s; %d were made, which is enough.)", tail.Name, maxTailCalls)
		}
		if o.Stops() {
			break
		}
	}
	c.end(r)
	for _, text := range contexts {
		t.conv.Emit(transcript.Given{MessageID: c.made.MessageID, Kind: transcript.KindHook, Text: text})
	}
}

// noteHooks adds to a result which arguments hooks have changed.
func (c *call) noteHooks(r *tools.Result) {
	if len(c.hooked.changed) > 0 {
		r.Output += fmt.Sprintf("\n(System note: a hook of the user's changed these arguments before the call was made: %s.)", strings.Join(c.hooked.changed, ", "))
	}
}

// hookInputs returns what hooks read of the call: itself, and the calls that it stands for.
func (c *call) hookInputs() []hooks.ToolInput {
	return append([]hooks.ToolInput{{Tool: c.made.Name, Args: c.made.Args, Original: c.hooked.original}}, c.parts()...)
}

// responseOf describes a result to hooks.
func responseOf(r tools.Result) hooks.ToolResponse {
	resp := hooks.ToolResponse{Content: r.Output, Display: cmp.Or(r.Display, r.Output)}
	if r.Err != nil {
		resp.Content = strings.TrimSpace(r.Err.Message + "\n" + r.Output)
		resp.Error = &hooks.ToolError{Message: r.Err.Message, Type: string(r.Err.Type)}
	}
	return resp
}

// follow replaces the call with another one that a hook requests. Like every call
// it passes the hooks and the gate.
func (c *call) follow(tail hooks.TailCall) {
	t := c.turn
	if c.hooked.tails == 0 { // a command runs alone, whoever wanted it
		t.hooks.following.Lock()
		defer t.hooks.following.Unlock()
	}
	c.hooked = hookedCall{original: cmp.Or(c.hooked.original, c.made.Name), tails: c.hooked.tails + 1, from: c.hooked.from}
	c.made.Name, c.made.Args = tail.Name, tail.Args
	c.tool, c.action = t.instructor.tool(tail.Name), tools.Action{}
	c.set, c.hunkStates, c.plan, c.permission = "", "", "", gate.Permission{}
	t.instructor.describe(&c.made)
	c.update(transcript.ToolUpdate{State: transcript.Validating})
	if c.class() != edits {
		c.run()
		return
	}
	if p, ok := c.decide(); ok {
		for _, p := range verify(c.ctx, t.edited, []proposal{p}) {
			if p.propose() {
				p.settle()
			}
		}
	}
}
