package gemini

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"

	"github.com/emendo-dev/emendo/agent/model/transport"
)

// exchange holds what the client library does not pass on about one request and
// its response. It belongs to the goroutine that ranges over the stream.
type exchange struct {
	transport.Exchange
	args []json.RawMessage // raw arguments of calls, in order, not yet taken
	why  string            // what the API says about the finish
}

// with returns a context for the request.
func (x *exchange) with(ctx context.Context) context.Context {
	x.Tap = func(e transport.Event) { x.tap(e.Data) }
	return transport.With(ctx, &x.Exchange)
}

// tap keeps the raw arguments of an event's calls, whose numbers the client library
// converts to floating point, and the message of a finish, which it drops.
func (x *exchange) tap(data []byte) {
	if !bytes.Contains(data, []byte(`"functionCall"`)) && !bytes.Contains(data, []byte(`"finishMessage"`)) {
		return
	}
	var event struct {
		Candidates []struct {
			FinishMessage string `json:"finishMessage"`

			Content struct {
				Parts []struct {
					FunctionCall *struct {
						Args json.RawMessage `json:"args"`
					} `json:"functionCall"`
				} `json:"parts"`
			} `json:"content"`
		} `json:"candidates"`
	}
	if json.Unmarshal(data, &event) != nil || len(event.Candidates) == 0 {
		return // the client library reports the error
	}
	x.why = cmp.Or(event.Candidates[0].FinishMessage, x.why)
	for _, p := range event.Candidates[0].Content.Parts {
		if p.FunctionCall != nil {
			x.args = append(x.args, p.FunctionCall.Args)
		}
	}
}

// take returns the arguments of the next call.
func (x *exchange) take() json.RawMessage {
	if len(x.args) == 0 {
		return nil
	}
	args := x.args[0]
	x.args = x.args[1:]
	return args
}
