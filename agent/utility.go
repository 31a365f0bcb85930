package agent

import (
	"context"
	"iter"

	"github.com/emendo-dev/emendo/agent/model"
)

// utility gives what answers a request that is no step of a turn: the
// generator, and the name of the model to put into the request. It is the one
// place that says so. The generator tunes requests as their purpose wants it,
// repeats what fails for a while, never goes to another model, and counts what
// it costs as the session's and its running turn's: callers do not.
func (s *Session) utility(p model.Purpose) (model.Generator, string, error) {
	g, name, err := s.agent.choices().Generator(s.Info().Model)
	if err != nil {
		return nil, "", err
	}
	return counted{model.Retrying(g, s.agent.choices().Retry), s}, name, nil
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
		defer func() { g.session.spent(u) }()
		for c, err := range g.Generator.Stream(ctx, req) {
			if c.Usage != nil {
				u = *c.Usage
			}
			if !yield(c, err) {
				return
			}
		}
	}
}

// spent counts what an answer cost, and gives the sum for the session.
func (s *Session) spent(u model.Usage) model.Usage {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.info.Usage.Usage = s.info.Usage.Add(u)
	if t := s.running; t != nil {
		t.usage = t.usage.Add(u)
	}
	return s.info.Usage.Usage
}
