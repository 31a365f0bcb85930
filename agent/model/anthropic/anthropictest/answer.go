package anthropictest

import (
	"encoding/base64"
	"fmt"
	"strings"

	"github.com/emendo-dev/emendo/agent/model/servertest"
)

// answer renders one answer.
type answer struct {
	s  *Server
	in *request
	id string

	parts  int      // so far, for the counts
	index  int      // of the next block
	kind   string   // of the open block; empty: none is open
	text   string   // of the open block of thinking
	signed []string // the signatures so far
	events []servertest.Event
}

// render returns the events of the API for those of a reply.
func (a *answer) render(events []Event) []servertest.Event {
	for i, e := range events {
		if e.Hold != nil {
			a.events = append(a.events, servertest.Event{Hold: e.Hold})
		}
		if i == 0 {
			a.begin()
		}
		a.event(e)
	}
	return a.events
}

// put adds an event of the API.
func (a *answer) put(kind string, fields map[string]any) {
	out := map[string]any{"type": kind}
	for name, v := range fields {
		out[name] = v
	}
	a.events = append(a.events, servertest.Event{Name: kind, Data: servertest.JSON(out)})
}

func (a *answer) begin() {
	a.put("message_start", map[string]any{"message": map[string]any{
		"id": a.id, "type": "message", "role": "assistant", "model": a.in.Model, "content": []any{},
		"stop_reason": nil, "stop_sequence": nil, "usage": Usage{Input: 10, Output: 1}.object(),
	}})
	a.put("ping", nil)
}

// event adds the events of the API for an event.
func (a *answer) event(e Event) {
	switch {
	case e.Raw != "":
		a.events = append(a.events, servertest.Event{Name: e.Name, Data: []byte(e.Raw)})
		return
	case e.Error != nil:
		a.events = append(a.events, servertest.Event{Name: "error", Data: servertest.JSON(e.Error.object())})
		return
	case e.Ping:
		a.put("ping", nil)
	}
	for _, p := range e.Parts {
		a.parts++
		a.part(p)
	}
	if e.Finish == "" {
		return
	}
	a.closeBlock()
	u := Usage{Input: 10, Output: a.parts}
	if e.Usage != nil {
		u = *e.Usage
	}
	var details any
	if e.Policy != "" {
		details = map[string]any{"type": "refusal", "category": e.Policy, "explanation": nil}
	}
	a.put("message_delta", map[string]any{"delta": map[string]any{"stop_reason": e.Finish, "stop_sequence": nil, "stop_details": details}, "usage": u.object()})
	a.put("message_stop", nil)
}

func (a *answer) part(p Part) {
	switch {
	case p.Thought != "":
		a.think(p.Thought)
	case p.Redacted != "":
		a.redact(p.Redacted)
	case p.Call != nil:
		a.call(*p.Call)
	case p.Search != nil:
		a.search(*p.Search)
	default:
		if a.kind != "text" || p.Break {
			a.open("text", map[string]any{"text": ""})
		}
		for _, c := range p.Citations {
			a.delta("citations_delta", map[string]any{"citation": map[string]any{
				"type": "web_search_result_location", "url": c.URI, "title": c.Title, "cited_text": "…", "encrypted_index": "x",
			}})
		}
		a.delta("text_delta", map[string]any{"text": p.Text})
	}
}

// thinks reports whether the model is told to think.
func (a *answer) thinks() bool { return a.in.Thinking != nil && a.in.Thinking.Type != "disabled" }

func (a *answer) think(text string) {
	if !a.thinks() {
		return
	}
	if a.kind != "thinking" {
		a.open("thinking", map[string]any{"thinking": "", "signature": ""})
	}
	if a.in.Thinking.Display != "omitted" {
		a.text += text
		a.delta("thinking_delta", map[string]any{"thinking": text})
	}
}

func (a *answer) redact(data string) {
	if !a.thinks() {
		return
	}
	a.open("redacted_thinking", map[string]any{"data": data})
	a.closeBlock()
	a.signed = append(a.signed, data)
	a.s.mu.Lock()
	a.s.issued.redacted[data] = true
	a.s.mu.Unlock()
}

func (a *answer) call(c ToolUse) {
	a.closeBlock()
	if c.ID == "" {
		c.ID = fmt.Sprintf("toolu_%s_%d", strings.TrimPrefix(a.id, "msg_"), a.index)
	}
	a.open("tool_use", map[string]any{"id": c.ID, "name": c.Name, "input": map[string]any{}})
	a.s.mu.Lock()
	a.s.issued.before[c.ID] = a.signed
	a.s.mu.Unlock()
	a.delta("input_json_delta", map[string]any{"partial_json": ""})
	for args := c.Args; args != ""; {
		n := min(len(args), 7)
		for n < len(args) && args[n]&0xc0 == 0x80 { // not inside of a character
			n++
		}
		a.delta("input_json_delta", map[string]any{"partial_json": args[:n]})
		args = args[n:]
	}
	a.closeBlock()
}

func (a *answer) search(s Search) {
	a.closeBlock()
	id := fmt.Sprintf("srvtoolu_%d", a.index)
	a.open("server_tool_use", map[string]any{"id": id, "name": "web_search", "input": map[string]any{}})
	a.delta("input_json_delta", map[string]any{"partial_json": string(servertest.JSON(map[string]any{"query": s.Query}))})
	results := []any{}
	for _, r := range s.Results {
		results = append(results, map[string]any{"type": "web_search_result", "url": r.URI, "title": r.Title, "encrypted_content": "x", "page_age": nil})
	}
	a.open("web_search_tool_result", map[string]any{"tool_use_id": id, "content": results})
	a.closeBlock()
}

// open begins a block, and ends the one before.
func (a *answer) open(kind string, fields map[string]any) {
	a.closeBlock()
	block := map[string]any{"type": kind}
	for name, v := range fields {
		block[name] = v
	}
	a.kind = kind
	a.put("content_block_start", map[string]any{"index": a.index, "content_block": block})
}

func (a *answer) delta(kind string, fields map[string]any) {
	fields["type"] = kind
	a.put("content_block_delta", map[string]any{"index": a.index, "delta": fields})
}

// closeBlock ends the open block, if there is one.
func (a *answer) closeBlock() {
	if a.kind == "" {
		return
	}
	if a.kind == "thinking" {
		signature := base64.StdEncoding.EncodeToString(fmt.Appendf(nil, "signed %s %d ÿ\x00", a.id, a.index))
		a.s.mu.Lock()
		a.s.issued.signatures[signature] = a.text
		a.s.issued.prefixes[signature] = a.in.prefix(len(a.in.Messages))
		a.s.mu.Unlock()
		a.signed = append(a.signed, signature)
		a.delta("signature_delta", map[string]any{"signature": signature})
		a.text = ""
	}
	a.put("content_block_stop", map[string]any{"index": a.index})
	a.kind = ""
	a.index++
}
