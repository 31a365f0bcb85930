package replay

import (
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
	DelayMS    int64            `json:"delayMs,omitempty"`
	Parts      parts            `json:"parts,omitempty"`
	Finish     model.Finish     `json:"finish,omitempty"`
	FinishWord string           `json:"finishWord,omitempty"`
	Usage      *model.Usage     `json:"usage,omitempty"`
	Citations  []model.Citation `json:"citations,omitempty"`
	ResponseID string           `json:"responseId,omitempty"`
}

type failure struct {
	Kind         model.ErrorKind `json:"kind"`
	Message      string          `json:"message"`
	Status       int             `json:"status,omitempty"`
	RetryAfterMS int64           `json:"retryAfterMs,omitempty"`
}

// parts have the stored form of a message's parts.
type parts []model.Part

// MarshalJSON writes the parts as a message does.
func (p parts) MarshalJSON() ([]byte, error) {
	whole, err := json.Marshal(model.Message{Parts: p})
	if err != nil {
		return nil, err
	}
	var m struct{ Parts json.RawMessage }
	err = json.Unmarshal(whole, &m)
	return m.Parts, err
}

// UnmarshalJSON reads what MarshalJSON wrote.
func (p *parts) UnmarshalJSON(b []byte) error {
	var m model.Message
	err := json.Unmarshal(append(append([]byte(`{"parts":`), b...), '}'), &m)
	*p = m.Parts
	return err
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

// chunk returns the chunk to yield.
func (c chunk) chunk() model.Chunk {
	out := model.Chunk{Parts: slices.Clone(c.Parts), Finish: c.Finish, FinishWord: c.FinishWord, Usage: c.Usage, Citations: c.Citations, ResponseID: c.ResponseID}
	for i, p := range out.Parts {
		if call, ok := p.(model.Call); ok {
			if call.ID == "" {
				call.ID = model.NewCallID()
			}
			if len(call.Args) == 0 {
				call.Args = json.RawMessage("{}")
			}
			out.Parts[i] = call
		}
	}
	return out
}

// record returns a chunk in the form of a recording. Calls are recorded without IDs,
// because a session that plays the recording twice must not see an ID twice.
func record(c model.Chunk, after time.Duration) chunk {
	out := chunk{
		DelayMS: after.Milliseconds(), Parts: slices.Clone(c.Parts),
		Finish: c.Finish, FinishWord: c.FinishWord, Usage: c.Usage, Citations: c.Citations, ResponseID: c.ResponseID,
	}
	for i, p := range out.Parts {
		if call, ok := p.(model.Call); ok {
			call.ID = ""
			out.Parts[i] = call
		}
	}
	return out
}

// failure returns the error to yield.
func (f failure) failure() *model.Error {
	return &model.Error{
		Kind: f.Kind, Status: f.Status, Message: f.Message,
		RetryAfter: time.Duration(f.RetryAfterMS) * time.Millisecond,
	}
}
