package replay

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"iter"
	"sync"
	"time"

	"github.com/emendo-dev/emendo/agent/model"
)

// Record returns a generator that writes every response of g to w as a line of a
// recording. It writes a response when that has ended, with or without an error,
// but not if the consumer left it or its context ended. If a line cannot be written
// the stream ends with an error.
func Record(g model.Generator, w io.Writer) model.Generator {
	return &recorder{g: g, w: w}
}

type recorder struct {
	g model.Generator

	mu sync.Mutex
	w  io.Writer
}

// Unwrap implements [model.Wrapper].
func (r *recorder) Unwrap() model.Generator { return r.g }

// Stream implements [model.Generator].
func (r *recorder) Stream(ctx context.Context, req model.Request) iter.Seq2[model.Chunk, error] {
	return func(yield func(model.Chunk, error) bool) {
		resp := response{Chunks: []chunk{}}
		last := time.Now()
		for c, err := range r.g.Stream(ctx, req) {
			if err != nil {
				r.failed(resp, err)
				yield(c, err)
				return
			}
			switch {
			case c.Retry != nil || c.Fallback != nil: // everything before is void
				resp.Chunks = resp.Chunks[:0]
			case c.Unsent != nil: // about the request
			default:
				resp.Chunks = append(resp.Chunks, record(c, time.Since(last)))
			}
			if !yield(c, nil) {
				return
			}
			last = time.Now()
		}
		if err := r.write(resp); err != nil {
			yield(model.Chunk{}, &model.Error{Kind: model.Invalid, Message: "the answer cannot be recorded", Err: err})
		}
	}
}

// failed writes a response that ended with the generator's error. That error goes
// to the consumer, so an error of the write is dropped.
func (r *recorder) failed(resp response, err error) {
	var e *model.Error
	if !errors.As(err, &e) {
		return
	}
	resp.Error = &failure{Kind: e.Kind, Message: e.Message, Status: e.Status, RetryAfterMS: e.RetryAfter.Milliseconds()}
	_ = r.write(resp)
}

// write appends a line in one write.
func (r *recorder) write(resp response) error {
	line, err := json.Marshal(resp)
	if err != nil {
		return fmt.Errorf("recording a response: %w", err)
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if _, err := r.w.Write(append(line, '\n')); err != nil {
		return fmt.Errorf("recording a response: %w", err)
	}
	return nil
}
