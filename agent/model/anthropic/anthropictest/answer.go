package anthropictest

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"time"
)

// answer plays one reply.
type answer struct {
	s  *Server
	w  http.ResponseWriter
	h  *http.Request
	in *request
	id string

	parts  int      // sent so far, for the counts
	index  int      // of the next block
	kind   string   // of the open block; empty: none is open
	text   string   // of the open block of thinking
	signed []string // the signatures so far
	eol    int      // line ends so far, for Frame.Mixed
	queue  []piece  // events of the API that were not sent
}

// piece is one event of the API.
type piece struct {
	name string
	data []byte
}

func (a *answer) play(r Reply) {
	if !a.wait(r.Hold) {
		return
	}
	if r.Refusal != nil {
		r.Refusal.write(a.w)
		return
	}
	a.w.Header().Set("Content-Type", "text/event-stream; charset=utf-8")
	for name, values := range r.Header {
		a.w.Header()[name] = values
	}
	a.w.WriteHeader(http.StatusOK)
	a.flush()
	if r.Frame.BOM {
		a.send(r.Frame, []byte(": hello\n\n\ufeff"))
	}
	if len(r.Events) > 0 {
		a.begin()
	}
	for i, e := range r.Events {
		if !a.wait(e.Hold) {
			return
		}
		a.event(e)
		last := i == len(r.Events)-1
		for len(a.queue) > 0 {
			p := a.queue[0]
			a.queue = a.queue[1:]
			last := last && len(a.queue) == 0
			data := a.frame(r.Frame, p, last && r.End == Garble)
			if last && r.End == Truncate {
				data = data[:len(data)/2]
			}
			if !a.send(r.Frame, data) {
				return
			}
		}
	}
	switch r.End {
	case Cut:
		panic(http.ErrAbortHandler)
	case Stall:
		a.wait(make(chan struct{}))
	case Clean, Truncate, Garble:
	}
}

// wait waits for hold, and reports whether the client is still there.
func (a *answer) wait(hold <-chan struct{}) bool {
	if hold == nil {
		return true
	}
	select {
	case <-hold:
		return true
	case <-a.h.Context().Done():
	case <-a.s.quit:
	}
	return false
}

// pause waits for a time, as wait does.
func (a *answer) pause(d time.Duration) bool {
	if d == 0 {
		return true
	}
	over := make(chan struct{})
	defer time.AfterFunc(d, func() { close(over) }).Stop()
	return a.wait(over)
}

// send writes data in pieces of the frame's size.
func (a *answer) send(f Frame, data []byte) bool {
	size := f.Split
	if size == 0 {
		size = max(len(data), 1)
	}
	for len(data) > 0 {
		n := min(size, len(data))
		if _, err := a.w.Write(data[:n]); err != nil {
			return false
		}
		a.flush()
		data = data[n:]
		if !a.pause(f.Drip) {
			return false
		}
	}
	return true
}

func (a *answer) flush() { http.NewResponseController(a.w).Flush() } //nolint:errcheck // the next write reports the error

// frame puts an event on the wire.
func (a *answer) frame(f Frame, p piece, garble bool) []byte {
	data := p.data
	if garble {
		data = bytes.Replace(data, []byte(`":`), []byte(`"#:`), 1)
		data = data[:len(data)-1]
	}
	var out bytes.Buffer
	if f.Comments {
		fmt.Fprintf(&out, ": keep-alive%sid: %d%sretry: 3000%s", a.end(f), a.parts, a.end(f), a.end(f))
	}
	if f.Lines {
		var pretty bytes.Buffer
		if json.Indent(&pretty, data, "", " ") == nil {
			data = pretty.Bytes()
		}
	}
	if p.name != "" {
		out.WriteString("event: " + p.name + a.end(f))
	}
	for _, line := range strings.Split(string(data), "\n") {
		out.WriteString("data: " + line + a.end(f))
	}
	out.WriteString(a.end(f))
	return out.Bytes()
}

// end returns the next line end.
func (a *answer) end(f Frame) string {
	a.eol++
	switch {
	case f.CR:
		return "\r"
	case f.CRLF, f.Mixed && a.eol%2 == 0:
		return "\r\n"
	}
	return "\n"
}

// put queues an event of the API.
func (a *answer) put(kind string, fields map[string]any) {
	out := map[string]any{"type": kind}
	for name, v := range fields {
		out[name] = v
	}
	a.queue = append(a.queue, piece{kind, mustJSON(out)})
}

func (a *answer) begin() {
	a.put("message_start", map[string]any{"message": map[string]any{
		"id": a.id, "type": "message", "role": "assistant", "model": a.in.Model, "content": []any{},
		"stop_reason": nil, "stop_sequence": nil, "usage": Usage{Input: 10, Output: 1}.object(),
	}})
	a.put("ping", nil)
}

// event queues the events of the API for an event.
func (a *answer) event(e Event) {
	switch {
	case e.Raw != "":
		a.queue = append(a.queue, piece{e.Name, []byte(e.Raw)})
		return
	case e.Error != nil:
		a.queue = append(a.queue, piece{"error", mustJSON(e.Error.object())})
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
	a.put("message_delta", map[string]any{"delta": map[string]any{"stop_reason": e.Finish, "stop_sequence": nil}, "usage": u.object()})
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
	a.delta("input_json_delta", map[string]any{"partial_json": string(mustJSON(map[string]any{"query": s.Query}))})
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
		a.s.mu.Unlock()
		a.signed = append(a.signed, signature)
		a.delta("signature_delta", map[string]any{"signature": signature})
		a.text = ""
	}
	a.put("content_block_stop", map[string]any{"index": a.index})
	a.kind = ""
	a.index++
}
