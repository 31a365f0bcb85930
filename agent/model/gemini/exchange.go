package gemini

import (
	"bytes"
	"encoding/json"
)

// exchange is what one request and its answer say to each other past the
// client library. It belongs to the goroutine that ranges over the stream.
type exchange struct {
	status   int               // of the answer, 0 while there is none
	proxy    string            // that the request went to, HOST:PORT; empty: none, or it failed elsewhere
	args     []json.RawMessage // of the calls seen, in order, not yet taken
	finished bool              // a finish reason has come
}

type exchangeKey struct{}

// tap keeps the arguments of an event's calls as they were written: the client
// library makes floating-point numbers of theirs.
func (x *exchange) tap(data []byte) {
	if !bytes.Contains(data, []byte(`"functionCall"`)) {
		return
	}
	var event struct {
		Candidates []struct {
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
		return // the client library will say what is wrong with it
	}
	for _, p := range event.Candidates[0].Content.Parts {
		if p.FunctionCall != nil {
			x.args = append(x.args, object(p.FunctionCall.Args))
		}
	}
}

// take gives the arguments of the next call.
func (x *exchange) take() json.RawMessage {
	if len(x.args) == 0 {
		return object(nil)
	}
	args := x.args[0]
	x.args = x.args[1:]
	return args
}

// object is raw when it is a JSON object, and an empty one otherwise.
func object(raw json.RawMessage) json.RawMessage {
	raw = bytes.ToValidUTF8(bytes.TrimSpace(raw), []byte("\ufffd"))
	if len(raw) == 0 || raw[0] != '{' || !json.Valid(raw) {
		return json.RawMessage("{}")
	}
	return raw
}
