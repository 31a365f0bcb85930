package turn

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/emendo-dev/emendo/agent/hooks"
	"github.com/emendo-dev/emendo/agent/model"
	"github.com/emendo-dev/emendo/agent/state"
	"github.com/emendo-dev/emendo/agent/transcript"
)

// hookedRequest is a model request as hooks left it.
type hookedRequest struct {
	req      model.Request
	gen      model.Generator
	given    *hooks.Response // stands for the model's answer; nil: the model is asked
	halted   *halt           // the model is not asked; nil: it is
	withheld []string        // tools that it does not offer on their word

	described json.RawMessage // what hooks of the answer are told of req; nil: there are none
}

// beforeModel runs the BeforeModel and BeforeToolSelection hooks: they may change
// the request, select its tools, answer it themselves, or end the turn.
func (t *turnHooks) beforeModel(ctx context.Context, req model.Request) hookedRequest {
	a := hookedRequest{req: req, gen: t.models.Generator()}
	if t.Session.HasHooks(hooks.BeforeModel) {
		o := t.hooks.fire(ctx, hooks.RequestInput{Request: t.hooks.describe(req)})
		a.halted = haltOf(o.Output)
		if r, ok := o.Response(); ok {
			a.given = &r
		}
		if a.halted != nil || a.given != nil {
			return a
		}
		if changed, ok := o.Request(req); ok {
			a.req = changed
			if changed.Model != req.Model {
				t.hooks.useModel(&a, req.Model)
			}
		}
	}
	if t.Session.HasHooks(hooks.BeforeToolSelection) {
		o := t.hooks.fire(ctx, hooks.SelectionInput{Request: t.hooks.describe(a.req)})
		if c, ok := o.ToolConfig(); ok {
			a.req.Tools, a.req.Choice, a.withheld = c.Select(a.req.Tools)
		}
	}
	if t.Session.HasHooks(hooks.AfterModel) {
		a.described = t.hooks.describe(a.req)
	}
	return a
}

// describe is a request as hooks are told of it, with how the model is told to
// answer.
func (t *turnHooks) describe(req model.Request) json.RawMessage {
	if g, ok := t.models.Chosen().Gen.(state.Tuned); ok {
		req.Config = g.Config(req)
	}
	return hooks.DescribeRequest(req)
}

// useModel has the model answer that hooks chose for this request. One that
// there is not leaves the request to the model that it had, and so does another
// provider's: to whom a conversation goes is for the user's own settings to say.
func (t *turnHooks) useModel(a *hookedRequest, own string) {
	s := t.Session
	ours, _ := state.SplitModel(s.Info().Model)
	theirs, name := state.SplitModel(a.req.Model)
	var who state.ResolvedModel
	err := errAnotherProvider
	if theirs == "" || theirs == ours || theirs == "gemini/" && ours == "" {
		who, err = s.Agent.ResolveModel(ours + name)
	}
	if err != nil {
		t.Emit(transcript.Notice{
			Severity: transcript.Warning, Code: transcript.NoticeHook, Title: "A hook's model does not answer",
			Description: fmt.Sprintf("It wants %q, but: %v. %s is asked.", a.req.Model, err, own),
		})
		a.req.Model = own
		return
	}
	a.gen, a.req.Model = t.models.FallingBack(who.Gen), who.Name
}

var errAnotherProvider = errors.New("it is another provider's, which hooks do not choose")

// afterModel has hooks look at a piece of an answer, whose text they may replace.
// h is how they end the turn, with which the piece is forgotten.
func (t *turnHooks) afterModel(ctx context.Context, a hookedRequest, c model.Chunk) (_ model.Chunk, h *halt) {
	if c.Retry != nil || c.Fallback != nil || a.described == nil {
		return c, nil
	}
	o := t.hooks.fire(ctx, hooks.ResponseInput{Request: a.described, Response: hooks.DescribeChunk(c)})
	if h := haltOf(o.Output); h != nil {
		return model.Chunk{}, h
	}
	if r, ok := o.Response(); ok {
		c = r.Over(c)
	}
	return c, nil
}

// answered is the answer to a request that hooks let nobody be asked.
func (r *response) answered(a hookedRequest) answer {
	r.given, r.answer.halted = true, a.halted
	if a.given != nil {
		r.take(a.given.Chunk())
	}
	r.finish()
	return r.answer
}
