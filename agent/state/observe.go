package state

import (
	"context"
	"errors"
	"time"

	"github.com/emendo-dev/emendo/agent/model"
	"github.com/emendo-dev/emendo/agent/transcript"
)

// An Observer measures sessions. Its methods return at once and change nothing; they are
// called on several goroutines.
type Observer interface {
	// Event is called for each event of a turn once it is recorded, in order.
	Event(sessionID, turnID string, at time.Time, e transcript.Event)
	// Attempt is called for each request to a provider when it has ended, retried ones
	// and those for summaries and subagents included.
	Attempt(sessionID, turnID string, a Attempt)
}

// Attempt is one request to a provider, and how it ended.
type Attempt struct {
	Provider string // empty: Google
	Model    string // the provider's name of it
	Began    time.Time
	First    time.Time // when the first chunk of the answer arrived; zero: none did
	Ended    time.Time
	Finish   model.Finish // empty if the answer is not complete
	Usage    model.Usage  // zero if the provider sent none
	Err      error        // nil: the answer is complete, or its reader left
}

// observed is a layer whose requests the observer is told of, and in which the refusals of
// models teach their limits.
type observed struct {
	process  *Process
	g        model.Generator // below it
	provider string
}

// Begin implements [model.Layer].
func (g observed) Begin(ctx context.Context, req *model.Request) (model.Watch, error) {
	at, _ := ctx.Value(placeKey{}).(place)
	return &attempt{observed: g, at: at, req: *req, seen: Attempt{Provider: g.provider, Model: req.Model, Began: g.process.Options.Now()}}, nil
}

// attempt is a request that runs.
type attempt struct {
	observed observed
	at       place
	req      model.Request
	seen     Attempt
}

// Chunk implements [model.Watch].
func (a *attempt) Chunk(c model.Chunk, err error) (model.Chunk, error) {
	process, name := a.observed.process, Qualified(a.observed.provider, a.req.Model)
	a.seen.Err = err
	if err == nil && a.seen.First.IsZero() {
		a.seen.First = process.Options.Now()
	}
	if c.Finish != "" {
		a.seen.Finish = c.Finish
	}
	if c.Usage != nil {
		a.seen.Usage = *c.Usage
		process.limits.noteAccepted(name, c.Usage.Input)
	}
	if e, ok := errors.AsType[*model.Error](err); ok && e.Kind == model.Overflow {
		process.limits.refused(name, e, model.RequestTokens(a.req), process.knownLimit(a.observed.g, a.req.Model))
	}
	return c, err
}

// End implements [model.Ender].
func (a *attempt) End(bool) error {
	o := a.observed.process.Options
	if a.seen.Ended = o.Now(); o.Observer != nil {
		o.Observer.Attempt(a.at.session, a.at.turn, a.seen)
	}
	return nil
}

// place is the turn that a context belongs to.
type place struct{ session, turn string }

type placeKey struct{}

// In returns the context of a turn, by which an observer knows whose requests they are.
func In(ctx context.Context, sessionID, turnID string) context.Context {
	return context.WithValue(ctx, placeKey{}, place{sessionID, turnID})
}
