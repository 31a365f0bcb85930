package turnmodel

import (
	"cmp"
	"context"
	"errors"
	"iter"
	"maps"

	"github.com/emendo-dev/emendo/agent/model"
	"github.com/emendo-dev/emendo/agent/state"
	"github.com/emendo-dev/emendo/agent/tuning"
)

// Utility returns the generator for an auxiliary request, and the name of the model for
// the request. It uses the preset of the purpose; if there is no preset, if its provider
// is another one, or if its model is unavailable, the model that answers in the session.
// The generator tunes requests for their purpose, retries, and adds their cost to that of
// the session and its turn, so callers must not. A model that the key may not use is
// replaced by the next one of its role.
func (c *Choice) Utility(p model.Purpose) (model.Generator, string, error) {
	s := c.Session
	a := s.Agent
	own, err := a.ResolveModel(s.Info().Model)
	if err != nil {
		return nil, "", err
	}
	s.Mu.Lock()
	own.Name = cmp.Or(c.name, own.Name)
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
		Availability: a.Available.Of(who.Provider), Retry: a.Retry(),
		Chain: func(name string) []model.Link { return a.Chain(who.Provider, name, who.Choice) },
	})
	return c.Counting(answering, who.Provider), name, nil
}

// Counting returns a generator that counts what answers of g, which is a provider's,
// cost.
func (c *Choice) Counting(g model.Generator, provider string) model.Generator {
	return counted{g, c, provider}
}

// counted counts what answers cost.
type counted struct {
	model.Generator
	choice   *Choice
	provider string
}

// Unwrap implements [model.Wrapper].
func (g counted) Unwrap() model.Generator { return g.Generator }

// Stream implements [model.Generator].
func (g counted) Stream(ctx context.Context, req model.Request) iter.Seq2[model.Chunk, error] {
	return func(yield func(model.Chunk, error) bool) {
		if g.choice.Spent() != "" {
			yield(model.Chunk{}, state.ErrBudget)
			return
		}
		name := req.Model
		var u model.Usage // of the attempt that is running
		defer func() { g.choice.Count(name, u) }()
		for c, err := range g.Generator.Stream(ctx, req) {
			if c.Usage != nil {
				u = *c.Usage
			}
			if c.Retry != nil || c.Fallback != nil { // discarded, and billed
				g.choice.Count(name, u)
				u = model.Usage{}
			}
			if c.Fallback != nil {
				name = c.Fallback.To
			}
			if e, ok := errors.AsType[*model.Error](err); ok {
				g.choice.Session.Agent.Available.Of(g.provider).Failed(name, e)
			}
			if !yield(c, err) {
				return
			}
		}
	}
}

// Count counts what an answer of a model cost, and returns the session's total.
func (c *Choice) Count(name string, u model.Usage) model.Usage {
	s := c.Session
	u = s.Agent.Cost(name, u)
	s.Mu.Lock()
	defer s.Mu.Unlock()
	s.Details.Usage.Usage = s.Details.Usage.Add(u)
	if u != (model.Usage{}) {
		c.usage = c.usage.Add(u)
		if c.byModel == nil {
			c.byModel = map[string]model.Usage{}
		}
		c.byModel[name] = c.byModel[name].Add(u)
	}
	return s.Details.Usage.Usage
}

// Spent describes how the turn's budget is used up; empty: it is not.
func (c *Choice) Spent() string {
	used, _ := c.Usage()
	return c.Budget.Spent(used)
}

// Usage returns what the answers of the turn cost, in all and by model.
func (c *Choice) Usage() (model.Usage, map[string]model.Usage) {
	c.Session.Mu.Lock()
	defer c.Session.Mu.Unlock()
	return c.usage, maps.Clone(c.byModel)
}
