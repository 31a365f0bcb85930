package anthropictest

import (
	"net/http"

	"github.com/emendo-dev/emendo/agent/model/servertest"
)

// Reply is what the server does with one request: it rejects it, or streams the
// events in the given framing, with the given end.
type Reply struct {
	Refusal *Refusal
	Events  []Event

	Header http.Header
	Hold   <-chan struct{} // nothing is sent before this is closed, not even headers
	Frame  servertest.Frame
	End    servertest.End
}

// Event is a piece of an answer. The server sends it as one or several events of the
// API, between the beginning of the message and its end. Adjoining texts are one
// block, and so are adjoining thoughts.
type Event struct {
	Parts  []Part
	Finish string   // stop_reason: the message ends
	Policy string   // sent with Finish: the category of a refusal
	Usage  *Usage   // sent with Finish; nil: counts that grow with the parts
	Error  *Refusal // an error event
	Ping   bool     // a ping event
	Raw    string   // data to send unchanged, instead of all the above
	Name   string   // the name of the event with Raw; empty: none
	Hold   <-chan struct{}
}

// Part is one of its fields.
type Part struct {
	Text      string
	Break     bool       // with Text: a block of its own
	Citations []Citation // with Text
	Thought   string
	Redacted  string // data of redacted thinking
	Call      *ToolUse
	Search    *Search
}

// ToolUse is a call by the model.
type ToolUse struct {
	ID, Name string // without an ID the server makes one
	Args     string // JSON, sent as it is
}

// Search is a search that the server makes, and its results.
type Search struct {
	Query   string
	Results []Citation
}

// Citation is a result of a search, or a source of a text.
type Citation struct {
	Title string `json:"title"`
	URI   string `json:"url"`
}

// Usage is usage, of which Output includes Thoughts.
type Usage struct{ Input, Created, Read, Output, Thoughts int }

func (u Usage) object() map[string]any {
	return map[string]any{
		"input_tokens": u.Input, "cache_creation_input_tokens": u.Created, "cache_read_input_tokens": u.Read, "output_tokens": u.Output,
		"output_tokens_details": map[string]any{"thinking_tokens": u.Thoughts},
	}
}

// Say returns a reply with texts that ends the turn.
func Say(texts ...string) Reply {
	var r Reply
	for _, t := range texts {
		r.Events = append(r.Events, Text(t))
	}
	return r.Stop("end_turn")
}

// Stop adds a stop reason to the last event.
func (r Reply) Stop(reason string) Reply {
	if len(r.Events) == 0 {
		r.Events = []Event{{}}
	}
	r.Events[len(r.Events)-1].Finish = reason
	return r
}

// Do returns a reply of the given events, the last of which stops: for the calls, if
// there are any.
func Do(events ...Event) Reply {
	reason := "end_turn"
	for _, e := range events {
		for _, p := range e.Parts {
			if p.Call != nil {
				reason = "tool_use"
			}
		}
	}
	return Reply{Events: events}.Stop(reason)
}

// Text returns an event with a text.
func Text(text string) Event { return Event{Parts: []Part{{Text: text}}} }

// Think returns an event with a thought. It is not sent where the model is told not
// to think.
func Think(text string) Event { return Event{Parts: []Part{{Thought: text}}} }

// Redact returns an event with redacted thinking.
func Redact(data string) Event { return Event{Parts: []Part{{Redacted: data}}} }

// Call returns an event that calls a tool with arguments in JSON.
func Call(name, args string) Event {
	return Event{Parts: []Part{{Call: &ToolUse{Name: name, Args: args}}}}
}

// Join merges the parts of several events into one.
func Join(events ...Event) Event {
	var out Event
	for _, e := range events {
		out.Parts = append(out.Parts, e.Parts...)
	}
	return out
}
