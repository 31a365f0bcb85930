package model

import (
	"context"
	"errors"
	"iter"
	"sync"
)

// Fallback tells that another model takes over.
type Fallback struct {
	From, To string
	Err      *Error // why From cannot answer; ResetAt says until when, if known
}

// FallbackOptions tune [FallingBack].
type FallbackOptions struct {
	// Chain gives the models for a request to one, which comes first; nil:
	// none stands in for another. [Chain] is one for Gemini.
	Chain func(model string) []Link
	// Permit says whether another model may take over. It may ask the user;
	// its answer holds for the generator's life. nil: never.
	Permit func(context.Context, Fallback) bool
	// Availability is what is known of the models; nil: nothing, to begin with.
	Availability *Availability
	Retry        RetryOptions // for links that do not say how often
}

// FallingBack gives a generator that asks g as [Retrying] does, and goes to the
// next model of the chain when one cannot answer and it is permitted. Then it
// yields a Chunk with Fallback set, once for each pair of models: everything
// before that chunk is void, and the answer starts anew. A model that is known
// not to answer is passed over without a request; where no other may take over
// it is asked all the same.
//
// It lasts for one turn, so that each turn begins with the model that the user
// chose. Its streams may run side by side.
func FallingBack(g Generator, o FallbackOptions) Generator {
	if o.Availability == nil {
		o.Availability = NewAvailability(nil)
	}
	return &fallingBack{g: g, o: o, spent: map[string]*Error{}, permitted: map[[2]string]bool{}, told: map[[2]string]bool{}}
}

type fallingBack struct {
	g Generator
	o FallbackOptions

	mu        sync.Mutex
	spent     map[string]*Error // models that failed for the rest of the turn
	permitted map[[2]string]bool
	told      map[[2]string]bool
}

// Stream implements [Generator].
func (f *fallingBack) Stream(ctx context.Context, req Request) iter.Seq2[Chunk, error] {
	return func(yield func(Chunk, error) bool) {
		chain := []Link{{Model: req.Model}}
		if f.o.Chain != nil {
			chain = f.o.Chain(req.Model)
		}
		for len(chain) > 0 {
			link := chain[0]
			req.Model = link.Model
			failure := f.down(link.Model)
			known := failure != nil
			if !known {
				left, err := f.ask(ctx, req, link, yield)
				if left || err == nil {
					return
				}
				if !errors.As(err, &failure) || ctx.Err() != nil || !failure.Elsewhere() {
					yield(Chunk{}, err)
					return
				}
			}
			rest := f.rest(chain)
			if len(rest) == 0 || !f.mayTakeOver(ctx, Fallback{link.Model, rest[0].Model, failure}) {
				f.giveUp(ctx, req, link, known, failure, yield)
				return
			}
			if !known {
				f.failed(link, failure)
			}
			if !f.tell(Fallback{link.Model, rest[0].Model, failure}, yield) {
				return
			}
			chain = rest
		}
	}
}

// giveUp ends the stream with the failure, after asking the model once more
// than was thought worth it when the failure is one from before.
func (f *fallingBack) giveUp(ctx context.Context, req Request, link Link, known bool, failure *Error, yield func(Chunk, error) bool) {
	switch {
	case ctx.Err() != nil: // while the user was asked
		yield(Chunk{}, context.Cause(ctx))
		return
	case !known:
		yield(Chunk{}, failure)
		return
	}
	if left, err := f.ask(ctx, req, link, yield); !left && err != nil {
		yield(Chunk{}, err)
	}
}

// ask asks one model, as often as its link says. Its error is why it failed;
// left says that the consumer has left the loop.
func (f *fallingBack) ask(ctx context.Context, req Request, link Link, yield func(Chunk, error) bool) (left bool, err error) {
	retry := f.o.Retry
	if link.Attempts > 0 {
		retry.Attempts = link.Attempts
	}
	for c, err := range Retrying(f.g, retry).Stream(ctx, req) {
		if err != nil {
			return false, err
		}
		if !yield(c, nil) {
			return true, nil
		}
	}
	f.o.Availability.Answered(link.Model)
	return false, nil
}

// down gives the failure for which a model is not worth asking in this turn.
func (f *fallingBack) down(model string) *Error {
	f.mu.Lock()
	defer f.mu.Unlock()
	if e := f.spent[model]; e != nil {
		return e
	}
	return f.o.Availability.Down(model)
}

// failed notes a failure: for the turn, or for as long as it lasts.
func (f *fallingBack) failed(link Link, e *Error) {
	if !link.Anew || !e.Temporary() {
		f.o.Availability.Failed(link.Model, e)
		return
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	f.spent[link.Model] = e
}

// rest is the chain from the next model on that may answer. When none may, the
// last one is a last resort, if what it lacks is only room.
func (f *fallingBack) rest(chain []Link) []Link {
	for i := 1; i < len(chain); i++ {
		e := f.down(chain[i].Model)
		if e == nil || i == len(chain)-1 && e.Temporary() {
			return chain[i:]
		}
	}
	return nil
}

// mayTakeOver asks once for each pair of models.
func (f *fallingBack) mayTakeOver(ctx context.Context, fb Fallback) bool {
	if f.o.Permit == nil {
		return false
	}
	pair := [2]string{fb.From, fb.To}
	f.mu.Lock()
	answer, asked := f.permitted[pair]
	f.mu.Unlock()
	if asked {
		return answer
	}
	answer = f.o.Permit(ctx, fb)
	f.mu.Lock()
	defer f.mu.Unlock()
	f.permitted[pair] = answer
	return answer
}

// tell yields the change of models, unless it was told before, and says whether
// the consumer still listens.
func (f *fallingBack) tell(fb Fallback, yield func(Chunk, error) bool) bool {
	pair := [2]string{fb.From, fb.To}
	f.mu.Lock()
	told := f.told[pair]
	f.told[pair] = true
	f.mu.Unlock()
	return told || yield(Chunk{Fallback: &fb}, nil)
}
