package turn

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/emendo-dev/emendo/agent/briefing"
	"github.com/emendo-dev/emendo/agent/loop"
	"github.com/emendo-dev/emendo/agent/model"
	"github.com/emendo-dev/emendo/agent/transcript"
	"github.com/emendo-dev/emendo/tools"
)

// answer is the result of one step.
type answer struct {
	messageID string
	calls     []transcript.ToolCall
	finish    model.Finish
	word      string
	why       string       // what is wrong with a malformed call, in the provider's words
	loop      loop.Verdict // what the guard finds in it
	halted    *halt        // hooks end the turn with it; nil: they do not
	withheld  []string     // tools that hooks kept out of the request
}

// step makes one model request and shows the answer as it arrives.
func (t *Turn) step(ctx context.Context) (answer, error) {
	s := t.session
	t.models.Route(ctx)
	t.models.Prepare(ctx)
	in := t.instructor.instruct(ctx)
	system := briefing.PromptText(in.modules)
	summarized, err := t.compactor.makeRoom(ctx, system, in.specs)
	if err != nil {
		return answer{}, err
	}
	if summarized {
		t.sendEditor(ctx, t.conv.LastMessage(), t.focused) // the model has lost what the changes since then are changes of
	}
	messages, said := t.conv.Session.Record.Messages()
	messages = t.leaveOut(messages)
	s.Record.SetSent(briefing.Items(in.modules, in.files, in.specs, said))
	asked := t.hooks.BeforeModel(ctx, model.Request{Model: t.models.Name(), System: system, Messages: messages, Tools: in.specs})
	if ctx.Err() != nil {
		return answer{}, context.Cause(ctx)
	}
	r := response{turn: t, model: asked.Req.Model, answer: answer{messageID: s.Agent.Options.NewID(), withheld: asked.Withheld}}
	if asked.Halted != nil || asked.Given != nil {
		return r.answered(asked), nil
	}
	req := asked.Req
	size := model.RequestTokens(req)
	limit, guessed := t.models.LimitOf(req.Model)
	if n, ok := t.models.Measured(ctx, asked.Gen, req, s.Ratio.Scale(size), limit); ok {
		s.Ratio.Learn(size, n)
	}
	if s.Ratio.Scale(size) > limit && !guessed && t.compactor.refused == nil { // a provider that refuses tells more than the estimate
		return answer{}, &model.Error{Kind: model.Overflow, Counted: s.Ratio.Scale(size), Limit: limit, Message: fmt.Sprintf(
			"the request has about %d tokens, and %s takes %d: nothing was sent; start a new session or send less", s.Ratio.Scale(size), req.Model, limit)}
	}
	if err := t.compactor.refusedBefore(size); err != nil {
		return answer{}, err
	}
	for c, err := range asked.Gen.Stream(ctx, req) {
		if err != nil {
			if e, ok := errors.AsType[*model.Error](err); ok {
				t.compactor.learn(size, req.Model, e)
			}
			return r.answer, r.failed(ctx, err)
		}
		if err := t.conv.Outbox.Err(); err != nil {
			return r.answer, err
		}
		c, r.answer.halted = t.hooks.AfterModel(ctx, asked, c)
		if r.answer.halted != nil {
			break
		}
		if r.receive(c); r.answer.loop.Strike != loop.GoOn {
			break
		}
	}
	if ctx.Err() != nil {
		return r.answer, context.Cause(ctx)
	}
	r.finish()
	t.compactor.refused = nil
	s.Ratio.Learn(size, r.usage.Input)
	t.conv.Used.Store(max(s.Ratio.Scale(size), r.usage.Input) + r.usage.Output)
	return r.answer, nil
}

// answered returns the answer to a request that hooks answered or stopped.
func (r *response) answered(a hookedRequest) answer {
	r.given, r.answer.halted = true, a.Halted
	if a.Given != nil {
		r.receive(a.Given.Chunk())
	}
	r.finish()
	return r.answer
}

// response is an answer that is being received.
type response struct {
	turn      *Turn
	model     string // that answers; empty: the turn's
	answer    answer
	parts     int  // so far
	growing   bool // the last part is a text that the next one continues
	shown     bool
	text      strings.Builder
	thought   bool            // the last part was a thought, whose subject is known
	reasoning strings.Builder // the running thought, as the model wrote it
	usage     model.Usage
	citations []model.Citation
	given     bool // by a hook, no model was asked
}

func (r *response) receive(c model.Chunk) {
	if c.Retry != nil {
		r.retry(*c.Retry)
		return
	}
	if c.Fallback != nil {
		r.takeOver(*c.Fallback)
		return
	}
	if c.Unsent != nil {
		r.unsent(*c.Unsent)
	}
	for _, p := range c.Parts {
		if r.receivePart(p); r.answer.loop.Strike != loop.GoOn {
			break
		}
	}
	r.citations = append(r.citations, c.Citations...)
	if c.Usage != nil {
		r.usage = *c.Usage
	}
	if c.Finish != "" {
		r.answer.finish, r.answer.word, r.answer.why = c.Finish, c.FinishWord, c.FinishWhy
	}
}

func (r *response) receivePart(p model.Part) {
	t, id := r.turn, r.answer.messageID
	if _, ok := p.(model.Thought); !ok {
		r.thought = false
		r.reasoning.Reset()
	}
	switch p := p.(type) {
	case model.Text:
		if p.Text == "" && p.Signature == nil {
			return
		}
		r.text.WriteString(p.Text)
		r.shown = r.shown || p.Text != ""
		whole := p.Signature != nil // what is signed is joined with nothing
		if r.growing && !whole {
			r.parts--
		}
		r.growing = !whole
		t.conv.Emit(transcript.Text{MessageID: id, Part: r.parts, Text: p.Text, Signature: p.Signature, Issuer: p.Issuer})
		r.answer.loop = t.loops.guard.Text(p.Text)
	case model.Thought:
		r.think(p)
		return // parts count what goes back to the provider
	case model.Call:
		r.growing = false
		args, ok := transcript.CallArgs(p.Args)
		if !ok && p.Broken == "" { // it can be neither recorded nor sent back; the tool will say what it misses
			t.session.Agent.Log.Error("a call's arguments are no JSON object", "session", t.session.SessionID, "tool", p.Name, "args", string(p.Args))
		}
		r.answer.calls = append(r.answer.calls, transcript.ToolCall{
			MessageID: id, Part: r.parts, CallID: p.ID, ProviderID: p.ProviderID, Name: p.Name, Args: args, Signature: p.Signature, Issuer: p.Issuer, Broken: p.Broken,
		})
	case model.Blob:
		// Image models are not offered, and the front ends show no images of a model.
		t.conv.Warn(transcript.NoticeIncomplete, "A part of the answer is not shown", fmt.Sprintf("The model sent %s with %d bytes, and emendo shows text only.", cmp.Or(tools.ShownLine(p.MIME, 80), "data"), len(p.Data)))
		return
	case model.Result:
		panic("agent: a model answered a call")
	}
	r.parts++
}

// think shows a piece of a thought. A signature ends it: all of it then goes back to
// the provider.
func (r *response) think(p model.Thought) {
	t, id := r.turn, r.answer.messageID
	r.reasoning.WriteString(p.Text)
	subject, text := "", p.Text
	switch {
	case !r.thought:
		subject, text = transcript.SplitThought(p.Text)
	case transcript.Headed(p.Text): // another thought: a blank line parts it from the one before
		subject, text = transcript.SplitThought(p.Text)
		text = "\n\n" + text
	}
	r.thought = r.thought || p.Text != ""
	if subject != "" || text != "" {
		r.shown = true
		t.conv.Emit(transcript.Thought{MessageID: id, Subject: subject, Text: text})
	}
	if p.Signature != nil {
		r.growing = false
		t.conv.Emit(transcript.Reasoning{MessageID: id, Part: r.parts, Text: r.reasoning.String(), Signature: p.Signature, Issuer: p.Issuer})
		r.reasoning.Reset()
		r.parts++
	}
}

// unsent tells the user, once in a session for each model and reason, that the model
// does not get attachments.
func (r *response) unsent(u model.Unsent) {
	s, name := r.turn.session, cmp.Or(r.model, r.turn.models.Name())
	if s.Unsent[name+u.Why] {
		return
	}
	s.Unsent[name+u.Why] = true
	title, what := "A picture was not sent", "a picture"
	switch {
	case u.Pictures > 1:
		title, what = "Pictures were not sent", fmt.Sprintf("%d pictures", u.Pictures)
	case u.Pictures == 0 && u.Files == 1:
		title, what = "A file was not sent", "a file"
	case u.Pictures == 0:
		title, what = "Files were not sent", fmt.Sprintf("%d files", u.Files)
	}
	r.turn.conv.Warn(transcript.NoticeNotSent, title, fmt.Sprintf("%s gets a note in the place of %s: %s.", name, what, u.Why))
}

// retry discards the attempt that failed.
func (r *response) retry(re model.Retry) {
	name := cmp.Or(r.model, r.turn.models.Name())
	if re.Loading {
		r.discard(name, transcript.Notice{
			Severity: transcript.Info, Code: transcript.NoticeRetry, Title: "The model is loading", RetryAfterMS: re.Delay.Milliseconds(), Type: faultOf(re.Err),
			Description: fmt.Sprintf("The server is loading %s. The request is sent when it is ready, for up to %d minutes from now.", name, int(model.LongestLoad.Minutes())),
		})
		return
	}
	r.discard(name, transcript.Notice{
		Severity: transcript.Warning, Code: transcript.NoticeRetry, Title: "The request is repeated", RetryAfterMS: re.Delay.Milliseconds(),
		Attempt: re.Attempt, MaxAttempts: re.Of, Type: faultOf(re.Err),
		Description: fmt.Sprintf("Attempt %d of %d failed: %v. Trying again in %s.", re.Attempt, re.Of, re.Err, seconds(re.Delay)),
	})
}

// takeOver notifies the user that another model answers, and discards the answer so far.
func (r *response) takeOver(f model.Fallback) {
	failed := cmp.Or(r.model, r.turn.models.Name())
	r.discard(failed, r.turn.models.TakeOver(f))
}

// discard drops a failed attempt and shows why. Its tokens are counted, since the
// provider charges for them.
func (r *response) discard(name string, why transcript.Notice) {
	t := r.turn
	t.models.Count(name, r.usage)
	if r.parts > 0 || r.shown {
		t.conv.Emit(transcript.Retract{MessageID: r.answer.messageID})
	}
	t.loops.guard.Retract()
	t.conv.Emit(why)
	*r = response{turn: t, answer: answer{messageID: t.session.Agent.Options.NewID()}}
}

// failed ends the message of a stream that failed and is not repeated, and counts its
// tokens.
func (r *response) failed(ctx context.Context, err error) error {
	if r.usage != (model.Usage{}) {
		name := cmp.Or(r.model, r.turn.models.Name())
		r.reportUsage(r.turn.counted(name, r.usage))
	}
	if ctx.Err() != nil {
		return context.Cause(ctx) // what was shown stays
	}
	if r.parts > 0 || r.shown {
		r.turn.conv.Emit(transcript.Retract{MessageID: r.answer.messageID})
	}
	if me, ok := errors.AsType[*model.Error](err); ok && me.Kind == model.Empty {
		return &transcript.EmptyAnswerError{Err: err}
	}
	return err
}

// counted counts the tokens of a response, and returns those of the session.
func (t *Turn) counted(name string, used model.Usage) transcript.Usage {
	limit, _ := t.models.LimitOf(name)
	return transcript.Usage{Usage: t.models.Count(name, used), ContextLimit: limit}
}

// finish shows the calls and the end of the response.
func (r *response) finish() {
	t := r.turn
	s := t.session
	if r.answer.loop.Strike != loop.GoOn || r.answer.halted != nil {
		r.answer.calls = nil // the answer was ended before they were all there
	}
	if n := len(r.answer.calls); n > 0 && r.answer.finish == model.MaxTokens && r.answer.calls[n-1].Broken != "" {
		r.answer.calls[n-1].Broken += " Your answer reached its limit of tokens in this call: write less at once, such as a file in several parts."
	}
	for i := range r.answer.calls {
		c := &r.answer.calls[i]
		if c.CallID == "" {
			c.CallID = s.Agent.Options.NewID()
		}
		t.instructor.describe(c)
		t.conv.Emit(*c)
		r.answer.loop = t.loops.guard.Call(c.Name, written(*c))
	}
	if text := r.text.String(); text != "" {
		t.text = text
		t.hooks.answers = append(t.hooks.answers, text)
	}
	if list := transcript.SourcesOf(r.citations); list != "" {
		t.conv.Emit(transcript.Notice{Severity: transcript.Info, Code: transcript.NoticeCitation, Title: "Sources", Description: list})
	}
	name := cmp.Or(r.model, t.models.Name())
	total := t.counted(name, r.usage)
	s.Record.SetInfo(func(i *transcript.SessionInfo) { i.Usage.ContextLimit = total.ContextLimit })
	if r.answer.finish == "" {
		return // it was ended, and never got to the provider's count
	}
	if r.given {
		t.conv.Emit(transcript.ResponseFinished{MessageID: r.answer.messageID, Reason: r.answer.finish, Word: r.answer.word, Usage: transcript.Usage{ContextLimit: total.ContextLimit}})
		return
	}
	r.reportUsage(total)
	t.conv.Emit(transcript.ResponseFinished{MessageID: r.answer.messageID, Reason: r.answer.finish, Word: r.answer.word, Usage: transcript.Usage{Usage: s.Agent.Choices().Catalogue.Cost(name, r.usage), ContextLimit: total.ContextLimit}, Model: name})
}

// written returns what tells a call from others of its tool.
func written(c transcript.ToolCall) json.RawMessage {
	if c.Broken == "" {
		return c.Args
	}
	b, err := json.Marshal(c.Broken)
	if err != nil {
		panic("agent: a text does not encode: " + err.Error())
	}
	return b
}

// reportUsage shows the tokens of the response and of the session.
func (r *response) reportUsage(total transcript.Usage) {
	r.turn.session.PublishQuota(r.turn.models.chosen.Gen)
	r.turn.conv.Emit(transcript.UsageUpdated{Used: r.usage.Input + r.usage.Output + r.usage.Thought, Size: total.ContextLimit, Usage: total})
}

// seconds writes a wait for people.
func seconds(d time.Duration) string { return d.Round(100 * time.Millisecond).String() }
