package model

import (
	"context"
	"errors"
	"iter"
	"time"
)

// How long a server may take to load a model, and how often it is asked meanwhile.
const (
	LongestLoad  = 10 * time.Minute
	firstLook    = time.Second
	longestLook  = 5 * time.Second
	lookSlowdown = 2 // of the time between two requests
)

// awaiting waits for models that a server is loading. Its first wait yields a chunk with
// Retry set.
type awaiting struct{ Generator }

// Unwrap implements [Wrapper].
func (g awaiting) Unwrap() Generator { return g.Generator }

// Stream implements [Generator].
func (g awaiting) Stream(ctx context.Context, req Request) iter.Seq2[Chunk, error] {
	return func(yield func(Chunk, error) bool) {
		begun, told, pause := time.Now(), false, firstLook
		for {
			var loading *Error
			for c, err := range g.Generator.Stream(ctx, req) {
				if e, ok := errors.AsType[*Error](err); ok && e.Loading && time.Since(begun) < LongestLoad {
					loading = e
					break
				}
				if !yield(c, err) {
					return
				}
			}
			if loading == nil {
				return
			}
			if !told && !yield(Chunk{Retry: &Retry{Loading: true, Delay: pause, Err: loading}}, nil) {
				return
			}
			told = true
			if !wait(ctx, pause) {
				yield(Chunk{}, context.Cause(ctx))
				return
			}
			pause = min(lookSlowdown*pause, longestLook)
		}
	}
}
