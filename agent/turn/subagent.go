package turn

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"strings"
	"sync"
	"time"

	"github.com/emendo-dev/emendo/agent/briefing"
	"github.com/emendo-dev/emendo/agent/definition"
	"github.com/emendo-dev/emendo/agent/model"
	"github.com/emendo-dev/emendo/agent/state"
	"github.com/emendo-dev/emendo/agent/subagent"
	"github.com/emendo-dev/emendo/agent/transcript"
	"github.com/emendo-dev/emendo/tools"
	"github.com/emendo-dev/emendo/tools/lookup"
)

// delegate is a subagent to which a call has handed a task. Its conversation is
// not recorded: its calls are shown as calls of their parent, and its report is the
// parent's result. It implements [subagent.Worker].
type delegate struct {
	turn   *Turn
	parent *call
	agent  subagent.Agent
	gen    model.Generator
	live   *throttle
	model  string       // that answers it, unless another takes over
	lent   state.Supply // its own MCP servers; nil: it has none
	own    []tools.Tool // of these

	mu       sync.Mutex
	activity []string
	from     []tools.Author // of what it read from outside
}

// maxActivity bounds the lines of what a subagent did last, in the progress of its
// call.
const maxActivity = 8

// delegated runs the subagent that a call asks for.
func (c *call) delegated(ctx context.Context, t *subagent.Invoke) tools.Result {
	live := &throttle{call: c}
	defer live.Stop()
	agent, task, err := t.Task(c.made.Args)
	if err != nil {
		return failure(ctx, err)
	}
	if agent.Remote != nil {
		return c.handedOver(ctx, *agent.Remote, task, t, live)
	}
	d := &delegate{turn: c.turn, parent: c, agent: agent, live: live}
	defer d.borrow()()
	d.renew(ctx)
	h, err := d.host(task)
	if err != nil {
		return failure(ctx, err)
	}
	report, why, err := agent.Run(ctx, task, h)
	switch {
	case ctx.Err() != nil:
		return tools.CancelledResult("")
	case err != nil:
		return tools.Result{Origin: d.origin(), From: d.from, Err: tools.Errorf(tools.Unhandled, "The agent %s ended with an error: %v", agent.Name, err)}
	}
	r := tools.Result{
		Output:  fmt.Sprintf("The agent %s has ended.\nTermination Reason: %s\nResult:\n%s", agent.Name, why, report),
		Display: report, Summary: agent.Name + ": " + string(why), Origin: d.origin(), From: d.from,
	}
	if why != subagent.Goal {
		r.Err, r.Output = tools.Errorf(tools.Unhandled, "%s", r.Output), ""
	}
	return r
}

// host chooses the subagent's model and assembles its system prompt and tools.
func (d *delegate) host(task string) (subagent.Host, error) {
	s := d.turn.session
	who, name := d.turn.models.chosen, d.turn.models.Name()
	if d.agent.Model != "" {
		var err error
		if who, err = s.Agent.ResolveModel(d.agent.Model); err != nil {
			return subagent.Host{}, fmt.Errorf("the model of the agent %s: %w", d.agent.Name, err)
		}
		name = who.Name
		if own := d.turn.models.chosen; d.agent.Scope == definition.Project && who.Provider != own.Provider {
			d.turn.conv.Warn(transcript.NoticeSettings, "The agent "+d.agent.Name+" uses the session's model", fmt.Sprintf("%s asks for %s, a model of another provider. A project does not choose where the conversation is sent; an agent of the same name among your own files may.", d.agent.File, d.agent.Model))
			who, name = own, d.turn.models.Name()
		}
	}
	d.model, d.gen = name, d.turn.models.Counting(d.turn.models.FallingBack(who), who.Provider)
	in := d.turn.instructor.instructed
	written := ""
	for _, m := range in.modules {
		if m.Name == briefing.MemoryModule {
			written = m.Text
		}
	}
	place := fmt.Sprintf("Session folder: %s\nDate: %s\nMode: %s", s.Started.Cwd, s.Agent.Now().Format(time.DateOnly), s.Info().Mode)
	return subagent.Host{
		Model: name, System: d.agent.With(d.inputs(task, name)).System(transcript.Enclose("session_context", place), written), Tools: d.offered(in.specs),
		NewID: s.Agent.Options.NewID, Worker: d,
	}, nil
}

// inputs returns the values of the variables in the subagent's prompt, by Gemini CLI's
// names.
func (d *delegate) inputs(task, model string) map[string]string {
	return map[string]string{
		"query": task, "input": task, "activeModel": model, "cliVersion": d.turn.session.Agent.Options.Version, "today": d.turn.session.Agent.Now().Format(time.DateOnly),
	}
}

var errHalted = errors.New("a hook stopped it")

// Stream implements [subagent.Worker], with the hooks around the request.
func (d *delegate) Stream(ctx context.Context, req model.Request) iter.Seq2[model.Chunk, error] {
	return func(yield func(model.Chunk, error) bool) {
		d.renew(ctx)
		asked := d.turn.hooks.BeforeModel(ctx, req)
		switch {
		case asked.Halted != nil:
			d.turn.hooks.Stop(*asked.Halted)
			yield(model.Chunk{}, errHalted)
			return
		case asked.Given != nil:
			yield(asked.Given.Chunk(), nil)
			return
		case asked.Gen == d.turn.models.gen: // hooks have chosen no other
			asked.Gen = d.gen
		}
		for c, err := range asked.Gen.Stream(ctx, asked.Req) {
			if err == nil {
				var h *halt
				if c, h = d.turn.hooks.AfterModel(ctx, asked, c); h != nil {
					d.turn.hooks.Stop(*h)
					c, err = model.Chunk{}, errHalted
				}
			}
			if !yield(c, err) || err != nil {
				return
			}
		}
	}
}

// origin returns the least trusted origin of what it has read; empty: nothing of it is
// untrusted.
func (d *delegate) origin() tools.Origin {
	if n := len(d.from); n > 0 {
		return d.from[n-1].Origin
	}
	return ""
}

// Show implements [subagent.Worker]: it adds a line to the progress of the parent call.
func (d *delegate) Show(line string) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.activity = append(d.activity, tools.ShownLine(line, 160))
	d.activity = d.activity[max(len(d.activity)-maxActivity, 0):]
	d.live.Add(tools.Progress{Output: strings.Join(d.activity, "\n") + "\n"})
}

// Make implements [subagent.Worker]. The calls go through the same hooks, gate, ledger and
// checkpoints as those of the session's model. Those that change something or run
// commands wait for those of other subagents.
func (d *delegate) Make(ctx context.Context, calls []model.Call, pause func() (resume func())) []model.Result {
	made := make([]*call, len(calls))
	for i, c := range calls {
		m := transcript.ToolCall{MessageID: d.parent.made.MessageID, CallID: c.ID, Name: c.Name, Args: c.Args, Broken: c.Broken, Aside: true, Parent: d.parent.made.CallID}
		tool := d.toolOf(lookup.Name(c.Name, c.Args))
		describeBy(&m, tool)
		d.turn.conv.Emit(m)
		made[i] = newCallOf(d.turn, m, tool)
		made[i].agent = d.agent.Name
		untrack := made[i].track(ctx)
		defer untrack()
	}
	err := runWaves(ctx, d.turn, made, func(run func(), reading bool) {
		if !reading {
			defer pause()()
			d.turn.acting.Lock()
			defer d.turn.acting.Unlock()
			if d.turn.conv.Outbox.Flush(nil) != nil { // what is not recorded is not acted on
				return
			}
		}
		run()
	})
	results := make([]model.Result, len(made))
	for i, c := range made {
		if err != nil { // the turn ends with it
			c.end(tools.Result{Err: tools.Errorf(tools.Unhandled, "%v", err)})
		}
		d.Show(c.made.Title)
		_, from := c.provenance(c.result)
		d.from = append(d.from, from...)
		results[i] = model.Result{Output: c.output, Failed: c.result.Err != nil}
		for _, b := range c.result.Blobs {
			results[i].Blobs = append(results[i].Blobs, model.Blob(b))
		}
	}
	return results
}

// LeftOut implements [subagent.Worker].
func (d *delegate) LeftOut(e *model.Error) { warnLeftOut(d.turn.conv, d.model, e) }
