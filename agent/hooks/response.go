package hooks

import (
	"cmp"
	"encoding/json"
	"strings"

	"github.com/emendo-dev/emendo/agent/model"
)

// llmResponse is an answer of a model, or a piece of it, as hooks know it.
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

// finishes are the words for why an answer ended.
var finishes = map[model.Finish]string{
	model.Stop: "STOP", model.MaxTokens: "MAX_TOKENS", model.Safety: "SAFETY", model.MalformedCall: "MALFORMED_FUNCTION_CALL", model.Other: "OTHER",
}

// DescribeChunk is a piece of an answer as hooks are told of it: its texts, why
// the answer ended, and the counts.
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
		return json.RawMessage("{}") // nothing in it fails
	}
	return raw
}

// A Response is an answer that a hook gives in place of a model's.
type Response struct {
	Text   string
	Finish model.Finish // empty where the hook does not say
}

// Response is the answer that the hook gives; false when it gives none.
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

// Chunk is the answer as a model would give it.
func (r Response) Chunk() model.Chunk {
	c := model.Chunk{Finish: cmp.Or(r.Finish, model.Stop)}
	if r.Text != "" {
		c.Parts = []model.Part{model.Text{Text: r.Text}}
	}
	return c
}

// Over is a piece of an answer with the hook's text in place of its own, unless
// that is the same. Calls stay, and so does the end that the hook says nothing of.
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
			if p.Text == "" { // a signature alone
				parts = append(parts, p)
			}
		case model.Thought, model.Blob, model.Call, model.Result:
			parts = append(parts, p)
		}
	}
	c.Parts = parts
	return c
}
