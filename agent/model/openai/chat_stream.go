package openai

import (
	"encoding/json"
	"fmt"
	"strings"

	"github.com/openai/openai-go/v3"
	"github.com/openai/openai-go/v3/packages/respjson"

	"github.com/emendo-dev/emendo/agent/model"
)

// maxCalls bounds the calls in one answer, which are collected until it ends.
const maxCalls = 256

// chatReader translates the events of the Chat Completions API.
type chatReader struct {
	s *stream

	calls   []*pendingCall
	refused bool
	tags    tagged
}

// pendingCall is a call of which more may arrive.
type pendingCall struct {
	index    int64
	id, name string
	args     strings.Builder
}

// before reports whether a piece without an ID begins another call: it names a tool,
// while the call so far is whole.
func (p *pendingCall) before(f openai.ChatCompletionChunkChoiceDeltaToolCallFunction) bool {
	switch args := strings.TrimSpace(p.args.String()); {
	case f.Name == "" || p.name == "":
		return false
	case args == "":
		return f.Name != p.name
	default:
		return json.Valid([]byte(args)) && (f.Name != p.name || strings.TrimSpace(f.Arguments) != "")
	}
}

// event implements [reader].
func (r *chatReader) event(data []byte) (model.Chunk, bool, error) {
	var e openai.ChatCompletionChunk
	if err := r.s.decode(data, &e); err != nil {
		return model.Chunk{}, false, err
	}
	c := model.Chunk{ResponseID: r.s.respond(e.ID)}
	if u := e.Usage; e.JSON.Usage.Valid() {
		c.Usage = usage(u.PromptTokens, u.PromptTokensDetails.CachedTokens, u.CompletionTokens, u.CompletionTokensDetails.ReasoningTokens, u.TotalTokens)
	}
	for _, choice := range e.Choices {
		if choice.Index != 0 {
			continue
		}
		if err := r.choice(choice, &c); err != nil {
			return c, false, err
		}
	}
	return c, false, nil
}

// choice translates a piece of the answer.
func (r *chatReader) choice(choice openai.ChatCompletionChunkChoice, c *model.Chunk) error {
	d := choice.Delta
	if text := thought(d.JSON.ExtraFields); text != "" {
		appendThought(c, text)
	}
	switch thoughts, text, ok := contentList(d.JSON.Content.Raw()); {
	case ok:
		appendThought(c, thoughts)
		appendText(c, text)
	case r.s.g.o.Compatible:
		thought, said := r.tags.split(d.Content)
		appendThought(c, thought)
		appendText(c, said)
	default:
		appendText(c, d.Content)
	}
	if d.Refusal != "" {
		r.refused = true
		c.Parts = append(c.Parts, model.Text{Text: d.Refusal})
	}
	for _, source := range cited(d.JSON.ExtraFields) {
		c.Citations = append(c.Citations, r.s.out.Cite(source.Title, source.URL)...)
	}
	for _, t := range d.ToolCalls {
		if err := r.collect(t); err != nil {
			return err
		}
	}
	if choice.FinishReason != "" {
		r.s.word = choice.FinishReason
		r.s.finish = chatFinish(choice.FinishReason, r.refused)
	}
	return nil
}

func appendThought(c *model.Chunk, text string) {
	if text != "" {
		c.Parts = append(c.Parts, model.Thought{Text: text})
	}
}

func appendText(c *model.Chunk, text string) {
	if text != "" {
		c.Parts = append(c.Parts, model.Text{Text: text})
	}
}

// contentList returns the thoughts and the text in a delta's content that is a list, as
// some servers send it. It reports false for any other text.
func contentList(raw string) (thoughts, text string, ok bool) {
	if !strings.HasPrefix(strings.TrimSpace(raw), "[") {
		return "", "", false
	}
	type part struct {
		Type     string          `json:"type"`
		Text     string          `json:"text"`
		Thinking json.RawMessage `json:"thinking"`
	}
	var list []part
	if json.Unmarshal([]byte(raw), &list) != nil {
		return "", "", false
	}
	for _, p := range list {
		text += p.Text
		var inner []part
		var plain string
		switch {
		case json.Unmarshal(p.Thinking, &plain) == nil:
			thoughts += plain
		case json.Unmarshal(p.Thinking, &inner) == nil:
			for _, t := range inner {
				thoughts += t.Text
			}
		}
	}
	return thoughts, text, true
}

// collect adds a piece of a call. Some servers give all calls the same index, with an
// ID for each, or with none where they send calls whole.
func (r *chatReader) collect(t openai.ChatCompletionChunkChoiceDeltaToolCall) error {
	var p *pendingCall
	for _, known := range r.calls {
		if known.index == t.Index && (t.ID == "" || known.id == "" || known.id == t.ID) {
			p = known // the last one of this index
		}
	}
	if p != nil && p.id == "" && t.ID == "" && p.before(t.Function) {
		p = nil
	}
	if p == nil {
		if len(r.calls) == maxCalls {
			return &model.Error{Kind: model.Invalid, Status: r.s.x.Status, Message: fmt.Sprintf("the model's answer has more than %d calls", maxCalls)}
		}
		p = &pendingCall{index: t.Index}
		r.calls = append(r.calls, p)
	}
	if t.ID != "" {
		p.id = t.ID
	}
	if p.name == "" {
		p.name = t.Function.Name
	}
	p.args.WriteString(t.Function.Arguments)
	return nil
}

// end implements [reader]: only now the calls are whole.
func (r *chatReader) end() model.Chunk {
	var c model.Chunk
	thought, said := r.tags.remainder()
	appendThought(&c, thought)
	appendText(&c, said)
	for _, p := range r.calls {
		c.Parts = append(c.Parts, r.s.call(p.id, p.name, p.args.String()))
	}
	return c
}

// chatFinish translates a finish reason. Gateways pass on those of other APIs.
func chatFinish(word string, refused bool) model.Finish {
	switch strings.ToLower(word) {
	case "stop", "tool_calls", "function_call", "tool_use", "end_turn", "eos", "eos_token", "stop_sequence", "complete", "completed":
		if refused {
			return model.Safety
		}
		return model.Stop
	case "length", "max_tokens", "model_length":
		return model.MaxTokens
	case "content_filter", "safety":
		return model.Safety
	}
	return model.Other
}

// thought returns the reasoning in a delta. It is not OpenAI's, and servers have two
// names for it.
func thought(extra map[string]respjson.Field) string {
	for _, name := range []string{"reasoning_content", "reasoning"} {
		var text string
		if raw := extra[name].Raw(); raw != "" && json.Unmarshal([]byte(raw), &text) == nil && text != "" {
			return text
		}
	}
	return ""
}

// webSource is a source of a server that searches the web.
type webSource struct{ Title, URL string }

// cited returns the sources in a delta.
func cited(extra map[string]respjson.Field) []webSource {
	var list []struct {
		Type string    `json:"type"`
		URL  webSource `json:"url_citation"`
	}
	raw := extra["annotations"].Raw()
	if raw == "" || json.Unmarshal([]byte(raw), &list) != nil {
		return nil
	}
	var out []webSource
	for _, a := range list {
		if a.Type == "url_citation" {
			out = append(out, a.URL)
		}
	}
	return out
}
