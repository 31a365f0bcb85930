package state

import (
	"context"
	"iter"
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

// observed is a generator whose requests the observer is told of.
type observed struct {
	model.Generator
	process  *Process
	provider string
}

// Unwrap implements [model.Wrapper].
func (g observed) Unwrap() model.Generator { return g.Generator }

// Stream implements [model.Generator].
func (g observed) Stream(ctx context.Context, req model.Request) iter.Seq2[model.Chunk, error] {
	o, at := g.process.Options.Observer, placeOf(ctx)
	if o == nil {
		return g.Generator.Stream(ctx, req)
	}
	return func(yield func(model.Chunk, error) bool) {
		now := g.process.Options.Now
		a := Attempt{Provider: g.provider, Model: req.Model, Began: now()}
		defer func() {
			a.Ended = now()
			o.Attempt(at.session, at.turn, a)
		}()
		for c, err := range g.Generator.Stream(ctx, req) {
			a.Err = err
			if err == nil && a.First.IsZero() {
				a.First = now()
			}
			if c.Finish != "" {
				a.Finish = c.Finish
			}
			if c.Usage != nil {
				a.Usage = *c.Usage
			}
			if !yield(c, err) {
				return
			}
		}
	}
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
