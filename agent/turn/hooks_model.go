package turn

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/emendo-dev/emendo/agent/hooks"
	"github.com/emendo-dev/emendo/agent/model"
	"github.com/emendo-dev/emendo/agent/model/catalogue"
	"github.com/emendo-dev/emendo/agent/state"
	"github.com/emendo-dev/emendo/agent/transcript"
)

// hookedRequest is a model request after the hooks before it.
type hookedRequest struct {
	Req      model.Request
	Gen      model.Generator
	Given    *hooks.Response // replaces the model's answer; nil: the model is asked
	Halted   *halt           // ends the turn without asking the model; nil: the model is asked
	Withheld []string        // tools that hooks removed

	described json.RawMessage // Req in the form for AfterModel hooks; nil: there are none
}

// BeforeModel runs the BeforeModel and BeforeToolSelection hooks: they may change
// the request, select its tools, answer it themselves, or end the turn.
func (t *turnHooks) BeforeModel(ctx context.Context, req model.Request) hookedRequest {
	a := hookedRequest{Req: req, Gen: t.models.gen}
	if t.conv.Session.HasHooks(hooks.BeforeModel) {
		o := t.Fire(ctx, hooks.RequestInput{Request: t.describe(req)})
		a.Halted = haltOf(o.Output)
		if r, ok := o.Response(); ok {
			a.Given = &r
		}
		if a.Halted != nil || a.Given != nil {
			return a
		}
		if changed, ok := o.Request(req); ok {
			a.Req = changed
			if changed.Model != req.Model {
				t.useModel(&a, req.Model)
			}
		}
	}
	if t.conv.Session.HasHooks(hooks.BeforeToolSelection) {
		o := t.Fire(ctx, hooks.SelectionInput{Request: t.describe(a.Req)})
		if c, ok := o.ToolConfig(); ok {
			a.Req.Tools, a.Req.Choice, a.Withheld = c.Select(a.Req.Tools)
		}
	}
	if t.conv.Session.HasHooks(hooks.AfterModel) {
		a.described = t.describe(a.Req)
	}
	return a
}

// describe returns a request, with its generation settings, in the form for hooks.
func (t *turnHooks) describe(req model.Request) json.RawMessage {
	if g, ok := model.As[state.Tuned](t.models.chosen.Gen); ok {
		req.Config = g.Config(req)
	}
	return hooks.DescribeRequest(req)
}

// useModel switches the request to the model that hooks chose. The request keeps its
// own model if the other does not exist or belongs to another provider: only the user's
// settings decide who receives a conversation.
func (t *turnHooks) useModel(a *hookedRequest, own string) {
	s := t.conv.Session
	ours, _ := s.Agent.SplitModel(s.Info().Model)
	theirs, name, named := strings.Cut(a.Req.Model, "/")
	if !named && !strings.HasPrefix(a.Req.Model, "replay:") {
		theirs, name = ours, a.Req.Model
	}
	var who state.ResolvedModel
	err := errAnotherProvider
	if theirs == ours || theirs == catalogue.Google && ours == "" {
		who, err = s.Agent.ResolveModel(state.Qualified(ours, name))
	}
	if err != nil {
		t.conv.Warn(transcript.NoticeHook, "A hook's model does not answer", fmt.Sprintf("It wants %q, but: %v. %s answers.", a.Req.Model, err, own))
		a.Req.Model = own
		return
	}
	a.Gen, a.Req.Model = t.models.FallingBack(who), who.Name
}

var errAnotherProvider = errors.New("it belongs to another provider, which hooks cannot choose")

// AfterModel passes a piece of an answer to hooks, which may replace its text. If h is
// not nil, they end the turn and the piece is dropped.
func (t *turnHooks) AfterModel(ctx context.Context, a hookedRequest, c model.Chunk) (_ model.Chunk, h *halt) {
	if c.Retry != nil || c.Fallback != nil || c.Unsent != nil || a.described == nil {
		return c, nil
	}
	o := t.Fire(ctx, hooks.ResponseInput{Request: a.described, Response: hooks.DescribeChunk(c)})
	if h := haltOf(o.Output); h != nil {
		return model.Chunk{}, h
	}
	if r, ok := o.Response(); ok {
		c = r.Over(c)
	}
	return c, nil
}
