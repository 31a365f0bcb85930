package model

import (
	"context"
	"iter"
	"slices"
)

// A Layer adds something to a generator: it may change its requests, and the chunks of the
// answers.
type Layer interface {
	// Begin is called before a request is sent, and may change it. It returns what watches the
	// answer; nil: nothing does. After an error nothing is sent, and the error is the answer.
	Begin(ctx context.Context, req *Request) (Watch, error)
}

// A Watch sees one answer, on the goroutine that reads it.
type Watch interface {
	// Chunk gets each chunk, or the error that ends the answer, and returns what goes on to
	// the reader.
	Chunk(c Chunk, err error) (Chunk, error)
}

// An Opener is a watch that adds chunks before the answer.
type Opener interface {
	// Opening returns them. It is called once, before the request is sent.
	Opening() []Chunk
}

// An Ender is a watch that has something to do when the answer has ended.
type Ender interface {
	// End is called once. left reports that the reader has left the answer. Otherwise an
	// error goes to the reader.
	End(left bool) error
}

// With returns a generator with layers over g, the outermost first: it gets the request
// first and the chunks last. All layers of a generator, however they came over it, run in
// one loop.
func With(g Generator, layers ...Layer) Generator {
	if inner, ok := g.(*layered); ok {
		return &layered{inner.g, append(slices.Clip(layers), inner.layers...)}
	}
	return &layered{g, layers}
}

type layered struct {
	g      Generator
	layers []Layer // the outermost first
}

// Unwrap implements [Wrapper].
func (l *layered) Unwrap() Generator { return l.g }

// Stream implements [Generator].
func (l *layered) Stream(ctx context.Context, req Request) iter.Seq2[Chunk, error] {
	return func(yield func(Chunk, error) bool) {
		var all watches
		left := true // also after a panic
		defer func() { all.end(left, yield) }()
		for _, layer := range l.layers {
			w, err := layer.Begin(ctx, &req)
			if err != nil {
				left = !yield(all.chunk(Chunk{}, err))
				return
			}
			if o, ok := w.(Opener); ok {
				for _, c := range o.Opening() {
					if !yield(all.chunk(c, nil)) {
						return
					}
				}
			}
			if w != nil {
				all = append(all, w)
			}
		}
		for c, err := range l.g.Stream(ctx, req) {
			if c, err = all.chunk(c, err); !yield(c, err) {
				return
			}
		}
		left = false
	}
}

// watches see one answer, the innermost, which is the last, first.
type watches []Watch

func (all watches) chunk(c Chunk, err error) (Chunk, error) {
	for _, w := range slices.Backward(all) {
		c, err = w.Chunk(c, err)
	}
	return c, err
}

// end ends all of them. Unless the reader has left, it gets their errors.
func (all watches) end(left bool, yield func(Chunk, error) bool) {
	for i, w := range slices.Backward(all) {
		e, ok := w.(Ender)
		if !ok {
			continue
		}
		if err := e.End(left); err != nil && !left {
			left = !yield(all[:i].chunk(Chunk{}, err))
		}
	}
}

// A Wrapper is a generator that adds something to another one.
type Wrapper interface {
	// Unwrap returns the other one.
	Unwrap() Generator
}

// As finds the first generator or layer that implements T in a chain of wrappers, such as a
// [Lister]. It reports false if there is none.
func As[T any](g Generator) (T, bool) {
	for g != nil {
		if t, ok := g.(T); ok {
			return t, true
		}
		if l, ok := g.(*layered); ok {
			for _, layer := range l.layers {
				if t, ok := layer.(T); ok {
					return t, true
				}
			}
		}
		w, ok := g.(Wrapper)
		if !ok {
			break
		}
		g = w.Unwrap()
	}
	var none T
	return none, false
}
