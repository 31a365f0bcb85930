package geminichat

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
)

// ErrNoChat means that a file is not a conversation.
var ErrNoChat = errors.New("not a Gemini CLI conversation")

// Read reads a file of either kind. It skips lines that are not records.
func Read(file []byte) (Chat, error) {
	var r reader
	for line := range bytes.Lines(file) {
		r.line(line)
	}
	if r.chat.SessionID == "" {
		r = reader{}
		r.line(file) // one object over many lines
	}
	if r.chat.SessionID == "" {
		return Chat{}, ErrNoChat
	}
	r.numberFunctions()
	r.dropRewound()
	return r.chat, nil
}

// reader folds the records of a file.
type reader struct {
	chat    Chat
	places  map[string]int  // index in the chat's messages by ID; nil if not known
	rewound map[string]bool // calls whose results were rewound
}

// line applies one record.
func (r *reader) line(b []byte) {
	var kind struct {
		Set      json.RawMessage `json:"$set"`
		RewindTo *string         `json:"$rewindTo"`
		Type     string          `json:"type"`
		ID       string          `json:"id"`
	}
	if json.Unmarshal(b, &kind) != nil {
		return
	}
	switch {
	case kind.RewindTo != nil:
		r.rewind(*kind.RewindTo)
	case kind.Set != nil:
		r.set(kind.Set)
	case kind.Type != "" && kind.ID != "":
		var m Message
		if json.Unmarshal(b, &m) == nil {
			r.put(m)
		}
	default:
		r.set(b)
	}
}

// set changes properties of the conversation. Invalid ones are ignored.
func (r *reader) set(b []byte) {
	c := r.chat
	messages := c.Messages
	c.Messages = nil // not decoded into what is there
	if json.Unmarshal(b, &c) != nil {
		return
	}
	if c.Messages == nil {
		c.Messages = messages
	}
	r.chat, r.places = c, nil
}

// put adds a message or replaces it.
func (r *reader) put(m Message) {
	if i, ok := r.place(m.ID); ok {
		r.chat.Messages[i] = m
		return
	}
	r.places[m.ID] = len(r.chat.Messages)
	r.chat.Messages = append(r.chat.Messages, m)
}

// place returns the index of the first message with an ID.
func (r *reader) place(id string) (int, bool) {
	if r.places == nil {
		r.places = map[string]int{}
		for i, m := range slices.Backward(r.chat.Messages) {
			r.places[m.ID] = i
		}
	}
	i, ok := r.places[id]
	return i, ok
}

// rewind drops a message and those after it; all, when there is no such message.
func (r *reader) rewind(id string) {
	at, _ := r.place(id)
	for _, m := range r.chat.Messages[at:] {
		for _, p := range m.Content {
			if p.FunctionResponse != nil && p.FunctionResponse.ID != "" {
				if r.rewound == nil {
					r.rewound = map[string]bool{}
				}
				r.rewound[p.FunctionResponse.ID] = true
			}
		}
	}
	r.chat.Messages, r.places = r.chat.Messages[:at], nil
}

// dropRewound drops invalid calls, and calls whose results were rewound: they belong to
// a message that stayed.
func (r *reader) dropRewound() {
	for _, m := range r.chat.Messages {
		for _, p := range m.Content {
			if p.FunctionResponse != nil { // it was made again
				delete(r.rewound, p.FunctionResponse.ID)
			}
		}
	}
	for i := range r.chat.Messages {
		m := &r.chat.Messages[i]
		m.ToolCalls = slices.DeleteFunc(m.ToolCalls, func(c Call) bool { return r.rewound[c.ID] || c.ID == "" || c.Name == "" })
		m.Content = slices.DeleteFunc(m.Content, func(p Part) bool {
			return p.FunctionCall != nil && (r.rewound[p.FunctionCall.ID] || p.FunctionCall.Name == "")
		})
	}
}

// numberFunctions assigns IDs to calls and results that have none: the first call of a
// tool and its first result get the same, and so on.
func (r *reader) numberFunctions() {
	calls, answers := map[string]int{}, map[string]int{}
	name := func(f *Function, count map[string]int) {
		if f != nil && f.ID == "" {
			count[f.Name]++
			f.ID = fmt.Sprintf("%s-%d", f.Name, count[f.Name])
		}
	}
	for i := range r.chat.Messages {
		for _, p := range r.chat.Messages[i].Content {
			name(p.FunctionCall, calls)
			name(p.FunctionResponse, answers)
		}
	}
}
