package geminitest

import (
	"encoding/base64"
	"strings"

	"github.com/emendo-dev/emendo/agent/model/servertest"
)

// answer renders one answer.
type answer struct {
	s      *Server
	model  string
	vertex bool // by Vertex AI
	id     string

	parts  int  // so far, for the counts
	signed bool // the first call has its signature
}

// render returns the events of the API for those of a reply.
func (a *answer) render(events []Event) []servertest.Event {
	var out []servertest.Event
	for _, e := range events {
		data := []byte(e.Raw)
		if e.Raw == "" {
			data = a.event(e)
		}
		out = append(out, servertest.Event{Data: data, Bare: e.Bare, Hold: e.Hold})
	}
	return out
}

// event returns an event's JSON.
func (a *answer) event(e Event) []byte {
	if e.Error != nil {
		return servertest.JSON(e.Error.object())
	}
	a.parts += len(e.Parts)
	out := map[string]any{"modelVersion": a.model, "responseId": a.id, "usageMetadata": a.usage(e)}
	switch {
	case e.Block != "":
		out["promptFeedback"] = map[string]any{"blockReason": e.Block}
	default:
		out["candidates"] = []any{a.candidate(e)}
	}
	return servertest.JSON(out)
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
		if a.vertex {
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
