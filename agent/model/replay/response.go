package replay

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/emendo-dev/emendo/agent/model"
)

// response is one line of a recording.
type response struct {
	Match  string   `json:"match,omitempty"`
	Chunks []chunk  `json:"chunks"`
	Error  *failure `json:"error,omitempty"`
}

type chunk struct {
	DelayMS int64 `json:"delayMs,omitempty"`
	model.Chunk
}

type failure struct {
	Kind         model.ErrorKind `json:"kind"`
	Message      string          `json:"message"`
	Status       int             `json:"status,omitempty"`
	RetryAfterMS int64           `json:"retryAfterMs,omitempty"`
}

var (
	finishes = []model.Finish{"", model.Stop, model.MaxTokens, model.Safety, model.MalformedCall, model.Other}
	kinds    = []model.ErrorKind{
		model.Auth, model.RateLimited, model.Quota, model.Overflow, model.Invalid, model.NotFound,
		model.Unavailable, model.TLS, model.Cut, model.Empty, model.Blocked,
	}
)

// check returns an error for a response that no model would give.
func (r response) check() error {
	for i, c := range r.Chunks {
		if !slices.Contains(finishes, c.Finish) {
			return fmt.Errorf("chunk %d: unknown finish reason %q", i, c.Finish)
		}
		for _, p := range c.Parts {
			switch p := p.(type) {
			case model.Result:
				return fmt.Errorf("chunk %d: contains a result of a call", i)
			case model.Call:
				if p.Name == "" {
					return fmt.Errorf("chunk %d: contains a call without a name", i)
				}
			case model.Text, model.Thought, model.Blob:
			}
		}
	}
	if r.Error != nil && !slices.Contains(kinds, r.Error.Kind) {
		return fmt.Errorf("unknown error kind %q", r.Error.Kind)
	}
	if len(r.Chunks) == 0 && r.Error == nil {
		return errors.New("the response has neither chunks nor an error")
	}
	return nil
}

// played returns the chunk to yield.
func (c chunk) played() model.Chunk {
	return withCalls(c.Chunk, func(call *model.Call) {
		call.ID = cmp.Or(call.ID, model.NewCallID())
		if len(call.Args) == 0 {
			call.Args = json.RawMessage("{}")
		}
	})
}

// record returns a chunk in the form of a recording. Calls are recorded without IDs,
// because a session that plays the recording twice must not see an ID twice.
func record(c model.Chunk, after time.Duration) chunk {
	return chunk{after.Milliseconds(), withCalls(c, func(call *model.Call) { call.ID = "" })}
}

// withCalls returns a chunk whose calls are changed.
func withCalls(c model.Chunk, change func(*model.Call)) model.Chunk {
	c.Parts = slices.Clone(c.Parts)
	for i, p := range c.Parts {
		if call, ok := p.(model.Call); ok {
			change(&call)
			c.Parts[i] = call
		}
	}
	return c
}

// failure returns the error to yield.
func (f failure) failure() *model.Error {
	return &model.Error{
		Kind: f.Kind, Status: f.Status, Message: f.Message,
		RetryAfter: time.Duration(f.RetryAfterMS) * time.Millisecond,
	}
}
