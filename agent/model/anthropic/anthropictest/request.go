package anthropictest

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
)

// The request types, as far as an agent uses them. Fields that are not here are
// unknown.
type request struct {
	Model         string        `json:"model"`
	MaxTokens     *int          `json:"max_tokens"`
	Messages      []Message     `json:"messages"`
	System        Content       `json:"system"`
	Tools         []tool        `json:"tools"`
	ToolChoice    *toolChoice   `json:"tool_choice"`
	Thinking      *thinking     `json:"thinking"`
	OutputConfig  *outputConfig `json:"output_config"`
	Temperature   *float64      `json:"temperature"`
	TopP          *float64      `json:"top_p"`
	TopK          *int          `json:"top_k"`
	StopSequences []string      `json:"stop_sequences"`
	Stream        bool          `json:"stream"`
}

// Message is one message of a request.
type Message struct {
	Role    string  `json:"role"`
	Content Content `json:"content"`
}

// Content is the content of a message, of the system prompt or of a result. A string
// is one block of text.
type Content []Block

// UnmarshalJSON implements [json.Unmarshaler].
func (c *Content) UnmarshalJSON(b []byte) error {
	var text string
	if json.Unmarshal(b, &text) == nil {
		*c = Content{{Type: "text", Text: text}}
		return nil
	}
	return json.Unmarshal(b, (*[]Block)(c))
}

// Block is a block of content, of any type.
type Block struct {
	Type         string          `json:"type"`
	Text         string          `json:"text"`
	Thinking     string          `json:"thinking"`
	Signature    string          `json:"signature"`
	Data         string          `json:"data"`
	ID           string          `json:"id"`
	Name         string          `json:"name"`
	Input        json.RawMessage `json:"input"`
	ToolUseID    string          `json:"tool_use_id"`
	Content      Content         `json:"content"`
	IsError      bool            `json:"is_error"`
	Source       *Source         `json:"source"`
	CacheControl *cacheControl   `json:"cache_control"`
}

// Source is the source of an image or a document.
type Source struct {
	Type      string `json:"type"`
	MediaType string `json:"media_type"`
	Data      string `json:"data"`
}

type cacheControl struct {
	Type string `json:"type"`
	TTL  string `json:"ttl"`
}

type tool struct {
	Type         string          `json:"type"`
	Name         string          `json:"name"`
	Description  string          `json:"description"`
	InputSchema  json.RawMessage `json:"input_schema"`
	MaxUses      int             `json:"max_uses"`
	CacheControl *cacheControl   `json:"cache_control"`
}

type toolChoice struct {
	Type string `json:"type"`
	Name string `json:"name"`
}

type thinking struct {
	Type         string `json:"type"`
	BudgetTokens *int   `json:"budget_tokens"`
	Display      string `json:"display"`
}

type outputConfig struct {
	Effort string `json:"effort"`
}

// fields are the fields of each type of block, those that are required first, before
// the empty string.
var fields = map[string][]string{
	"text":              {"text", "", "cache_control", "citations"},
	"thinking":          {"thinking", "signature", ""},
	"redacted_thinking": {"data", ""},
	"image":             {"source", "", "cache_control"},
	"document":          {"source", "", "cache_control", "title", "context", "citations"},
	"tool_use":          {"id", "name", "input", "", "cache_control"},
	"tool_result":       {"tool_use_id", "", "content", "is_error", "cache_control"},

	"server_tool_use":        {"id", "name", "input", "", "cache_control", "caller"},
	"web_search_tool_result": {"tool_use_id", "content", "", "cache_control", "caller"},
	"web_search_result":      {"encrypted_content", "title", "url", "", "page_age"},
}

// parse parses a body, and rejects fields that the API does not have.
func parse(body []byte, counting bool) (*request, *Refusal) {
	var tree map[string]any
	dec := json.NewDecoder(bytes.NewReader(body))
	dec.UseNumber()
	if err := dec.Decode(&tree); err != nil {
		return nil, invalid("The request body is not valid JSON: %v", err)
	}
	required := []string{"model", "messages"}
	optional := []string{"system", "tools", "tool_choice", "thinking", "output_config"}
	if !counting {
		required = append(required, "max_tokens")
		optional = append(optional, "temperature", "top_p", "top_k", "stop_sequences", "stream", "metadata", "service_tier")
	}
	if r := has("", tree, required, optional); r != nil {
		return nil, r
	}
	if r := walk(tree); r != nil {
		return nil, r
	}
	in := &request{}
	if err := json.Unmarshal(body, in); err != nil {
		return nil, invalid("%v", err)
	}
	return in, nil
}

// has checks the names of an object's fields.
func has(at string, v map[string]any, required, optional []string) *Refusal {
	if at != "" {
		at += "."
	}
	for _, name := range required {
		if _, ok := v[name]; !ok {
			return invalid("%s%s: Field required", at, name)
		}
	}
	for name := range v {
		if !slices.Contains(required, name) && !slices.Contains(optional, name) {
			return invalid("%s%s: Extra inputs are not permitted", at, name)
		}
	}
	return nil
}

// walk checks the names of all fields below the top.
func walk(tree map[string]any) *Refusal {
	for i, m := range list(tree["messages"]) {
		at := fmt.Sprintf("messages.%d", i)
		if r := has(at, m, []string{"role", "content"}, nil); r != nil {
			return r
		}
		if r := walkContent(at+".content", m["content"]); r != nil {
			return r
		}
	}
	if r := walkContent("system", tree["system"]); r != nil {
		return r
	}
	for i, t := range list(tree["tools"]) {
		at := fmt.Sprintf("tools.%d", i)
		r := has(at+".custom", t, []string{"name", "input_schema"}, []string{"type", "description", "cache_control", "strict", "eager_input_streaming"})
		if kind, _ := t["type"].(string); strings.HasPrefix(kind, "web_search_") {
			r = has(at+"."+kind, t, []string{"type", "name"}, []string{"max_uses", "allowed_domains", "blocked_domains", "user_location", "cache_control"})
		}
		if r != nil {
			return r
		}
		if r := walkCache(at, t); r != nil {
			return r
		}
	}
	for name, known := range map[string][]string{
		"tool_choice": {"type", "name", "disable_parallel_tool_use"}, "thinking": {"type", "budget_tokens", "display"}, "output_config": {"effort"},
	} {
		v, ok := tree[name].(map[string]any)
		if !ok && tree[name] != nil {
			return invalid("%s: Input should be a valid dictionary", name)
		}
		if r := has(name, v, nil, known); r != nil {
			return r
		}
	}
	return nil
}

func walkContent(at string, v any) *Refusal {
	for i, b := range list(v) {
		kind, _ := b["type"].(string)
		at := fmt.Sprintf("%s.%d", at, i)
		known, ok := fields[kind]
		if !ok {
			return invalid("%s: Input tag '%s' found using 'type' does not match any of the expected tags", at, kind)
		}
		at += "." + kind
		split := slices.Index(known, "")
		if r := has(at, b, append([]string{"type"}, known[:split]...), known[split+1:]); r != nil {
			return r
		}
		if r := walkCache(at, b); r != nil {
			return r
		}
		if source, ok := b["source"].(map[string]any); ok {
			if r := has(at+".source", source, []string{"type", "media_type", "data"}, nil); r != nil {
				return r
			}
		}
		if r := walkContent(at+".content", b["content"]); r != nil {
			return r
		}
	}
	return nil
}

func walkCache(at string, v map[string]any) *Refusal {
	c, ok := v["cache_control"].(map[string]any)
	if !ok {
		return nil
	}
	return has(at+".cache_control", c, []string{"type"}, []string{"ttl"})
}

// list returns the objects of a list.
func list(v any) []map[string]any {
	all, _ := v.([]any)
	out := make([]map[string]any, 0, len(all))
	for _, e := range all {
		m, _ := e.(map[string]any)
		out = append(out, m)
	}
	return out
}
