package state

import (
	"sync"

	"github.com/emendo-dev/emendo/agent/model"
)

// leastLimit is the smallest context limit that is guessed, in tokens. With less than
// that no conversation is possible.
const leastLimit = 4096

// limits remembers how many tokens models take, as far as their refusals tell. It is
// safe for concurrent use.
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
	l.learnt[name] = got
}

// noteAccepted notes that a model took a request of that many tokens: a lower guess was wrong.
func (l *limits) noteAccepted(name string, input int64) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if got, ok := l.learnt[name]; ok && got.guessed && input > got.tokens {
		got.tokens = input
		l.learnt[name] = got
	}
}

// ContextLimit returns the context limit of the model behind g, in tokens, and whether
// that is a guess: a model may then take more.
func (a *Process) ContextLimit(g model.Generator, name string) (limit int64, guessed bool) {
	known := a.knownLimit(g, name)
	if l, ok := model.As[observed](g); ok {
		return a.limits.of(Qualified(l.provider, name), known)
	}
	return known, false
}

// knownLimit returns what the model's server or the catalogue says.
func (a *Process) knownLimit(g model.Generator, name string) int64 {
	if a.Options.ContextLimit != nil {
		return a.Options.ContextLimit(name)
	}
	if i, ok := model.As[model.Informed](g); ok && i.Known(name).InputTokens > 0 {
		return i.Known(name).InputTokens
	}
	return a.Choices().Catalogue.ContextLimit(name)
}
