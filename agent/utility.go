package agent

import (
	"context"
	"errors"
	"iter"

	"github.com/emendo-dev/emendo/agent/model"
	"github.com/emendo-dev/emendo/agent/tuning"
)

// utility gives what answers a request that is no step of a turn: the
// generator, and the name of the model to put into the request. It is the one
// place that says so: the preset of that purpose, and where there is none, or
// the provider is another one, the model that answers in the session. The
// generator tunes requests as their purpose wants it, repeats what fails for a
// while, and counts what answers cost as the session's and its running turn's:
// callers do not. A model for small questions that cannot answer leaves the
// next one to the session's.
func (s *Session) utility(p model.Purpose) (model.Generator, string, error) {
	a := s.agent
	provider, _ := split(s.Info().Model)
	own, err := a.answering(s.Info().Model)
	if err != nil {
		return nil, "", err
	}
	s.mu.Lock()
	if t := s.running; t != nil && t.model != "" {
		own.name = t.model
	}
	s.mu.Unlock()
	v, err := a.tuning().Look(tuning.Query{Name: string(p)})
	if err != nil {
		return nil, "", err
	}
	g, name := own.gen.(tuned).Generator, own.name
	if v.Model != string(p) && ofGoogle(provider) && a.available.Down(v.Model) == nil {
		if g, name, err = a.choices().Generator(qualified(provider, model.Spelled(v.Model))); err != nil {
			return nil, "", err
		}
	}
	return counted{model.Retrying(tuned{g, a.tuning(), name, string(p), false}, a.choices().Retry), s}, name, nil
}

// counted counts what answers cost.
type counted struct {
	model.Generator
	session *Session
}

// Stream implements [model.Generator].
func (g counted) Stream(ctx context.Context, req model.Request) iter.Seq2[model.Chunk, error] {
	return func(yield func(model.Chunk, error) bool) {
		var u model.Usage
		defer func() { g.session.spent(req.Model, u) }()
		for c, err := range g.Generator.Stream(ctx, req) {
			if c.Usage != nil {
				u = *c.Usage
			}
			if e, ok := errors.AsType[*model.Error](err); ok {
				g.session.agent.available.Failed(req.Model, e)
			}
			if !yield(c, err) {
				return
			}
		}
	}
}

// spent counts what an answer of a model cost, and gives the sum for the
// session.
func (s *Session) spent(name string, u model.Usage) model.Usage {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.info.Usage.Usage = s.info.Usage.Add(u)
	if t := s.running; t != nil && u != (model.Usage{}) {
		t.usage = t.usage.Add(u)
		if t.byModel == nil {
			t.byModel = map[string]model.Usage{}
		}
		t.byModel[name] = t.byModel[name].Add(u)
	}
	return s.info.Usage.Usage
}
