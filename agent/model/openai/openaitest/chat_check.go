package openaitest

import (
	"encoding/json"
	"fmt"
	"strings"
)

// chatRequest is a request of Chat Completions.
type chatRequest struct {
	Model         string `json:"model"`
	Messages      []raw  `json:"messages"`
	Stream        bool   `json:"stream"`
	StreamOptions *struct {
		IncludeUsage       bool  `json:"include_usage"`
		IncludeObfuscation *bool `json:"include_obfuscation"`
	} `json:"stream_options"`
	MaxTokens           *int     `json:"max_tokens"`
	MaxCompletionTokens *int     `json:"max_completion_tokens"`
	Temperature         *float64 `json:"temperature"`
	TopP                *float64 `json:"top_p"`
	TopK                *int     `json:"top_k"`
	Stop                raw      `json:"stop"`
	Seed                *int     `json:"seed"`
	Tools               []raw    `json:"tools"`
	ToolChoice          raw      `json:"tool_choice"`
	ReasoningEffort     string   `json:"reasoning_effort"`
	Store               *bool    `json:"store"`
	PromptCacheKey      string   `json:"prompt_cache_key"`

	FrequencyPenalty     raw `json:"frequency_penalty"`
	PresencePenalty      raw `json:"presence_penalty"`
	Logprobs             raw `json:"logprobs"`
	TopLogprobs          raw `json:"top_logprobs"`
	LogitBias            raw `json:"logit_bias"`
	N                    raw `json:"n"`
	SafetyIdentifier     raw `json:"safety_identifier"`
	User                 raw `json:"user"`
	ParallelToolCalls    raw `json:"parallel_tool_calls"`
	Audio                raw `json:"audio"`
	Metadata             raw `json:"metadata"`
	Modalities           raw `json:"modalities"`
	Moderation           raw `json:"moderation"`
	PromptCacheRetention raw `json:"prompt_cache_retention"`
	PromptCacheOptions   raw `json:"prompt_cache_options"`
	ServiceTier          raw `json:"service_tier"`
	Verbosity            raw `json:"verbosity"`
	Prediction           raw `json:"prediction"`
	ResponseFormat       raw `json:"response_format"`
	WebSearchOptions     raw `json:"web_search_options"`
}

// chatMessage is a message with the fields of all roles that are checked.
type chatMessage struct {
	Role       string `json:"role"`
	Content    raw    `json:"content"`
	Name       string `json:"name"`
	Refusal    raw    `json:"refusal"`
	ToolCallID string `json:"tool_call_id"`
	ToolCalls  []struct {
		ID       string `json:"id"`
		Type     string `json:"type"`
		Function struct {
			Name      string `json:"name"`
			Arguments string `json:"arguments"`
		} `json:"function"`
	} `json:"tool_calls"`
	Reasoning *string `json:"reasoning_content"`
}

// checkChat rejects a request that Chat Completions rejects, and notes in a what the
// answer depends on.
func (s *Server) checkChat(body []byte, req *Request, a *answer) *Refusal {
	var in chatRequest
	if r := strict("", body, &in); r != nil {
		return r
	}
	req.Model = in.Model
	if r := s.checkModel(in.Model); r != nil {
		return r
	}
	if !in.Stream {
		return invalid("stream", "this server streams events only: stream is missing")
	}
	if r := s.checkChatConfig(&in); r != nil {
		return r
	}
	if len(in.Messages) == 0 {
		return coded("empty_array", "messages", "Invalid 'messages': empty array. Expected an array with minimum length 1, but got an empty array instead.")
	}
	messages := make([]chatMessage, len(in.Messages))
	for i, data := range in.Messages {
		at := fmt.Sprintf("messages.[%d]", i)
		if r := strict(at, data, &messages[i]); r != nil {
			return r
		}
		if r := s.checkChatMessage(at, &messages[i]); r != nil {
			return r
		}
	}
	if r := checkChatOrder(messages); r != nil {
		return r
	}
	names, r := checkChatTools(in.Tools)
	if r != nil {
		return r
	}
	if r := checkChoice(in.ToolChoice, names, len(in.Tools) > 0); r != nil {
		return r
	}
	a.counts = in.StreamOptions != nil && in.StreamOptions.IncludeUsage
	req.said = textOf(messages[len(messages)-1].Content)
	return nil
}

func (s *Server) checkChatConfig(in *chatRequest) *Refusal {
	reasoning := reasons(in.Model)
	unknown := func(name string) *Refusal { return coded("unknown_parameter", name, "Unknown parameter: '%s'.", name) }
	switch {
	case s.o.Compatible && in.MaxCompletionTokens != nil:
		return unknown("max_completion_tokens")
	case s.o.Compatible && in.Store != nil:
		return unknown("store")
	case s.o.Compatible && in.PromptCacheKey != "":
		return unknown("prompt_cache_key")
	case !s.o.Compatible && in.TopK != nil:
		return unknown("top_k")
	case !s.o.Compatible && reasoning && in.MaxTokens != nil:
		return coded("unsupported_parameter", "max_tokens", "Unsupported parameter: 'max_tokens' is not supported with this model. Use 'max_completion_tokens' instead.")
	case reasoning && len(in.Stop) > 0:
		return coded("unsupported_parameter", "stop", "Unsupported parameter: 'stop' is not supported with this model.")
	case !reasoning && in.ReasoningEffort != "":
		return coded("unsupported_parameter", "reasoning_effort", "Unsupported parameter: 'reasoning_effort' is not supported with this model.")
	}
	if in.ReasoningEffort != "" {
		if r := oneOf("reasoning_effort", in.ReasoningEffort, "none", "minimal", "low", "medium", "high", "xhigh", "max"); r != nil {
			return r
		}
	}
	for name, n := range map[string]*int{"max_tokens": in.MaxTokens, "max_completion_tokens": in.MaxCompletionTokens} {
		if n != nil && *n < 1 {
			return coded("integer_below_min_value", name, "Invalid '%s': integer below minimum value.", name)
		}
	}
	if len(in.Stop) > 0 {
		var list []string
		if _, one := isText(in.Stop); !one && (json.Unmarshal(in.Stop, &list) != nil || len(list) == 0 || len(list) > 4) {
			return coded("array_above_max_length", "stop", "Invalid 'stop': expected an array with 1 to 4 strings.")
		}
	}
	return checkSampling(reasoning, in.Temperature, in.TopP)
}

// checkChatMessage checks one message alone.
func (s *Server) checkChatMessage(at string, m *chatMessage) *Refusal {
	roles := []string{"system", "developer", "user", "assistant", "tool"}
	if s.o.Compatible {
		roles = []string{"system", "user", "assistant", "tool"}
	}
	if r := oneOf(at+".role", m.Role, roles...); r != nil {
		return r
	}
	switch {
	case m.ToolCallID != "" && m.Role != "tool":
		return coded("unknown_parameter", at+".tool_call_id", "Unknown parameter: '%s.tool_call_id'.", at)
	case m.ToolCalls != nil && m.Role != "assistant":
		return coded("unknown_parameter", at+".tool_calls", "Unknown parameter: '%s.tool_calls'.", at)
	case m.Reasoning != nil && (m.Role != "assistant" || !s.o.WantsReasoning):
		return coded("unknown_parameter", at+".reasoning_content", "Unknown parameter: '%s.reasoning_content'.", at)
	case m.Role == "tool" && m.ToolCallID == "":
		return missing(at + ".tool_call_id")
	case m.Role != "assistant":
		return s.checkParts(at+".content", m)
	case len(m.Content) == 0 && len(m.ToolCalls) == 0:
		return invalid(at+".content", "Invalid value for 'content': expected a string, got null.")
	case m.ToolCalls != nil && len(m.ToolCalls) == 0:
		return coded("empty_array", at+".tool_calls", "Invalid '%s.tool_calls': empty array. Expected an array with minimum length 1, but got an empty array instead.", at)
	case len(m.ToolCalls) > 0 && s.o.WantsReasoning && (m.Reasoning == nil || *m.Reasoning == ""):
		return invalid(at, "The `reasoning_content` in the thinking mode must be passed back to the API.")
	}
	for i, c := range m.ToolCalls {
		at := fmt.Sprintf("%s.tool_calls[%d]", at, i)
		if r := oneOf(at+".type", c.Type, "function"); r != nil {
			return r
		}
		if r := checkCall(at, c.ID, c.Function.Name, c.Function.Arguments); r != nil {
			return r
		}
	}
	if len(m.Content) > 0 {
		return s.checkParts(at+".content", m)
	}
	return nil
}

// checkParts checks the content of a message.
func (s *Server) checkParts(at string, m *chatMessage) *Refusal {
	if text, ok := isText(m.Content); ok {
		if text == "" {
			return coded("empty_string", at, "Invalid '%s': empty string.", at)
		}
		return nil
	}
	var list []raw
	if len(m.Content) == 0 || json.Unmarshal(m.Content, &list) != nil || len(list) == 0 {
		return invalid(at, "Invalid value for 'content': expected a string or an array of parts that is not empty.")
	}
	for i, data := range list {
		at := fmt.Sprintf("%s[%d]", at, i)
		types := []string{"text"}
		if m.Role == "user" {
			types = []string{"text", "image_url", "file"}
		}
		if r := oneOf(at+".type", typeOf(data), types...); r != nil {
			return r
		}
		var p struct {
			Type     string  `json:"type"`
			Text     *string `json:"text"`
			ImageURL *struct {
				URL    string `json:"url"`
				Detail string `json:"detail"`
			} `json:"image_url"`
			File *struct {
				Filename string `json:"filename"`
				FileData string `json:"file_data"`
			} `json:"file"`
		}
		if r := strict(at, data, &p); r != nil {
			return r
		}
		var r *Refusal
		switch {
		case p.Type == "text" && (p.Text == nil || *p.Text == ""):
			r = coded("empty_string", at+".text", "Invalid '%s.text': empty string.", at)
		case p.Type == "image_url" && p.ImageURL == nil, p.Type == "file" && p.File == nil:
			r = missing(at + "." + p.Type)
		case p.Type == "image_url":
			r = checkImage(at+".image_url.url", p.ImageURL.URL)
		case p.Type == "file":
			r = checkFile(at+".file", p.File.Filename, p.File.FileData)
		}
		if r != nil {
			return r
		}
	}
	return nil
}

// checkChatOrder checks the order of roles, and that calls are answered.
func checkChatOrder(messages []chatMessage) *Refusal {
	open := map[string]bool{}
	seen := map[string]bool{}
	unanswered := func() *Refusal {
		if len(open) == 0 {
			return nil
		}
		var ids []string
		for id := range open {
			ids = append(ids, id)
		}
		return invalid("messages", "An assistant message with 'tool_calls' must be followed by tool messages responding to each 'tool_call_id'. The following tool_call_ids did not have response messages: %s", strings.Join(ids, ", "))
	}
	begun := false // someone has spoken
	for i, m := range messages {
		if m.Role == "tool" {
			if !open[m.ToolCallID] {
				return invalid(fmt.Sprintf("messages.[%d].role", i), "Invalid parameter: messages with role 'tool' must be a response to a preceding message with 'tool_calls'.")
			}
			delete(open, m.ToolCallID)
			continue
		}
		if r := unanswered(); r != nil {
			return r
		}
		if begun && (m.Role == "system" || m.Role == "developer") {
			return invalid(fmt.Sprintf("messages.[%d].role", i), "this server wants system messages at the beginning")
		}
		begun = begun || m.Role == "user" || m.Role == "assistant"
		for _, c := range m.ToolCalls {
			if seen[c.ID] {
				return invalid("messages", "Duplicate value for 'tool_call_id' of '%s' in messages.", c.ID)
			}
			open[c.ID], seen[c.ID] = true, true
		}
	}
	if r := unanswered(); r != nil {
		return r
	}
	if last := messages[len(messages)-1].Role; last != "user" && last != "tool" {
		return invalid("messages", "the messages end with one of the role '%s'", last)
	}
	return nil
}
