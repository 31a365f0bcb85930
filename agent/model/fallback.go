package model

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"strings"
	"sync"
)

// Fallback tells that another model takes over.
type Fallback struct {
	From, To string
	Err      *Error // why From cannot answer; ResetAt says until when, if known
}

// FallbackOptions tune [FallingBack].
type FallbackOptions struct {
	// Chain returns the models for a request to one, which comes first; nil:
	// none replaces another.
	Chain func(model string) []Link
	// Permit reports whether another model may take over where the first one
	// could answer at another time. It may ask the user; its answer holds for
	// the generator's life. nil: never.
	Permit func(context.Context, Fallback) bool
	// Availability is what is known of the models; nil: nothing, to begin with.
	Availability *Availability
	Retry        RetryOptions
}

// FallingBack returns a generator that asks g as [Retrying] does, and goes to
// another model of the chain when one cannot answer. A model that the key may not
// use is replaced by the next one where the choice is open, and never where the
// user named it. A model whose quota is used up or whose service has no capacity
// is replaced by one of another role, with permission.
//
// A change yields a Chunk with Fallback set, once for each pair of models:
// everything before that chunk is void, and the answer starts again. A model that
// is known not to answer is passed over without a request; where no other may
// take over it is asked all the same.
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
		for all := chain; ; {
			link := chain[0]
			req.Model = link.Model
			failure := f.down(link)
			known := failure != nil
			if !known {
				left, err := f.ask(ctx, req, yield)
				if left || err == nil {
					return
				}
				if !errors.As(err, &failure) || ctx.Err() != nil || !failure.Elsewhere() && !(failure.Gone() && link.Open) {
					yield(Chunk{}, err)
					return
				}
			}
			rest := f.rest(chain, failure)
			change := Fallback{From: link.Model, Err: failure}
			switch {
			case failure.Gone() && len(rest) == 0:
				f.o.Availability.Failed(link.Model, failure)
				yield(Chunk{}, f.noneLeft(all, failure))
				return
			case len(rest) == 0:
				f.giveUp(ctx, req, known, failure, yield)
				return
			}
			change.To = rest[0].Model
			if !failure.Gone() && !f.mayTakeOver(ctx, change) {
				f.giveUp(ctx, req, known, failure, yield)
				return
			}
			if !known {
				f.failed(link, failure)
			}
			if tell := !known || !failure.Gone(); tell && !f.tell(change, yield) {
				return
			}
			chain = rest
		}
	}
}

// noneLeft is the error when the key may use no model of a chain.
func (f *fallingBack) noneLeft(chain []Link, last *Error) *Error {
	e := *last
	e.Kind = Auth
	var names []string
	for _, link := range chain {
		names = append(names, link.Model)
		if gone := f.o.Availability.Down(link.Model); gone == nil || gone.Kind != NoAccess {
			e.Kind = last.Kind
		}
	}
	e.Message = fmt.Sprintf("the key may use none of %s; the last answer: %s", strings.Join(names, ", "), last.Message)
	return &e
}

// giveUp ends the stream with the failure, after asking the model once more
// than was thought worth it when the failure is one from before.
func (f *fallingBack) giveUp(ctx context.Context, req Request, known bool, failure *Error, yield func(Chunk, error) bool) {
	switch {
	case ctx.Err() != nil: // while the user was asked
		yield(Chunk{}, context.Cause(ctx))
		return
	case !known:
		yield(Chunk{}, failure)
		return
	}
	if left, err := f.ask(ctx, req, yield); !left && err != nil {
		yield(Chunk{}, err)
	}
}

// ask asks one model. Its error is why it failed; left reports that the consumer
// has left the loop.
func (f *fallingBack) ask(ctx context.Context, req Request, yield func(Chunk, error) bool) (left bool, err error) {
	for c, err := range Retrying(f.g, f.o.Retry).Stream(ctx, req) {
		if err != nil {
			return false, err
		}
		if !yield(c, nil) {
			return true, nil
		}
	}
	f.o.Availability.Answered(req.Model)
	return false, nil
}

// down returns the failure for which a model is not worth asking in this turn.
// A model that the user named is always worth asking unless it may be replaced.
func (f *fallingBack) down(link Link) *Error {
	f.mu.Lock()
	e := f.spent[link.Model]
	f.mu.Unlock()
	if e == nil {
		e = f.o.Availability.Down(link.Model)
	}
	if e != nil && e.Gone() && !link.Open {
		return nil
	}
	return e
}

// failed notes a failure: for the turn, or for as long as it lasts.
func (f *fallingBack) failed(link Link, e *Error) {
	if !link.Retried || !e.Temporary() {
		f.o.Availability.Failed(link.Model, e)
		return
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	f.spent[link.Model] = e
}

// rest is the chain from the model on that replaces the first one. For one that
// the key may not use, that is the next one that it may. Else it is one of
// another role that may answer; when none may, the last one that lacks no more
// than capacity.
func (f *fallingBack) rest(chain []Link, failure *Error) []Link {
	var lastResort []Link
	for i := 1; i < len(chain); i++ {
		e := f.down(chain[i])
		switch {
		case e != nil && e.Gone():
		case failure.Gone():
			return chain[i:]
		case chain[i].Role == chain[0].Role && chain[i].Role != "":
		case e == nil:
			return chain[i:]
		case e.Temporary():
			lastResort = chain[i:]
		}
	}
	return lastResort
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

// tell yields the change of models, unless it was told before, and reports
// whether the consumer still listens.
func (f *fallingBack) tell(fb Fallback, yield func(Chunk, error) bool) bool {
	pair := [2]string{fb.From, fb.To}
	f.mu.Lock()
	told := f.told[pair]
	f.told[pair] = true
	f.mu.Unlock()
	return told || yield(Chunk{Fallback: &fb}, nil)
}
