package hooks

import (
	"encoding/json"
	"slices"
	"strings"

	"github.com/emendo-dev/emendo/agent/model"
)

// llmRequest is a model request as hooks see it: only texts, independent of the
// provider.
type llmRequest struct {
	Model      string       `json:"model"`
	Messages   []llmMessage `json:"messages"`
	Config     llmConfig    `json:"config"`
	ToolConfig *ToolConfig  `json:"toolConfig,omitempty"`
}

type llmMessage struct {
	Role    string  `json:"role"` // user, model
	Content content `json:"content"`
}

// content is a text. Hooks may also write it as a part, an object with a text, or as a list of
// texts and parts.
type content string

// UnmarshalJSON implements [json.Unmarshaler].
func (c *content) UnmarshalJSON(b []byte) error {
	var text string
	var part struct {
		Text string `json:"text"`
	}
	if json.Unmarshal(b, &text) == nil || json.Unmarshal(b, &part) == nil {
		*c = content(text + part.Text)
		return nil
	}
	var parts []content
	err := json.Unmarshal(b, &parts)
	*c = joined(parts)
	return err
}

func joined(parts []content) (all content) {
	for _, p := range parts {
		all += p
	}
	return all
}

type llmConfig struct {
	Temperature     *float32 `json:"temperature,omitempty"`
	MaxOutputTokens *int32   `json:"maxOutputTokens,omitempty"`
	TopP            *float32 `json:"topP,omitempty"`
	TopK            *float32 `json:"topK,omitempty"`
}

// Modes of a [ToolConfig].
const (
	ModeAuto = "AUTO" // the model decides
	ModeAny  = "ANY"  // it must call one
	ModeNone = "NONE" // it must not call any
)

// ToolConfig restricts the tools that a model may call in one request.
type ToolConfig struct {
	Mode    string   `json:"mode,omitempty"`
	Allowed []string `json:"allowedFunctionNames,omitempty"` // empty: all
}

// ToolConfig returns the hook's restriction of tools, and false if it has none.
func (o Output) ToolConfig() (ToolConfig, bool) {
	raw, ok := o.object("toolConfig")
	if !ok {
		return ToolConfig{}, false
	}
	var t struct {
		ToolConfig
		Nested *ToolConfig `json:"functionCallingConfig"` // as Gemini's API nests it
	}
	if json.Unmarshal(raw, &t) != nil {
		return ToolConfig{}, false
	}
	if t.Nested != nil {
		t.ToolConfig = *t.Nested
	}
	t.Mode = strings.ToUpper(t.Mode)
	if !slices.Contains([]string{ModeAuto, ModeAny, ModeNone}, t.Mode) {
		t.Mode = "" // its names count anyway
	}
	return t.ToolConfig, true
}

// DescribeRequest returns a request as hooks see it, without parts other than
// text and without messages that have none.
func DescribeRequest(req model.Request) json.RawMessage {
	r := llmRequest{Model: req.Model, Messages: []llmMessage{}}
	for _, m := range req.Messages {
		if text := textOf(m.Parts); text != "" {
			r.Messages = append(r.Messages, llmMessage{string(m.Role), content(text)})
		}
	}
	c := req.Config
	r.Config = llmConfig{Temperature: c.Temperature, TopP: c.TopP, TopK: c.TopK}
	if c.MaxTokens != 0 {
		r.Config.MaxOutputTokens = &c.MaxTokens
	}
	names := make([]string, len(req.Tools))
	for i, t := range req.Tools {
		names[i] = t.Name
	}
	r.ToolConfig = &ToolConfig{Mode: ModeAuto, Allowed: names}
	return described(r)
}

// described encodes what hooks see; "{}" if that contains NaN or an infinity.
func described(v any) json.RawMessage {
	raw, err := encode(v)
	if err != nil {
		return json.RawMessage("{}")
	}
	return raw
}

func textOf(parts []model.Part) string {
	var b strings.Builder
	for _, p := range parts {
		if t, ok := p.(model.Text); ok {
			b.WriteString(t.Text)
		}
	}
	return b.String()
}

// Request returns req as the hook changed it, and false if it did not change
// it.
func (o Output) Request(req model.Request) (model.Request, bool) {
	raw, ok := o.object("llm_request")
	if !ok {
		return req, false
	}
	var r struct {
		Model    string          `json:"model"`
		Messages *[]llmMessage   `json:"messages"`
		Config   json.RawMessage `json:"config"`
	}
	fields := map[string]json.RawMessage{}
	if json.Unmarshal(raw, &fields) != nil {
		return req, false
	}
	pick(fields, "model", &r.Model)
	pick(fields, "messages", &r.Messages)
	pick(fields, "config", &r.Config)
	if r.Model != "" {
		req.Model = r.Model
	}
	if r.Messages != nil {
		req.Messages = realigned(req.Messages, *r.Messages)
	}
	var c llmConfig
	if isObject(r.Config) && json.Unmarshal(r.Config, &c) == nil {
		over := model.Config{Temperature: c.Temperature, TopP: c.TopP, TopK: c.TopK}
		if c.MaxOutputTokens != nil && *c.MaxOutputTokens > 0 {
			over.MaxTokens = *c.MaxOutputTokens
		}
		req.Config = over.Over(req.Config)
	}
	return req, true
}

// realigned replaces the texts of messages by a hook's, in order. Other parts
// stay. Texts that the hook left out are removed, and additional messages are
// appended.
func realigned(have []model.Message, want []llmMessage) []model.Message {
	out := make([]model.Message, 0, len(have))
	next := 0
	for _, m := range have {
		old := textOf(m.Parts)
		if old == "" {
			out = append(out, m)
			continue
		}
		text := ""
		if next < len(want) {
			text = string(want[next].Content)
		}
		next++
		if text != old {
			m.Parts = withText(m.Parts, text)
		}
		if len(m.Parts) > 0 {
			out = append(out, m)
		}
	}
	for ; next < len(want); next++ {
		role := model.User
		if want[next].Role == string(model.Model) {
			role = model.Model
		}
		if text := want[next].Content; text != "" {
			out = append(out, model.Message{Role: role, Parts: withText(nil, string(text))})
		}
	}
	return alternating(out)
}

// withText returns parts with another text. Results of calls come first, as
// providers require.
func withText(have []model.Part, text string) []model.Part {
	var parts, rest []model.Part
	for _, p := range have {
		switch p := p.(type) {
		case model.Text:
			if p.Text == "" { // only a signature
				rest = append(rest, p)
			}
		case model.Result:
			parts = append(parts, p)
		case model.Call, model.Blob, model.Thought:
			rest = append(rest, p)
		}
	}
	if text != "" {
		parts = append(parts, model.Text{Text: text})
	}
	return append(parts, rest...)
}

// alternating joins consecutive messages of the same role.
func alternating(ms []model.Message) []model.Message {
	var out []model.Message
	for _, m := range ms {
		if n := len(out); n > 0 && out[n-1].Role == m.Role {
			out[n-1].Parts = slices.Concat(out[n-1].Parts, m.Parts)
			continue
		}
		out = append(out, m)
	}
	return out
}
