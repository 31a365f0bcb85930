package subagent

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"iter"
	"slices"
	"strings"
	"time"

	"github.com/emendo-dev/emendo/agent/model"
	"github.com/emendo-dev/emendo/agent/stopwatch"
	"github.com/emendo-dev/emendo/agent/transcript"
	"github.com/emendo-dev/emendo/tools"
	"github.com/emendo-dev/emendo/tools/builtin"
)

// A Reason is why an agent ended, in the words of Gemini CLI.
type Reason string

// The reasons.
const (
	Goal       Reason = "GOAL"
	OutOfTurns Reason = "MAX_TURNS"
	OutOfTime  Reason = "TIMEOUT"
	Unfinished Reason = "ERROR_NO_COMPLETE_TASK_CALL"
)

// grace is how long an agent may take for its report once it has ended otherwise.
const grace = time.Minute

// A Host is where an agent works.
type Host struct {
	Model  string // its name
	System string
	Tools  []model.Tool // without complete_task
	NewID  func() string
	Worker Worker
}

// A Worker makes the requests and the calls of an agent.
type Worker interface {
	// Stream asks the model.
	Stream(ctx context.Context, req model.Request) iter.Seq2[model.Chunk, error]
	// Make makes calls of offered tools and returns their results in the same order.
	// While the function that pause returns is not called, no time counts.
	Make(ctx context.Context, calls []model.Call, pause func() (resume func())) []model.Result
	// Show shows what the agent does, one line.
	Show(line string)
	// LeftOut tells the user that the model answers without attachments that it refused.
	LeftOut(refusal *model.Error)
}

// run is an agent at work.
type run struct {
	host     Host
	agent    Agent
	messages []model.Message
	last     string // text that it wrote outside of a report
}

// Run runs the agent until it reports. When a limit is reached, or it stops
// without a report, it is asked once more for one. The error is the model's.
func (a Agent) Run(ctx context.Context, task string, h Host) (report string, why Reason, err error) {
	r := run{host: h, agent: a}
	r.addUserText(task)
	limit := stopwatch.Start(ctx, a.Timeout)
	defer limit.Stop()
	for n := 0; why == ""; n++ {
		if n == a.MaxTurns {
			why = OutOfTurns
			break
		}
		report, err := r.step(ctx, limit, append(slices.Clip(h.Tools), completeTool()))
		switch {
		case ctx.Err() != nil:
			return "", "", context.Cause(ctx)
		case limit.Over():
			why = OutOfTime
		case err != nil:
			return "", "", err
		case report != "":
			return report, Goal, nil
		case r.messages[len(r.messages)-1].Role == model.Model:
			why = Unfinished
		}
	}
	r.close()
	r.addUserText(fmt.Sprintf("Stop here (%s). Call %s now with what you have: this is your last chance to report.", why, builtin.CompleteTask.Name))
	last := stopwatch.Start(ctx, grace)
	defer last.Stop()
	report, err = r.step(ctx, last, []model.Tool{completeTool()})
	switch {
	case ctx.Err() != nil:
		return "", "", context.Cause(ctx)
	case err == nil && report != "":
		return report, Goal, nil
	case r.last != "":
		return r.last + "\n\n(" + a.limitText(why) + ")", why, nil
	}
	return "The agent made no report. " + a.limitText(why), why, nil
}

func (a Agent) limitText(why Reason) string {
	switch why {
	case OutOfTurns:
		return fmt.Sprintf("It reached its limit of %d model requests.", a.MaxTurns)
	case OutOfTime:
		return fmt.Sprintf("It reached its time limit of %v.", a.Timeout)
	case Goal, Unfinished:
	}
	return "It stopped without a report."
}

func (r *run) add(role model.Role, parts ...model.Part) {
	r.messages = append(r.messages, model.Message{ID: r.host.NewID(), Role: role, Parts: parts})
}

func (r *run) addUserText(text string) { r.add(model.User, model.Text{Text: text}) }

// close makes the conversation ready for another message of the user's.
func (r *run) close() {
	if r.messages[len(r.messages)-1].Role == model.User {
		r.add(model.Model, model.Text{Text: "(The answer was interrupted.)"})
	}
}

// step makes one request and the calls of its answer. It returns the report if the
// agent has made it.
func (r *run) step(ctx context.Context, limit *stopwatch.Stopwatch, offered []model.Tool) (report string, err error) {
	parts, malformed, err := r.ask(limit.Context, offered)
	if e, ok := errors.AsType[*model.Error](err); ok && e.Kind == model.Invalid {
		parts, malformed, err = r.askWithout(limit.Context, offered, e)
	}
	if err != nil {
		return "", err
	}
	var calls []model.Call
	var text strings.Builder
	for _, p := range parts {
		switch p := p.(type) { //nolint:gochecksumtype // the others are not acted on
		case model.Call:
			calls = append(calls, p)
		case model.Text:
			text.WriteString(p.Text)
		}
	}
	if t := strings.TrimSpace(text.String()); t != "" {
		r.last = t
	}
	if len(parts) == 0 {
		parts = []model.Part{model.Text{Text: "(no answer)"}}
	}
	r.add(model.Model, parts...)
	if len(calls) == 0 {
		if malformed != "" {
			r.addUserText(malformed)
		}
		return "", nil
	}
	results, report := r.calls(ctx, limit, calls, offered)
	if report == "" {
		r.add(model.User, results...)
	}
	return report, nil
}

// askWithout asks again without attachments that may be the reason of a refusal. If that
// works they stay out of the conversation; else the error is the first one.
func (r *run) askWithout(ctx context.Context, offered []model.Tool, refusal *model.Error) (parts []model.Part, malformed string, err error) {
	bare, ok := transcript.WithoutRefused(r.messages, refusal.Message)
	if !ok {
		return nil, "", refusal
	}
	full := r.messages
	r.messages = bare
	if parts, malformed, err = r.ask(ctx, offered); err != nil {
		r.messages = full
		return nil, "", refusal
	}
	r.host.Worker.LeftOut(refusal)
	return parts, malformed, nil
}

// ask returns the parts of the model's answer, and what to tell the model if a call in it
// was malformed. The subjects of thoughts are shown.
func (r *run) ask(ctx context.Context, offered []model.Tool) (parts []model.Part, malformed string, err error) {
	req := model.Request{Model: r.host.Model, System: r.host.System, Messages: slices.Clone(r.messages), Tools: offered}
	req.Config.Temperature = r.agent.Temperature
	for c, err := range r.host.Worker.Stream(ctx, req) {
		switch {
		case err != nil:
			return nil, "", err
		case c.Retry != nil, c.Fallback != nil: // what came is void
			if parts = nil; c.Fallback != nil {
				r.host.Model = c.Fallback.To
			}
			continue
		}
		for _, p := range c.Parts {
			parts = r.appendPart(parts, p)
		}
		if c.Finish == model.MalformedCall {
			malformed = model.MalformedAdvice(cmp.Or(c.FinishWhy, c.FinishWord))
		}
	}
	// Thoughts without a signature are not sent back.
	parts = slices.DeleteFunc(parts, func(p model.Part) bool { t, ok := p.(model.Thought); return ok && t.Signature == nil })
	return parts, malformed, ctx.Err()
}

// appendPart adds a part of the answer to those before it, joining texts.
func (r *run) appendPart(parts []model.Part, p model.Part) []model.Part {
	var last model.Part
	if len(parts) > 0 {
		last = parts[len(parts)-1]
	}
	switch p := p.(type) { //nolint:gochecksumtype // a model sends no others
	case model.Thought:
		if subject, _ := transcript.SplitThought(p.Text); subject != "" {
			r.host.Worker.Show(subject)
		}
		if before, ok := last.(model.Thought); ok && before.Signature == nil {
			parts[len(parts)-1] = model.Thought{Text: before.Text + p.Text, Signature: p.Signature, Issuer: p.Issuer}
			return parts
		}
	case model.Text:
		before, ok := last.(model.Text)
		switch {
		case p.Text == "" && p.Signature == nil:
			return parts
		case ok && p.Signature == nil && before.Signature == nil:
			parts[len(parts)-1] = model.Text{Text: before.Text + p.Text}
			return parts
		}
	case model.Call:
		p.ID = cmp.Or(p.ID, model.NewCallID())
		p.Args, _ = transcript.CallArgs(p.Args)
		return append(parts, p)
	default:
		return parts
	}
	return append(parts, p)
}

// calls makes the calls of an answer and returns their results, or the report of
// one that ends the task.
func (r *run) calls(ctx context.Context, limit *stopwatch.Stopwatch, calls []model.Call, offered []model.Tool) (results []model.Part, report string) {
	outcomes := map[string]model.Result{}
	var allowed []model.Call
	for _, c := range calls {
		wrong := c.Broken
		switch {
		case c.Name != builtin.CompleteTask.Name && slices.ContainsFunc(offered, func(t model.Tool) bool { return t.Name == c.Name }):
			allowed = append(allowed, c)
			continue
		case c.Name != builtin.CompleteTask.Name:
			wrong = fmt.Sprintf("Unauthorized tool call: %s is not available to this agent.", tools.ShownLine(c.Name, 100))
		case wrong == "":
			text, err := reportOf(c.Args)
			if err == nil {
				return nil, text
			}
			wrong = err.Error()
		}
		outcomes[c.ID] = model.Result{Output: wrong, Failed: true}
	}
	if len(allowed) > 0 { // the limit does not interrupt a call
		for i, result := range r.host.Worker.Make(ctx, allowed, limit.Pause) {
			outcomes[allowed[i].ID] = result
		}
	}
	for _, c := range calls {
		result := outcomes[c.ID]
		result.CallID, result.ProviderID, result.Name = c.ID, c.ProviderID, c.Name
		results = append(results, result)
	}
	return results, ""
}
