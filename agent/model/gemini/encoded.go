package gemini

import (
	"encoding/json"
	"reflect"
	"sync"

	"google.golang.org/genai"
)

// A piece is a content of a request, with what the client library's type for it
// cannot hold.
type piece struct {
	id      string // of its first message; empty: it is not known again
	content *genai.Content
	args    []json.RawMessage // of its calls, in order
	unsaid  bool              // its first call needs noSignature

	json json.RawMessage // as it is sent; nil until it has been encoded
}

// complete takes what the client library made of a piece and adds what is missing.
func (p *piece) complete(made map[string]any) {
	n := 0
	for _, part := range objects(made["parts"]) {
		call, ok := part["functionCall"].(map[string]any)
		switch {
		case ok && n < len(p.args):
			call["args"] = p.args[n]
			if n == 0 && p.unsaid {
				part["thoughtSignature"] = noSignature
			}
			n++
		case len(part) == 1 && part["thoughtSignature"] != nil:
			part["text"] = "" // a part must hold something
		}
	}
	text, err := json.Marshal(made)
	if err != nil {
		panic(err) // it is what JSON can say
	}
	p.json = text
}

// encoded remembers pieces as they were sent. A conversation is sent again with
// every request, a little longer each time, and the client library takes ten
// times as long to encode a message as it takes to send it: so it is given each
// only once. Its methods may be called side by side.
type encoded struct {
	mu       sync.Mutex
	recent   map[string]*piece
	older    map[string]*piece // forgotten when recent has become these
	size     int               // bytes of JSON in recent
	requests int               // since older was recent
}

// What is recent: so many bytes of JSON, from so many requests. As much again is
// older.
const (
	maxEncoded = 8 << 20
	recentlyIs = 32
)

// recall fills in the JSON of the pieces that were encoded before, and gives the
// others; the last piece is always among these, for a request without any is
// none to the library.
func (e *encoded) recall(ps []*piece) (fresh []*piece) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.requests++; e.requests > recentlyIs {
		e.age()
	}
	for i, p := range ps {
		before, ok := e.recent[p.id]
		if !ok {
			if before = e.older[p.id]; before != nil && before.same(p) {
				e.add(before)
			}
		}
		if i == len(ps)-1 || before == nil || !before.same(p) {
			fresh = append(fresh, p)
			continue
		}
		p.json = before.json
	}
	return fresh
}

// same says whether the two are sent as the same. It is quick where they share
// their texts, as two requests of one conversation do.
func (p *piece) same(o *piece) bool {
	return p.unsaid == o.unsaid && reflect.DeepEqual(p.content, o.content) && reflect.DeepEqual(p.args, o.args)
}

// keep remembers pieces.
func (e *encoded) keep(ps []*piece) {
	e.mu.Lock()
	defer e.mu.Unlock()
	for _, p := range ps {
		if p.id != "" {
			e.add(p)
		}
	}
}

// add remembers a piece; e.mu is held.
func (e *encoded) add(p *piece) {
	if before := e.recent[p.id]; before != nil {
		e.size -= len(before.json)
	}
	if e.size+len(p.json) > maxEncoded {
		e.age()
	}
	if e.recent == nil {
		e.recent = map[string]*piece{}
	}
	e.recent[p.id] = p
	e.size += len(p.json)
}

// age forgets what is older; e.mu is held.
func (e *encoded) age() {
	e.recent, e.older, e.size, e.requests = nil, e.recent, 0, 0
}
