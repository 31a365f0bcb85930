package turn

import (
	"cmp"
	"context"
	"errors"
	"maps"

	"github.com/emendo-dev/emendo/agent/model"
	"github.com/emendo-dev/emendo/agent/model/catalogue"
	"github.com/emendo-dev/emendo/agent/state"
	"github.com/emendo-dev/emendo/agent/transcript"
)

// Utility returns the generator for an auxiliary request, and the name of the model for
// the request. It uses the preset of the purpose; if there is no preset, if its provider
// is another one, or if its model is unavailable, the model that answers in the session.
// The generator tunes requests for their purpose, retries, and adds their cost to that of
// the session and its turn, so callers must not. A model that the key may not use is
// replaced by the next one of its role.
func (c *models) Utility(p model.Purpose) (model.Generator, string, error) {
	s := c.conv.Session
	a := s.Agent
	own, err := a.ResolveModel(s.Info().Model)
	if err != nil {
		return nil, "", err
	}
	own.Name = cmp.Or(c.Name(), own.Name)
	v, err := a.Tuning().Look(catalogue.Query{Name: string(p)})
	if err != nil {
		return nil, "", err
	}
	who, g := own, own.Plain
	if other, ok := a.Helper(own.Provider, v.Model); ok && v.Model != string(p) {
		who = other
		if g, who.Name, err = a.Choices().Generator(state.Qualified(who.Provider, who.Name)); err != nil {
			return nil, "", err
		}
	}
	name := who.Name
	answering := model.FallingBack(model.With(g, state.Tuned{Table: a.Tuning(), Name: name, Preset: string(p)}), model.FallbackOptions{
		Availability: a.Available.Of(who.Provider), Retry: a.Retry(),
		Chain: func(name string) []model.Link { return a.Chain(who.Provider, name, who.Choice) },
	})
	return c.Counting(answering, who.Provider), name, nil
}

// Counting returns a generator that counts what answers of g, which is a provider's,
// cost.
func (c *models) Counting(g model.Generator, provider string) model.Generator {
	return model.With(g, counted{c, provider})
}

// counted is a layer that counts what answers cost.
type counted struct {
	choice   *models
	provider string
}

// Begin implements [model.Layer].
func (g counted) Begin(_ context.Context, req *model.Request) (model.Watch, error) {
	if g.choice.Spent() != "" {
		return nil, state.ErrBudget
	}
	return &costs{counted: g, name: req.Model}, nil
}

// costs counts what one answer costs.
type costs struct {
	counted counted
	name    string      // of the model that answers
	used    model.Usage // by the attempt that is running
}

// Chunk implements [model.Watch].
func (w *costs) Chunk(c model.Chunk, err error) (model.Chunk, error) {
	choice := w.counted.choice
	if c.Usage != nil {
		w.used = *c.Usage
	}
	if c.Retry != nil || c.Fallback != nil { // discarded, and billed
		choice.Count(w.name, w.used)
		w.used = model.Usage{}
	}
	if c.Fallback != nil {
		w.name = c.Fallback.To
	}
	if e, ok := errors.AsType[*model.Error](err); ok {
		choice.conv.Session.Agent.Available.Of(w.counted.provider).Failed(w.name, e)
	}
	return c, err
}

// End implements [model.Ender].
func (w *costs) End(bool) error {
	w.counted.choice.Count(w.name, w.used)
	return nil
}

// Count counts what an answer of a model cost, and returns the session's total.
func (c *models) Count(name string, u model.Usage) model.Usage {
	s := c.conv.Session
	u = s.Agent.Choices().Catalogue.Cost(name, u)
	var total model.Usage
	s.Record.SetInfo(func(i *transcript.SessionInfo) {
		i.Usage.Usage = i.Usage.Add(u)
		total = i.Usage.Usage
	})
	c.mu.Lock()
	defer c.mu.Unlock()
	if u != (model.Usage{}) {
		c.usage = c.usage.Add(u)
		c.byModel[name] = c.byModel[name].Add(u)
	}
	return total
}

// Spent describes how the turn's budget is used up; empty: it is not.
func (c *models) Spent() string {
	used, _ := c.Usage()
	return c.Budget.Spent(used)
}

// Usage returns what the answers of the turn cost, in all and by model.
func (c *models) Usage() (model.Usage, map[string]model.Usage) {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.usage, maps.Clone(c.byModel)
}
