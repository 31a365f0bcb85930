package turn

import (
	"cmp"
	"context"
	"fmt"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"github.com/emendo-dev/emendo/agent/frontend"
	"github.com/emendo-dev/emendo/agent/gate"
	"github.com/emendo-dev/emendo/agent/hooks"
	"github.com/emendo-dev/emendo/agent/transcript"
	"github.com/emendo-dev/emendo/ide/diff"
	"github.com/emendo-dev/emendo/tools"
)

// maxTailCalls limits the calls that hooks may make after one of the model's.
const maxTailCalls = 8

// hookedCall records how hooks changed a call.
type hookedCall struct {
	original string       // the tool that the model called, where hooks had another one follow
	tails    int          // how many followed
	withheld bool         // hooks have let the request offer no such tool
	changed  []string     // names of the arguments that hooks changed
	ask      string       // why hooks want the user asked; empty: they do not
	origin   tools.Origin // what a call that another one follows has brought from outside
}

// beforeHooks runs the BeforeTool hooks of a call. Arguments that they change are
// checked like the model's. It reports false if the call has ended.
func (c *call) beforeHooks(ctx context.Context) bool {
	t := c.turn
	if c.hooked.withheld {
		c.end(tools.Result{Err: tools.Errorf(tools.PolicyViolation, "A hook keeps the tool %s out of this request, in which it was not offered. Go on without it.", c.made.Name)})
		return false
	}
	o := t.hooks.fire(ctx, hooks.ToolInput{Tool: c.made.Name, Args: c.made.Args, Original: c.hooked.original})
	switch {
	case ctx.Err() != nil:
		c.end(tools.CancelledResult(""))
		return false
	case !o.Ran():
		return true
	case o.Stops():
		t.hooks.stop(halt{true, o.Why()})
		c.end(stopped(o.Why(), ""))
		return false
	case o.Blocks():
		c.end(tools.Result{Err: tools.Errorf(tools.PolicyViolation, "A hook refused the call: %s", hooks.BoundedReason(o.Why()))})
		return false
	case o.Asks():
		c.hooked.ask = cmp.Or(hooks.BoundedMessage(cmp.Or(o.Message(), o.Reason)), "A hook wants you asked about this call.")
	}
	args, changed := o.Args(c.made.Args)
	if len(changed) == 0 {
		return true
	}
	c.made.Args, c.hooked.changed = args, changed
	return c.prepare(ctx)
}

// stopped returns the result of a call at which a hook has ended the turn.
func stopped(why, output string) tools.Result {
	return tools.Result{Output: output, Err: tools.Errorf(tools.StopExecution, "A hook stopped the turn: %s", hooks.BoundedReason(why))}
}

// conclude runs the AfterTool hooks and ends the call with the result that they
// leave, or with the result of another call that they request.
func (c *call) conclude(ctx context.Context, r tools.Result) {
	t := c.turn
	if len(c.hooked.changed) > 0 {
		r.Output += fmt.Sprintf("\n(System note: a hook of the user's changed these arguments before the call was made: %s.)", strings.Join(c.hooked.changed, ", "))
	}
	if c.hooked.origin != "" {
		r.Origin = c.hooked.origin
	}
	cancelled := r.Err != nil && r.Err.Type == tools.Cancelled
	if cancelled || !t.Session.HasHooks(hooks.AfterTool) {
		c.end(r)
		return
	}
	o := t.hooks.fire(ctx, hooks.ToolOutcome{
		ToolInput: hooks.ToolInput{Tool: c.made.Name, Args: c.made.Args, Original: c.hooked.original}, Response: responseOf(r),
	})
	if text, ok := o.ToolOutput(); ok { // nothing of what it stands for goes on
		r.Output, r.Display, r.Blobs = text, "", nil
		if r.Err != nil {
			r.Output, r.Err = "", &tools.Error{Type: r.Err.Type, Message: text}
		}
	}
	tail, follows := o.Tail()
	switch {
	case o.Stops():
		t.hooks.stop(halt{true, o.Why()})
		r = stopped(o.Why(), r.Output)
	case o.Blocks():
		r = tools.Result{Origin: r.Origin, Display: "(A hook withheld the result.)", Err: tools.Errorf(tools.PolicyViolation, "A hook withheld the result of this call: %s", hooks.BoundedReason(o.Why()))}
	case follows && ctx.Err() == nil:
		if c.hooked.tails < maxTailCalls {
			if from := c.provenance(r); from.Untrusted() {
				c.hooked.origin = from // the hook has read it
			}
			c.follow(tail)
			return
		}
		r.Output += fmt.Sprintf("\n(A hook wanted yet another call, of %s; %d were made, which is enough.)", tail.Name, maxTailCalls)
	}
	c.end(r)
	if text := o.Context(); strings.TrimSpace(text) != "" { // not in the result, where all is data
		t.Emit(transcript.Given{MessageID: c.made.MessageID, Kind: transcript.KindHook, Text: hooks.Enclosed(text)})
	}
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
	c.hooked = hookedCall{original: cmp.Or(c.hooked.original, c.made.Name), tails: c.hooked.tails + 1, origin: c.hooked.origin}
	c.made.Name, c.made.Args = tail.Name, tail.Args
	c.tool, c.action = t.Instructor.tool(tail.Name), tools.Action{}
	c.set, c.hunkStates, c.plan, c.permission = "", "", "", gate.Permission{}
	t.Instructor.describe(&c.made)
	c.update(transcript.ToolUpdate{State: transcript.Validating})
	if c.class() != edits {
		c.run()
		return
	}
	if p, ok := c.decide(); ok {
		for _, p := range verify(c.ctx, &t.edited, []proposal{p}) {
			if p.propose() {
				p.settle()
			}
		}
	}
}

// notify runs the Notification hooks while the user is asked about a call. The
// function that it returns waits for them.
func (t *turnHooks) notify(ctx context.Context, q frontend.Question, e tools.Effect) (wait func()) {
	if !t.Session.HasHooks(hooks.Notification) {
		return func() {}
	}
	details := map[string]any{"title": q.Call.Title, "tool_name": q.Call.Name, "tool_input": q.Call.Args}
	kind, does := "info", "asks for permission"
	switch e := e.(type) { //nolint:gochecksumtype // the others have no details of their own
	case tools.Runs:
		kind, does = "exec", "wants to run a command"
		details["command"] = e.Command
		if words := strings.Fields(e.Command); len(words) > 0 {
			details["rootCommand"] = words[0]
		}
	case tools.Edits:
		kind, does = "edit", "wants to edit"
		if len(q.Call.Diffs) == 1 { // hooks know edits of one file
			d := q.Call.Diffs[0]
			name, old := filepath.Base(d.Path), ""
			if d.Old != nil {
				old = *d.Old
			}
			details["filePath"], details["fileName"], details["originalContent"], details["newContent"] = d.Path, name, old, d.New
			details["fileDiff"] = diff.Unified(name, name, old, d.New)
		}
	}
	details["type"] = kind
	ctx, cancel := context.WithCancel(ctx)
	var asked sync.WaitGroup
	asked.Go(func() {
		t.hooks.fire(ctx, hooks.NotificationInput{Type: "ToolPermission", Message: fmt.Sprintf("%s %s: %s", q.Call.Name, does, q.Call.Title), Details: details})
	})
	return func() { // what is about a question that is answered is of little use
		late := time.AfterFunc(notifyGrace, cancel)
		defer late.Stop()
		defer cancel()
		asked.Wait()
	}
}

// notifyGrace is how long Notification hooks may run after the answer.
const notifyGrace = time.Second
