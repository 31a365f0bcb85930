package state

import (
	"context"
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

// observed is a layer whose requests the observer is told of.
type observed struct {
	process  *Process
	provider string
}

// Begin implements [model.Layer].
func (g observed) Begin(ctx context.Context, req *model.Request) (model.Watch, error) {
	if g.process.Options.Observer == nil {
		return nil, nil
	}
	return &attempt{process: g.process, at: placeOf(ctx), seen: Attempt{Provider: g.provider, Model: req.Model, Began: g.process.Options.Now()}}, nil
}

// attempt is a request that runs.
type attempt struct {
	process *Process
	at      place
	seen    Attempt
}

// Chunk implements [model.Watch].
func (a *attempt) Chunk(c model.Chunk, err error) (model.Chunk, error) {
	a.seen.Err = err
	if err == nil && a.seen.First.IsZero() {
		a.seen.First = a.process.Options.Now()
	}
	if c.Finish != "" {
		a.seen.Finish = c.Finish
	}
	if c.Usage != nil {
		a.seen.Usage = *c.Usage
	}
	return c, err
}

// End implements [model.Ender].
func (a *attempt) End(bool) error {
	a.seen.Ended = a.process.Options.Now()
	a.process.Options.Observer.Attempt(a.at.session, a.at.turn, a.seen)
	return nil
}

// place is the turn that a context belongs to.
type place struct{ session, turn string }

type placeKey struct{}

// In returns the context of a turn, by which an observer knows whose requests they are.
func In(ctx context.Context, sessionID, turnID string) context.Context {
	return context.WithValue(ctx, placeKey{}, place{sessionID, turnID})
}

func placeOf(ctx context.Context) place {
	p, _ := ctx.Value(placeKey{}).(place)
	return p
}
