package openaitest

import "github.com/emendo-dev/emendo/agent/model/servertest"

// answer renders one answer.
type answer struct {
	s         *Server
	n         int // of the answers so far
	model     string
	chat      bool // Chat Completions
	encrypts  bool // the client wants encrypted reasoning
	summary   bool // the client wants summaries of reasoning
	counts    bool // the client wants counts in a chat completion
	events    []servertest.Event
	sequence  int // of the next event
	parts     int // so far, for the counts
	thoughts  int
	finished  bool
	responses responsesAnswer
}

func (a *answer) add(name string, v any) {
	if m, ok := v.(map[string]any); ok && name != "" {
		m["type"], m["sequence_number"] = name, a.sequence
	}
	a.sequence++
	a.events = append(a.events, servertest.Event{Name: name, Data: servertest.JSON(v)})
}

// render returns the events of the API for those of a reply.
func (a *answer) render(events []Event) []servertest.Event {
	if !a.chat {
		a.begin()
	}
	for _, e := range events {
		if e.Hold != nil {
			a.events = append(a.events, servertest.Event{Hold: e.Hold})
		}
		switch {
		case e.Raw != "":
			a.sequence++
			a.events = append(a.events, servertest.Event{Data: []byte(e.Raw), Bare: e.Bare})
		case a.chat:
			a.completion(e)
		default:
			a.response(e)
		}
	}
	return a.events
}

// usage returns the counts of a finished answer.
func (a *answer) usage(e Event) Usage {
	if e.Usage != nil {
		return *e.Usage
	}
	return Usage{Prompt: 10, Answer: a.parts, Thoughts: a.thoughts}
}
