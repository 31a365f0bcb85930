package replay

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"sync"
	"time"

	"github.com/emendo-dev/emendo/agent/model"
)

// Record returns a generator that writes every response of g to w as a line of a
// recording. It writes a response when that has ended, with or without an error,
// but not if the consumer left it or its context ended. If a line cannot be written
// the stream ends with an error.
func Record(g model.Generator, w io.Writer) model.Generator {
	return model.With(g, &recorder{w: w})
}

type recorder struct {
	mu sync.Mutex
	w  io.Writer
}

// Begin implements [model.Layer].
func (r *recorder) Begin(context.Context, *model.Request) (model.Watch, error) {
	return &recording{to: r, response: response{Chunks: []chunk{}}, last: time.Now()}, nil
}

// recording is a response that is being recorded.
type recording struct {
	to       *recorder
	response response
	last     time.Time // when the last chunk came
	failed   bool
}

// Chunk implements [model.Watch]. The generator's error goes to the consumer, so an error of
// the write is dropped.
func (r *recording) Chunk(c model.Chunk, err error) (model.Chunk, error) {
	switch {
	case err != nil:
		r.failed = true
		if e, ok := errors.AsType[*model.Error](err); ok {
			r.response.Error = &failure{Kind: e.Kind, Message: e.Message, Status: e.Status, RetryAfterMS: e.RetryAfter.Milliseconds()}
			_ = r.to.write(r.response)
		}
		return c, err
	case c.Retry != nil || c.Fallback != nil: // everything before is void
		r.response.Chunks = r.response.Chunks[:0]
	case c.Unsent != nil: // about the request
	default:
		r.response.Chunks = append(r.response.Chunks, record(c, time.Since(r.last)))
	}
	r.last = time.Now()
	return c, nil
}

// End implements [model.Ender].
func (r *recording) End(left bool) error {
	if left || r.failed {
		return nil
	}
	if err := r.to.write(r.response); err != nil {
		return &model.Error{Kind: model.Invalid, Message: "the answer cannot be recorded", Err: err}
	}
	return nil
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
