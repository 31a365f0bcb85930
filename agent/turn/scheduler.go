package turn

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"runtime/debug"
	"slices"
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/emendo-dev/emendo/agent/gate"
	"github.com/emendo-dev/emendo/agent/rewind"
	"github.com/emendo-dev/emendo/agent/subagent"
	"github.com/emendo-dev/emendo/agent/transcript"
	"github.com/emendo-dev/emendo/ide/ledger"
	"github.com/emendo-dev/emendo/tools"
	"github.com/emendo-dev/emendo/tools/lookup"
)

// call is a tool call on its way through the states.
type call struct {
	made   transcript.ToolCall // as emitted; Title is derived from its arguments
	turn   *Turn
	tool   tools.Tool
	action tools.Action
	begun  time.Time

	ctx    context.Context // ends with the turn, or when the user cancels this call
	cancel context.CancelCauseFunc

	set        string       // its change set, once there is one
	hunkStates string       // the states of its hunks, as sent with the result
	ended      bool         // the result was emitted
	acted      bool         // the tool ran: else the result has nothing of it
	result     tools.Result // once ended
	output     string       // the result's text for the model
	agent      string       // subagent that makes it; empty: the session itself

	hooked hookedCall

	rule       string          // that denied it
	permission gate.Permission // of a call that may run
	batched    bool            // others were made with it
	stopsTurn  bool            // the user rejected it and all that was made with it
	declined   bool            // the user rejected it
	plan       string          // path of the plan that was approved with it
}

// class decides which calls may run together.
type class int

const (
	alone class = iota // starts when all before it are done
	reads              // adjoining ones run side by side
	edits              // adjoining ones are prepared in order and shown together
	moves              // likewise, moves and deletions of whole files
)

func (c *call) class() class {
	if c.tool == nil {
		return alone
	}
	if _, invokes := c.tool.(*subagent.Invoke); invokes {
		return reads // its calls are ordered by themselves
	}
	switch c.tool.Spec().Kind {
	case tools.Read, tools.Search:
		return reads
	case tools.Edit:
		return edits
	case tools.Delete, tools.Move:
		return moves
	default: // it runs something, or the kind is only shown to the user
		return alone
	}
}

// awaitsReview reports whether the call is prepared once the user has decided on the turn's edits.
func (c *call) awaitsReview() bool { return c.tool != nil && c.tool.Spec().AwaitsReview }

// describe fills in what the user sees of a call.
func (t *instructor) describe(c *transcript.ToolCall) { describeBy(c, t.called(*c)) }

// describeBy is describe for a call of that tool, which may be nil.
func describeBy(c *transcript.ToolCall, tool tools.Tool) {
	c.Title = c.Name
	if tool != nil {
		spec := tool.Spec()
		c.Kind, c.Title = spec.Kind, spec.Display
	}
}

// schedule runs the calls of a response in the model's order. When it returns, each has
// ended and its result is recorded. After an error the turn cannot continue.
func (t *Turn) schedule(ctx context.Context, a answer) error {
	t.instructor.await(ctx, a.calls)
	cs := make([]*call, len(a.calls))
	for i, c := range a.calls {
		cs[i] = t.newCall(c)
		cs[i].batched = len(a.calls) > 1
		cs[i].hooked.withheld = slices.Contains(a.withheld, cs[i].made.Name)
		untrack := cs[i].track(ctx)
		defer untrack()
	}
	return runWaves(ctx, t, cs, func(run func(), _ bool) { run() })
}

// runWaves runs calls in waves of adjoining calls that may run together. around runs
// each wave; reading reports that the wave only reads.
func runWaves(ctx context.Context, t *Turn, cs []*call, around func(run func(), reading bool)) error {
	for len(cs) > 0 {
		n := 1
		for kind := cs[0].class(); kind != alone && !cs[0].awaitsReview() && n < len(cs) && cs[n].class() == kind && !cs[n].awaitsReview(); {
			n++
		}
		wave := cs[:n]
		cs = cs[n:]
		t.drawing.Wait()
		if h := t.hooks.halted.Load(); h != nil {
			for _, c := range wave {
				c.end(stopped(h.Reason, ""))
			}
			continue
		}
		t.session.Agent.Options.Workspace.Refresh(ctx)
		if k := wave[0].class(); k == edits || k == moves {
			around(func() { t.propose(ctx, wave) }, false)
		} else {
			around(func() {
				var running sync.WaitGroup
				for _, c := range wave {
					running.Go(func() { c.recovering(c.run) })
				}
				running.Wait()
			}, k == reads)
		}
		if err := t.conv.Outbox.Err(); err != nil {
			return err
		}
	}
	return nil
}

// track makes the call's context, which [Session.Cancel] can end even before the call
// begins.
func (c *call) track(ctx context.Context) (untrack func()) {
	t := c.turn
	c.ctx, c.cancel = context.WithCancelCause(ctx)
	t.mu.Lock()
	t.calls[c.made.CallID] = c.cancel
	t.mu.Unlock()
	return func() {
		t.mu.Lock()
		delete(t.calls, c.made.CallID)
		t.mu.Unlock()
		c.cancel(nil)
	}
}

// recovering runs a piece of the call; a panic ends the call and nothing else.
func (c *call) recovering(f func()) {
	defer func() {
		if p := recover(); p != nil {
			c.end(tools.Result{Err: c.crashed(p)})
		}
	}()
	f()
}

// run runs a call that is not an edit.
func (c *call) run() {
	if c.mayRun(c.ctx) {
		c.carryOut(c.ctx)
	}
}

// mayRun checks the arguments of a call and takes it through the gate. It returns false
// if that ended the call.
func (c *call) mayRun(ctx context.Context) bool {
	return c.prepare(ctx) && c.beforeHooks(ctx) && c.permitted(ctx)
}

// carryOut runs a call that the gate allowed.
func (c *call) carryOut(ctx context.Context) {
	if _, ok := c.action.Effect.(tools.Edits); ok {
		panic(fmt.Sprintf("agent: the tool %s, of kind %s, edits", c.made.Name, c.tool.Spec().Kind))
	}
	if e, ok := c.action.Effect.(tools.Asks); ok {
		c.conclude(ctx, c.elicit(ctx, e))
		return
	}
	var saved string
	var open textsOnDisk
	over := func() rewind.Ended { return rewind.Ended{} }
	without := c.turn.review.Without(ctx, c.action.Effect)
	c.update(transcript.ToolUpdate{State: transcript.Scheduled})
	if _, ok := c.action.Effect.(tools.Runs); ok {
		saved = c.turn.files.Save(ctx)
		over, open = c.turn.watch.Command(ctx), c.turn.files.OnDisk(ctx)
	}
	c.update(transcript.ToolUpdate{State: transcript.Executing})
	if r, ok := c.runOwn(); ok {
		c.conclude(ctx, r)
		return
	}
	jobs := len(c.turn.session.Jobs.List())
	res := c.actSandboxed(ctx)
	res.Output += c.commandEnded(ctx, over(), jobs) + saved + without + c.turn.files.ChangedOnDisk(ctx, open)
	if c.action.Job {
		res.Output += c.turn.session.Files.Look(ctx)
	}
	if ctx.Err() != nil && res.Err == nil {
		res.Err = &tools.Error{Type: tools.Cancelled, Message: "The call was cancelled by the user."}
	}
	c.conclude(ctx, res)
}

// prepare checks the arguments. It returns false if that ended the call.
func (c *call) prepare(ctx context.Context) bool {
	switch {
	case ctx.Err() != nil:
		c.end(tools.CancelledResult(""))
		return false
	case c.made.Broken != "":
		c.end(tools.Result{Err: tools.Errorf(tools.InvalidParams, "%s", c.made.Broken)})
		return false
	case c.tool == nil:
		c.end(tools.Result{Err: lookup.Unknown(c.made.Name, c.turn.instructor.offeredNames())})
		return false
	}
	if c.awaitsReview() || c.editsMoved() {
		if refused := c.turn.review.Decided(ctx, c.gated()); refused != nil {
			c.end(*refused)
			return false
		}
	}
	action, err := c.check(ctx)
	if err == nil {
		err = context.Cause(ctx)
	}
	if err != nil {
		c.nameFile()
		c.end(failure(ctx, err))
		return false
	}
	c.action = action
	if action.Title != "" {
		c.made.Title = action.Title
	}
	return true
}

// nameFile adds to the title of a call that cannot be prepared the file that it names, so
// that the user sees where it failed.
func (c *call) nameFile() {
	if name := c.fileNamed(); name != "" {
		c.made.Title += " " + tools.ShownLine(c.turn.session.Work.Near(name), 200)
	}
}

// fileNamed returns the file that the arguments of an edit name; empty if they are wrong.
func (c *call) fileNamed() string {
	var named struct {
		File   string `json:"file_path"`
		Source string `json:"source_path"`
	}
	if json.Unmarshal(c.made.Args, &named) != nil {
		return ""
	}
	return cmp.Or(named.File, named.Source)
}

// editsMoved reports whether the call edits a file that a proposal of the session moves there: its
// hunks would be in a file that does not exist yet.
func (c *call) editsMoved() bool {
	if k := c.class(); k != edits && k != moves {
		return false
	}
	s := c.turn.session
	at, err := s.Work.Tree().Resolve(c.fileNamed())
	if err != nil {
		return false
	}
	return slices.ContainsFunc(s.Agent.Options.Ledger.List(s.SessionID, "", ledger.Pending), func(cs ledger.ChangeSet) bool {
		return slices.ContainsFunc(cs.Files, func(f ledger.FileChange) bool { return f.Op == ledger.Rename && f.NewPath == at.Abs && f.Waits() })
	})
}

// check is Prepare with its panics contained.
func (c *call) check(ctx context.Context) (a tools.Action, err error) {
	defer func() {
		if p := recover(); p != nil {
			err = c.crashed(p)
		}
	}()
	env := c.turn.instructor.Env(ctx)
	c.made.Args = lookup.PlainPaths(env, c.made.Args)
	return c.tool.Prepare(ctx, env, c.made.Args)
}

// runTool is Run with its panics contained. Output that has not been shown when Run returns
// is dropped, since the call then changes its state.
func (c *call) runTool(ctx context.Context) (r tools.Result) {
	c.acted = true
	live := &throttle{call: c}
	defer live.Stop()
	defer func() {
		if p := recover(); p != nil {
			r = tools.Result{Err: c.crashed(p)}
		}
	}()
	return c.action.Run(ctx, live.Add)
}

func (c *call) crashed(p any) *tools.Error {
	c.turn.session.Agent.Log.Error("a tool panicked", "tool", c.made.Name, "panic", p, "stack", string(debug.Stack()))
	return tools.Errorf(tools.Unhandled, "The tool %s failed with an internal error; try another way.", c.made.Name)
}

// failure returns the result of a call that could not be prepared.
func failure(ctx context.Context, err error) tools.Result {
	if ctx.Err() != nil {
		return tools.CancelledResult("")
	}
	if te, ok := errors.AsType[*tools.Error](err); ok {
		return tools.Result{Err: te}
	}
	if errors.Is(err, syscall.ENOSPC) {
		return tools.Result{Err: tools.Errorf(tools.NoSpaceLeft, "%v", err)}
	}
	return tools.Result{Err: tools.Errorf(tools.Unhandled, "%v", err)}
}

// update records and shows an update of the call.
func (c *call) update(u transcript.ToolUpdate) {
	u.CallID, u.Title, u.Locations = c.made.CallID, c.made.Title, c.action.Locations
	c.turn.conv.Emit(u)
}

// end records and shows the call's result, once. If the call may have changed
// something, its result is on disk when end returns.
func (c *call) end(r tools.Result) {
	if c.ended {
		return
	}
	c.ended, c.result = true, r
	c.turn.session.Doubts.Add(r.Err)
	if c.stopsTurn {
		defer c.turn.Stop("")
	}
	origin, from := c.provenance(r)
	if origin.Untrusted() {
		c.turn.session.Files.Doubt()
	}
	u := transcript.ToolUpdate{
		CallID: c.made.CallID, State: transcript.Success, PID: r.PID, Title: c.made.Title, Locations: c.action.Locations, Output: r.Output, Display: r.Display,
		Summary: r.Summary, Blobs: r.Blobs, DurationMS: time.Since(c.begun).Milliseconds(), ChangeSetID: c.set, Told: c.hunkStates, Plan: c.plan, Rule: c.rule, Origin: origin, From: from, Leads: r.Leads,
	}
	if r.Exit != nil {
		u.Signal = r.Exit.Signal
		if u.Signal == "" {
			u.ExitCode = &r.Exit.Code
		}
	}
	if r.Err != nil {
		u.State, u.ErrorType = transcript.Failure, r.Err.Type
		u.Output = strings.TrimSpace(r.Err.Message + "\n" + r.Output)
		if r.Err.Type == tools.Cancelled || c.declined {
			u.State = transcript.Cancelled
		}
	}
	if _, runs := c.action.Effect.(tools.Runs); u.State == transcript.Success && !runs && c.agent == "" {
		for _, l := range c.action.Locations {
			c.turn.conv.Touch(l.Path)
		}
	}
	secrets := c.turn.session.Agent.Options.Secrets // before anything is cut
	u.Output, u.Display = c.fitOutput(r, secrets.Known(u.Output)), transcript.BoundDisplay(secrets.Known(u.Display))
	c.output = u.Output
	if c.class() == reads {
		c.turn.conv.EmitSynced(u)
		return
	}
	// A log that cannot be written stops the turn in schedule.
	_ = c.turn.conv.EmitDurably(u)
}

// newCall returns the call that the model made, with the tool's own names for the tool
// and its arguments, which rules and hooks use.
func (t *Turn) newCall(made transcript.ToolCall) *call {
	return newCallOf(t, made, t.instructor.called(made))
}

// newCallOf returns a call of a tool, or nil if there is none of the name.
func newCallOf(t *Turn, made transcript.ToolCall, tool tools.Tool) *call {
	c := &call{made: made, turn: t, tool: tool, begun: time.Now()}
	if c.tool != nil {
		s := c.tool.Spec()
		c.made.Name, c.made.Args = s.Name, lookup.Canonical(s, made.Args)
	}
	return c
}
