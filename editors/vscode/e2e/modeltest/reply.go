package main

import (
	"encoding/json"

	"github.com/emendo-dev/emendo/agent/model/gemini/geminitest"
	"github.com/emendo-dev/emendo/agent/model/servertest"
)

// A reply is a scripted answer as tests write it.
type reply struct {
	Events []event `json:"events"`
	// Finish is the reason at the end; empty: STOP.
	Finish string `json:"finish"`
	// Gate names what has to be opened before anything is sent.
	Gate string `json:"gate"`
	// Fail answers with an error status instead.
	Fail *failure `json:"fail"`
	// Cut breaks the connection after the events.
	Cut bool `json:"cut"`
}

type failure struct {
	Status  int    `json:"status"`
	Message string `json:"message"`
}

// An event is one piece of an answer: a text, a thought, or calls.
type event struct {
	Text  string `json:"text"`
	Think string `json:"think"`
	Calls []call `json:"calls"`
	// Gate names what has to be opened before the event is sent.
	Gate string `json:"gate"`
	// Usage is what the request has cost, in tokens.
	Usage *geminitest.Usage `json:"usage"`
}

type call struct {
	Name string          `json:"name"`
	Args json.RawMessage `json:"args"`
}

// scripted returns the reply as the model plays it. gate finds a gate by its name.
func (r reply) scripted(gate func(name string) chan struct{}) geminitest.Reply {
	if r.Fail != nil {
		out := geminitest.Fail(r.Fail.Status, r.Fail.Message)
		out.Hold = hold(r.Gate, gate)
		return out
	}
	var out geminitest.Reply
	for _, e := range r.Events {
		played := e.played()
		played.Hold = hold(e.Gate, gate)
		out.Events = append(out.Events, played)
	}
	if r.Cut {
		out.End = servertest.Cut
	} else {
		finish := r.Finish
		if finish == "" {
			finish = "STOP"
		}
		out = out.Stop(finish)
	}
	out.Hold = hold(r.Gate, gate)
	return out
}

func (e event) played() geminitest.Event {
	var all []geminitest.Event
	if e.Think != "" {
		all = append(all, geminitest.Think(e.Think))
	}
	if e.Text != "" {
		all = append(all, geminitest.Text(e.Text))
	}
	for _, c := range e.Calls {
		all = append(all, geminitest.Call(c.Name, string(c.Args)))
	}
	out := geminitest.Join(all...)
	out.Usage = e.Usage
	return out
}

// hold returns what to wait for: nothing without a name.
func hold(name string, gate func(name string) chan struct{}) <-chan struct{} {
	if name == "" {
		return nil
	}
	return gate(name)
}
