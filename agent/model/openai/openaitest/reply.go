package openaitest

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
	NoDone bool // a chat completion does not end with [DONE]
}

// Finish reasons, in the words of Chat Completions. In the Responses API they become
// the status of the response.
const (
	Stopped   = "stop"
	Length    = "length"
	Filtered  = "content_filter"
	CalledOut = "tool_calls" // of an answer with calls
)

// Event is one step of a stream. Either API makes one or more events of its own of it.
type Event struct {
	Parts     []Part
	Finish    string // one of the finish reasons
	Usage     *Usage // sent with the finish; nil: counts that grow with the parts
	Citations []Citation
	Mixed     bool            // the pieces of the calls are sent in turn, and the last one ends first
	Error     *Refusal        // an error instead of an answer
	Failed    *Refusal        // the same, as a failed response; in Chat Completions like Error
	Raw       string          // data to send unchanged, instead of all the above
	Bare      bool            // Raw is not even framed as data
	Hold      <-chan struct{} // wait for this to be closed first
}

// Part is a part of an answer. One of its fields is set.
type Part struct {
	Text    string
	Thought string
	Refusal string
	Call    *FunctionCall
}

// FunctionCall is a call by the model.
type FunctionCall struct {
	ID   string // empty: the server makes one
	Name string
	Args string
}

// Usage counts tokens as the APIs do: Prompt includes the cached ones, and Answer the
// reasoning.
type Usage struct{ Prompt, Cached, Answer, Thoughts int }

// Citation is a source, with the place of its mark in the text so far of the same
// message, in characters.
type Citation struct {
	Title, URI string
	Start, End int
}

// Say returns a reply with texts, an event each, that stops.
func Say(texts ...string) Reply {
	var r Reply
	for _, t := range texts {
		r.Events = append(r.Events, Text(t))
	}
	return r.Stop(Stopped)
}

// Stop adds a finish reason to the last event.
func (r Reply) Stop(reason string) Reply {
	if len(r.Events) == 0 {
		r.Events = []Event{{}}
	}
	r.Events[len(r.Events)-1].Finish = reason
	return r
}

// Do returns a reply of the given events, the last of which stops.
func Do(events ...Event) Reply {
	for _, e := range events {
		for _, p := range e.Parts {
			if p.Call != nil {
				return Reply{Events: events}.Stop(CalledOut)
			}
		}
	}
	return Reply{Events: events}.Stop(Stopped)
}

// Text returns an event with a text.
func Text(text string) Event { return Event{Parts: []Part{{Text: text}}} }

// Think returns an event with a thought. One that begins with "**" is a part of its
// own in the summary of the reasoning.
func Think(text string) Event { return Event{Parts: []Part{{Thought: text}}} }

// Refuse returns an event in which the model refuses.
func Refuse(text string) Event { return Event{Parts: []Part{{Refusal: text}}} }

// Call returns an event that calls a function with arguments in JSON.
func Call(name, args string) Event {
	return Event{Parts: []Part{{Call: &FunctionCall{Name: name, Args: args}}}}
}

// Join merges the parts of several events into one.
func Join(events ...Event) Event {
	var out Event
	for _, e := range events {
		out.Parts = append(out.Parts, e.Parts...)
	}
	return out
}
