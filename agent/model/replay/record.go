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

// Record gives a generator that writes every response of g to w as a line of a
// recording. A response is written when it has ended, by itself or with an
// error; one that the consumer left or whose context ended is not. A line that
// cannot be written ends its stream with an error.
func Record(g model.Generator, w io.Writer) model.Generator {
	return &recorder{g: g, w: w}
}

type recorder struct {
	g model.Generator

	mu sync.Mutex
	w  io.Writer
}

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
			if c.Retry != nil || c.Fallback != nil { // what came before is void
				resp.Chunks = resp.Chunks[:0]
			} else {
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

// failed writes a response that ended with the generator's error. The error
// goes to the consumer, so one of writing it down has nobody to go to.
func (r *recorder) failed(resp response, err error) {
	var e *model.Error
	if !errors.As(err, &e) {
		return
	}
	resp.Error = &failure{Kind: e.Kind, Message: e.Message, Status: e.Status, RetryAfterMS: e.RetryAfter.Milliseconds()}
	_ = r.write(resp)
}

// write appends a line at once.
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
