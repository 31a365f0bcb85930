package geminitest

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
	s     *Server
	w     http.ResponseWriter
	h     *http.Request
	model string
	id    string

	parts  int  // sent so far, for the counts
	signed bool // the first call has its signature
	eol    int  // line ends so far, for Frame.Mixed
}

func (a *answer) play(r Reply) {
	if !a.wait(r.Hold) {
		return
	}
	if r.Refusal != nil {
		r.Refusal.write(a.w)
		return
	}
	a.w.Header().Set("Content-Type", "text/event-stream")
	for name, values := range r.Header {
		a.w.Header()[name] = values
	}
	a.w.WriteHeader(http.StatusOK)
	a.flush()
	if r.Frame.BOM {
		a.send(r.Frame, []byte(": hello\n\n\ufeff"))
	}
	for i, e := range r.Events {
		if !a.wait(e.Hold) {
			return
		}
		last := i == len(r.Events)-1
		data := a.frame(r.Frame, e, last && r.End == Garble)
		if last && r.End == Truncate {
			data = data[:len(data)/2]
		}
		if !a.send(r.Frame, data) {
			return
		}
	}
	if r.Frame.Done {
		a.send(r.Frame, []byte("data: [DONE]\n\n"))
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
func (a *answer) frame(f Frame, e Event, garble bool) []byte {
	data := []byte(e.Raw)
	if e.Raw == "" {
		data = a.event(e)
	}
	if garble {
		data = bytes.Replace(data, []byte(`":`), []byte(`"#:`), 1)
		data = data[:len(data)-1]
	}
	if e.Bare {
		return append(data, "\n\n"...)
	}
	var out bytes.Buffer
	if f.Comments {
		fmt.Fprintf(&out, ": keep-alive%sevent: message%sid: %d%sretry: 3000%s", a.end(f), a.end(f), a.parts, a.end(f), a.end(f))
	}
	if f.Lines {
		var pretty bytes.Buffer
		if json.Indent(&pretty, data, "", " ") == nil {
			data = pretty.Bytes()
		}
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
	case f.LF, f.Mixed && a.eol%2 == 0:
		return "\n"
	case f.CR:
		return "\r"
	}
	return "\r\n"
}

// event returns an event's JSON.
func (a *answer) event(e Event) []byte {
	if e.Error != nil {
		return compact(e.Error.object())
	}
	a.parts += len(e.Parts)
	out := map[string]any{"modelVersion": a.model, "responseId": a.id, "usageMetadata": a.usage(e)}
	switch {
	case e.Block != "":
		out["promptFeedback"] = map[string]any{"blockReason": e.Block}
	default:
		out["candidates"] = []any{a.candidate(e)}
	}
	return compact(out)
}

func (a *answer) candidate(e Event) map[string]any {
	content := map[string]any{"role": "model"}
	if len(e.Parts) > 0 {
		content["parts"] = a.sign(e.Parts)
	}
	out := map[string]any{"content": content, "index": 0}
	if e.Finish != "" {
		out["finishReason"] = e.Finish
	}
	if len(e.Citations) > 0 {
		name := "citationSources"
		if strings.Contains(a.h.URL.Path, "/publishers/") { // Vertex AI differs
			name = "citations"
		}
		out["citationMetadata"] = map[string]any{name: e.Citations}
	}
	if e.Grounding != nil {
		out["groundingMetadata"] = e.Grounding
	}
	return out
}

func (a *answer) usage(e Event) Usage {
	if e.Usage != nil {
		return *e.Usage
	}
	return Usage{Prompt: 10, Answer: a.parts, Total: 10 + a.parts}
}

// sign adds a thought signature to the first call of an answer, as thinking models
// do, and records every signature.
func (a *answer) sign(in []Part) []Part {
	out := append([]Part(nil), in...)
	for i := range out {
		p := &out[i]
		if p.FunctionCall != nil && !a.signed && p.ThoughtSignature == "" && checksSignatures(a.model) {
			p.ThoughtSignature = base64.StdEncoding.EncodeToString([]byte("signed " + a.id + " ÿ\x00"))
		}
		a.signed = a.signed || p.FunctionCall != nil
		if p.ThoughtSignature != "" {
			a.s.mu.Lock()
			a.s.signatures[p.ThoughtSignature] = p.function()
			a.s.mu.Unlock()
		}
	}
	return out
}

// checksSignatures reports whether the model requires the signatures of its calls.
func checksSignatures(model string) bool { return strings.HasPrefix(model, "gemini-3") }

func compact(v any) []byte {
	var out bytes.Buffer
	if err := json.Compact(&out, mustJSON(v)); err != nil {
		panic(fmt.Sprintf("geminitest: a reply does not encode: %v", err))
	}
	return out.Bytes()
}
