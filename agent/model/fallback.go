package model

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"strings"
	"sync"
)

// Fallback describes a change to another model.
type Fallback struct {
	From, To string
	Err      *Error // why From cannot answer
}

// FallbackOptions tune [FallingBack].
type FallbackOptions struct {
	// Chain returns the models that may answer a request to model, which comes
	// first. nil: models are not replaced.
	Chain func(model string) []Link
	// Permit reports whether another model may take over from one that can answer
	// again later. It may ask the user; its answer is kept for the generator's
	// life. nil: never.
	Permit func(context.Context, Fallback) bool
	// Availability holds known outages; nil: none are known.
	Availability *Availability
	Retry        RetryOptions
}

// FallingBack returns a generator that repeats requests to g, and moves on to another model
// of the chain when one cannot answer.
//
// A request is repeated that fails with a temporary error, before or during the stream, or
// whose answer is complete and useless. Before it waits it yields a Chunk with Retry set.
// Everything before that chunk is void, including a Finish, and the answer starts again.
// After an empty answer the next request tells the model so. What the model has answered and
// would answer again is asked for once more only.
//
// A delay that the provider asks for is respected, up to five minutes, plus a little jitter.
// Otherwise delays double from one second to thirty, give or take a third, so that the
// default attempts outlast an overload of ten seconds. Cancelling ctx ends a wait at once. A
// model that its server is loading is waited for, up to [LongestLoad], and that is no
// attempt; its first wait yields a chunk with Retry set.
//
// Calls are yielded as they arrive. That is safe for a consumer that acts on calls after the
// stream has ended, because a stream that ended well is never repeated: an answer with a call
// is useful.
//
// A model that the key may not use is replaced by the next one if the choice is open, and
// never if the user named it. A model whose quota is used up or whose service has no capacity
// is replaced by one of another role, with permission.
//
// A change yields a Chunk with Fallback set, once for each pair of models.
// Everything before that chunk is void, and the answer starts again. A model that
// is known to be down is skipped without a request, unless no other may take over.
//
// The generator is for one turn, so that each turn begins with the model that the
// user chose. Its streams may run concurrently.
func FallingBack(g Generator, o FallbackOptions) Generator {
	if o.Availability == nil {
		o.Availability = NewAvailability(nil)
	}
	return &fallingBack{g: g, o: o, spent: map[string]*Error{}, permitted: map[[2]string]bool{}, announced: map[[2]string]bool{}}
}

type fallingBack struct {
	g Generator
	o FallbackOptions

	mu        sync.Mutex
	spent     map[string]*Error // models that failed for the rest of the turn
	permitted map[[2]string]bool
	announced map[[2]string]bool
}

// Unwrap implements [Wrapper].
func (f *fallingBack) Unwrap() Generator { return f.g }

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
			failure := f.knownFailure(link)
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
			rest := f.replacements(chain, failure)
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
			if visible := !known || !failure.Gone(); visible && !f.announce(change, yield) {
				return
			}
			chain = rest
		}
	}
}

// noneLeft returns the error for a chain of which the key may use no model.
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
	e.Message = fmt.Sprintf("the key has access to none of %s; last error: %s", strings.Join(names, ", "), last.Message)
	return &e
}

// giveUp ends the stream with the failure. If that is an earlier one, it asks the
// model after all.
func (f *fallingBack) giveUp(ctx context.Context, req Request, known bool, failure *Error, yield func(Chunk, error) bool) {
	switch {
	case ctx.Err() != nil: // while asking the user
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

// ask asks one model, as often as its failures allow. Its error is nil if the answer is
// complete and useful. left reports whether the consumer left the loop.
func (f *fallingBack) ask(ctx context.Context, req Request, yield func(Chunk, error) bool) (left bool, err error) {
	for tries := newAttempts(f.o.Retry, req); ; {
		tries.begin()
		var a answer
		err = nil
		for c, failure := range f.g.Stream(ctx, req) {
			if err = failure; err == nil {
				err = a.add(&c)
			}
			if err != nil {
				break
			}
			if !yield(c, nil) {
				return true, nil
			}
		}
		if err == nil {
			e := a.useless(req)
			if e == nil {
				f.o.Availability.Answered(req.Model)
				return false, nil
			}
			err = e
		}
		if ctx.Err() != nil {
			return false, err
		}
		next, again := tries.after(err, &req)
		if !again {
			return false, err
		}
		if next.isShown() && !yield(Chunk{Retry: &next}, nil) {
			return true, nil
		}
		if !Wait(ctx, next.Delay) {
			return false, context.Cause(ctx)
		}
	}
}

// knownFailure returns the failure that makes a model not worth asking in this turn, or
// nil. A model that the user named is always worth asking unless it may be
// replaced.
func (f *fallingBack) knownFailure(link Link) *Error {
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

// failed notes a failure for the turn, or for as long as it lasts.
func (f *fallingBack) failed(link Link, e *Error) {
	if !link.Retried || !e.Temporary() {
		f.o.Availability.Failed(link.Model, e)
		return
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	f.spent[link.Model] = e
}

// replacements returns the chain from the model that replaces the first one. If the key
// may not use the first one, that is the next one it may use. Otherwise it is a
// model of another role that may answer or, if there is none, the last one whose
// failure is temporary.
func (f *fallingBack) replacements(chain []Link, failure *Error) []Link {
	var lastResort []Link
	for i := 1; i < len(chain); i++ {
		e := f.knownFailure(chain[i])
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

// announce yields the change of models, unless it did before, and reports whether
// the consumer wants more.
func (f *fallingBack) announce(fb Fallback, yield func(Chunk, error) bool) bool {
	pair := [2]string{fb.From, fb.To}
	f.mu.Lock()
	done := f.announced[pair]
	f.announced[pair] = true
	f.mu.Unlock()
	return done || yield(Chunk{Fallback: &fb}, nil)
}

// Link is one model in a chain of models that may replace each other.
type Link struct {
	Model string // the provider's name
	Role  string // what the model is used for; models of one role are equivalent

	// Open means that the user left the choice to emendo. When the key may not use
	// this model, the next link takes over without asking.
	Open bool

	// Retried limits a failure of the model to the current turn, unless the failure
	// is known to last.
	Retried bool
}
