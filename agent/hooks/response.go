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
		Role  string   `json:"role"`
		Parts []string `json:"parts"`
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
	at.Content.Role, at.Content.Parts = string(model.Model), []string{}
	for _, p := range c.Parts {
		t, ok := p.(model.Text)
		if !ok || t.Text == "" {
			continue
		}
		r.Text += t.Text
		at.Content.Parts = append(at.Content.Parts, t.Text)
	}
	if u := c.Usage; u != nil {
		r.Usage = &llmUsage{u.Input, u.Output, u.Total}
	}
	raw, err := encode(r)
	if err != nil {
		return json.RawMessage("{}") // cannot happen
	}
	return raw
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
				Parts []json.RawMessage `json:"parts"`
			} `json:"content"`
			Finish string `json:"finishReason"`
		} `json:"candidates"`
	}
	if !ok || json.Unmarshal(raw, &r) != nil {
		return Response{}, false
	}
	var out Response
	if len(r.Candidates) == 0 {
		return Response{Text: Bounded(r.Text, maxAnswer)}, r.Text != ""
	}
	var b strings.Builder
	for _, p := range r.Candidates[0].Content.Parts {
		b.WriteString(partText(p))
	}
	out.Text = Bounded(b.String(), maxAnswer)
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
	c := model.Chunk{Finish: cmp.Or(r.Finish, model.Stop)}
	if r.Text != "" {
		c.Parts = []model.Part{model.Text{Text: r.Text}}
	}
	return c
}

// Over returns a chunk of an answer with its text replaced by the hook's,
// unless they are equal. Calls stay, and so does the finish reason if the hook
// sets none.
func (r Response) Over(c model.Chunk) model.Chunk {
	if c.Finish != "" && r.Finish != "" {
		c.Finish = r.Finish
	}
	if r.Text == textOf(c.Parts) {
		return c
	}
	var parts []model.Part
	if r.Text != "" {
		parts = append(parts, model.Text{Text: r.Text})
	}
	for _, p := range c.Parts {
		switch p := p.(type) {
		case model.Text:
			if p.Text == "" { // only a signature
				parts = append(parts, p)
			}
		case model.Thought, model.Blob, model.Call, model.Result:
			parts = append(parts, p)
		}
	}
	c.Parts = parts
	return c
}
