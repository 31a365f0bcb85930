package gemini

import (
	"bytes"
	"cmp"
	"encoding/json"
)

// keepDropped keeps the raw arguments of the calls in the events so far, whose numbers the client
// library converts to floating point, and the message of a finish, which it drops.
func (s *stream) keepDropped() {
	for _, data := range s.x.Events {
		s.keepDroppedOf(data)
	}
	s.x.Events = nil
}

func (s *stream) keepDroppedOf(data []byte) {
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
	s.why = cmp.Or(event.Candidates[0].FinishMessage, s.why)
	for _, p := range event.Candidates[0].Content.Parts {
		if p.FunctionCall != nil {
			s.args = append(s.args, p.FunctionCall.Args)
		}
	}
}

// nextArguments returns the arguments of the next call.
func (s *stream) nextArguments() json.RawMessage {
	if len(s.args) == 0 {
		return nil
	}
	args := s.args[0]
	s.args = s.args[1:]
	return args
}
