package hooks

import (
	"cmp"
	"encoding/json"
	"strings"

	"github.com/emendo-dev/emendo/agent/model"
)

// llmResponse is an answer of a model, or a chunk of it, as hooks see it.
type llmResponse struct {
	Text       string         `json:"text,omitempty"`
	Candidates []llmCandidate `json:"candidates"`
	Usage      *llmUsage      `json:"usageMetadata,omitempty"`
}

type llmCandidate struct {
	Content struct {
		Role  string    `json:"role"`
		Parts []content `json:"parts"`
	} `json:"content"`
	Finish string `json:"finishReason,omitempty"`
	Index  int    `json:"index"`
}

type llmUsage struct {
	Prompt    int64 `json:"promptTokenCount"`
	Candidate int64 `json:"candidatesTokenCount"`
	Total     int64 `json:"totalTokenCount"`
}

// finishes maps the reasons why an answer ended to Gemini's names.
var finishes = map[model.Finish]string{
	model.Stop: "STOP", model.MaxTokens: "MAX_TOKENS", model.Safety: "SAFETY", model.MalformedCall: "MALFORMED_FUNCTION_CALL", model.Other: "OTHER",
}

// DescribeChunk returns a chunk of an answer as hooks see it: its text, the
// finish reason and the token counts.
func DescribeChunk(c model.Chunk) json.RawMessage {
	r := llmResponse{Candidates: []llmCandidate{{Finish: finishes[c.Finish]}}}
	at := &r.Candidates[0]
	at.Content.Role, at.Content.Parts = string(model.Model), []content{}
	for _, p := range c.Parts {
		t, ok := p.(model.Text)
		if !ok || t.Text == "" {
			continue
		}
		r.Text += t.Text
		at.Content.Parts = append(at.Content.Parts, content(t.Text))
	}
	if u := c.Usage; u != nil {
		r.Usage = &llmUsage{u.Input, u.Output, u.Total}
	}
	return described(r)
}

// A Response is an answer that a hook provides in place of the model's.
type Response struct {
	Text   string
	Finish model.Finish // may be empty
}

// Response returns the answer that the hook provides, and false if there is
// none.
func (o Output) Response() (Response, bool) {
	raw, ok := o.object("llm_response")
	var r struct {
		Text       string `json:"text"`
		Candidates []struct {
			Content struct {
				Parts []content `json:"parts"`
			} `json:"content"`
			Finish string `json:"finishReason"`
		} `json:"candidates"`
	}
	if !ok || json.Unmarshal(raw, &r) != nil {
		return Response{}, false
	}
	if len(r.Candidates) == 0 {
		return Response{Text: Bounded(r.Text, maxAnswer)}, r.Text != ""
	}
	out := Response{Text: Bounded(string(joined(r.Candidates[0].Content.Parts)), maxAnswer)}
	for f, word := range finishes {
		if strings.EqualFold(word, r.Candidates[0].Finish) {
			out.Finish = f
		}
	}
	if out.Finish == "" && r.Candidates[0].Finish != "" {
		out.Finish = model.Other
	}
	return out, true
}

// Chunk returns the answer as a model would send it.
func (r Response) Chunk() model.Chunk {
	return model.Chunk{Finish: cmp.Or(r.Finish, model.Stop), Parts: withText(nil, r.Text)}
}

// Over returns a chunk of an answer with its text replaced by the hook's,
// unless they are equal. Calls stay, and so does the finish reason if the hook
// sets none.
func (r Response) Over(c model.Chunk) model.Chunk {
	if c.Finish != "" && r.Finish != "" {
		c.Finish = r.Finish
	}
	if r.Text != textOf(c.Parts) {
		c.Parts = withText(c.Parts, r.Text)
	}
	return c
}
