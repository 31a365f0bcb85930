package turn

import (
	"cmp"
	"context"
	"errors"
	"iter"

	"github.com/emendo-dev/emendo/agent/model"
	"github.com/emendo-dev/emendo/agent/state"
	"github.com/emendo-dev/emendo/agent/tuning"
)

// utility returns what answers a request beside the steps of a turn: the
// generator, and the name of the model to put into the request. It uses the
// preset of the purpose, and the model that answers in the session where there
// is no preset, the provider is another one, or the preset's model cannot answer for
// the time being. The generator tunes requests for their purpose, retries, and
// counts what answers cost for the session and its running turn, so callers do
// not. A model that the key may not use is replaced by the next one of its role.
func (t *modelChoice) utility(p model.Purpose) (model.Generator, string, error) {
	s := t.Session
	a := s.Agent
	own, err := a.ResolveModel(s.Info().Model)
	if err != nil {
		return nil, "", err
	}
	s.Mu.Lock()
	own.Name = cmp.Or(t.model, own.Name)
	s.Mu.Unlock()
	v, err := a.Tuning().Look(tuning.Query{Name: string(p)})
	if err != nil {
		return nil, "", err
	}
	who, g := own, own.Gen.(state.Tuned).Generator
	if other, ok := a.Helper(own.Provider, v.Model); ok && v.Model != string(p) {
		who = other
		if g, who.Name, err = a.Choices().Generator(state.Qualified(who.Provider, who.Name)); err != nil {
			return nil, "", err
		}
	}
	name := who.Name
	answering := model.FallingBack(state.Tuned{Generator: g, Table: a.Tuning(), Name: name, Preset: string(p)}, model.FallbackOptions{
		Availability: a.Available.Of(who.Provider), Retry: a.Choices().Retry,
		Chain: func(name string) []model.Link { return a.Chain(who.Provider, name, who.Choice) },
	})
	return counted{answering, t.Turn, who.Provider}, name, nil
}

// counted counts what answers cost.
type counted struct {
	model.Generator
	turn     *Turn
	provider string
}

// Unwrap implements [model.Wrapper].
func (g counted) Unwrap() model.Generator { return g.Generator }

// Stream implements [model.Generator].
func (g counted) Stream(ctx context.Context, req model.Request) iter.Seq2[model.Chunk, error] {
	return func(yield func(model.Chunk, error) bool) {
		name := req.Model
		var u model.Usage // of the attempt that is running
		defer func() { g.turn.models.count(name, u) }()
		for c, err := range g.Generator.Stream(ctx, req) {
			if c.Usage != nil {
				u = *c.Usage
			}
			if c.Retry != nil || c.Fallback != nil { // discarded, and billed
				g.turn.models.count(name, u)
				u = model.Usage{}
			}
			if c.Fallback != nil {
				name = c.Fallback.To
			}
			if e, ok := errors.AsType[*model.Error](err); ok {
				g.turn.Session.Agent.Available.Of(g.provider).Failed(name, e)
			}
			if !yield(c, err) {
				return
			}
		}
	}
}

// count counts what an answer of a model cost, and returns the session's total.
func (t *modelChoice) count(name string, u model.Usage) model.Usage {
	s := t.Session
	u = s.Agent.Cost(name, u)
	s.Mu.Lock()
	defer s.Mu.Unlock()
	s.Details.Usage.Usage = s.Details.Usage.Add(u)
	if u != (model.Usage{}) {
		t.usage = t.usage.Add(u)
		if t.byModel == nil {
			t.byModel = map[string]model.Usage{}
		}
		t.byModel[name] = t.byModel[name].Add(u)
	}
	return s.Details.Usage.Usage
}
