package state

import (
	"context"
	"errors"
	"sync"

	"github.com/emendo-dev/emendo/agent/model"
	"github.com/emendo-dev/emendo/agent/tokens"
)

// leastLimit is the smallest context limit that is guessed, in tokens. With less than
// that no conversation is possible.
const leastLimit = 4096

// limits remembers how many tokens models take, as far as their refusals tell. It is
// safe for concurrent use. The zero value knows nothing.
type limits struct {
	mu     sync.Mutex
	learnt map[string]learntLimit // by provider and model
}

// learntLimit is a limit that a refusal taught.
type learntLimit struct {
	tokens  int64
	guessed bool  // the refusal did not say it
	known   int64 // what was known of the model then; another value replaces this one
}

// of returns the limit of a model of which known is known otherwise, and whether it is a
// guess.
func (l *limits) of(name string, known int64) (limit int64, guessed bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if got, ok := l.learnt[name]; ok && got.known == known {
		return got.tokens, got.guessed
	}
	return known, false
}

// refused learns from a request of about size tokens that a model refused as too long.
// A refusal that names no limit halves what is assumed.
func (l *limits) refused(name string, e *model.Error, size, known int64) {
	before, _ := l.of(name, known)
	got := learntLimit{tokens: e.Limit, known: known}
	if e.Limit <= 0 {
		if e.Counted > 0 {
			size = e.Counted
		}
		got.tokens, got.guessed = min(before, size)/2, true
	}
	if got.tokens >= before || got.guessed && got.tokens < leastLimit {
		return
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.learnt == nil {
		l.learnt = map[string]learntLimit{}
	}
	l.learnt[name] = got
}

// took notes that a model took a request of that many tokens: a lower guess was wrong.
func (l *limits) took(name string, input int64) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if got, ok := l.learnt[name]; ok && got.guessed && input > got.tokens {
		got.tokens = input
		l.learnt[name] = got
	}
}

// limited is a layer in which the refusals of models teach their limits.
type limited struct {
	process  *Process
	g        model.Generator // below it
	provider string
}

// Begin implements [model.Layer].
func (g limited) Begin(_ context.Context, req *model.Request) (model.Watch, error) {
	return limitWatch{g, *req}, nil
}

type limitWatch struct {
	limited limited
	req     model.Request
}

// Chunk implements [model.Watch].
func (w limitWatch) Chunk(c model.Chunk, err error) (model.Chunk, error) {
	g, name := w.limited, Qualified(w.limited.provider, w.req.Model)
	if e, ok := errors.AsType[*model.Error](err); ok && e.Kind == model.Overflow {
		g.process.limits.refused(name, e, tokens.Request(w.req), g.process.knownLimit(g.g, w.req.Model))
	}
	if c.Usage != nil {
		g.process.limits.took(name, c.Usage.Input)
	}
	return c, err
}

// ContextLimit returns the context limit of the model behind g, in tokens, and whether
// that is a guess: a model may then take more.
func (a *Process) ContextLimit(g model.Generator, name string) (limit int64, guessed bool) {
	known := a.knownLimit(g, name)
	if l, ok := model.As[limited](g); ok {
		return a.limits.of(Qualified(l.provider, name), known)
	}
	return known, false
}

// knownLimit returns what the model's server or the catalogue says.
func (a *Process) knownLimit(g model.Generator, name string) int64 {
	if a.Options.ContextLimit != nil {
		return a.Options.ContextLimit(name)
	}
	if l, ok := model.As[model.Limiter](g); ok {
		if n, ok := l.ContextLimit(name); ok {
			return n
		}
	}
	return a.Choices().Catalogue.ContextLimit(name)
}
