package openaitest

import (
	"encoding/json"
	"fmt"
	"slices"
)

// responsesRequest is a request of the Responses API.
type responsesRequest struct {
	Model        string   `json:"model"`
	Input        []raw    `json:"input"`
	Instructions *string  `json:"instructions"`
	Stream       bool     `json:"stream"`
	Store        *bool    `json:"store"`
	Include      []string `json:"include"`
	Reasoning    *struct {
		Effort  string `json:"effort"`
		Summary string `json:"summary"`
		Context string `json:"context"`
		Mode    string `json:"mode"`
	} `json:"reasoning"`
	MaxOutputTokens *int     `json:"max_output_tokens"`
	Temperature     *float64 `json:"temperature"`
	TopP            *float64 `json:"top_p"`
	Tools           []raw    `json:"tools"`
	ToolChoice      raw      `json:"tool_choice"`
	PromptCacheKey  string   `json:"prompt_cache_key"`

	Background           raw `json:"background"`
	MaxToolCalls         raw `json:"max_tool_calls"`
	ParallelToolCalls    raw `json:"parallel_tool_calls"`
	PreviousResponseID   raw `json:"previous_response_id"`
	SafetyIdentifier     raw `json:"safety_identifier"`
	TopLogprobs          raw `json:"top_logprobs"`
	User                 raw `json:"user"`
	ContextManagement    raw `json:"context_management"`
	Conversation         raw `json:"conversation"`
	Metadata             raw `json:"metadata"`
	Moderation           raw `json:"moderation"`
	Prompt               raw `json:"prompt"`
	PromptCacheRetention raw `json:"prompt_cache_retention"`
	PromptCacheOptions   raw `json:"prompt_cache_options"`
	ServiceTier          raw `json:"service_tier"`
	StreamOptions        raw `json:"stream_options"`
	Truncation           raw `json:"truncation"`
	AccessPrograms       raw `json:"access_programs"`
	Text                 raw `json:"text"`
}

// item is an item of the input with the fields of all types that are checked.
type item struct {
	Type      string `json:"type"`
	ID        string `json:"id"`
	Status    string `json:"status"`
	Role      string `json:"role"`
	Content   raw    `json:"content"`
	Phase     string `json:"phase"`
	CallID    string `json:"call_id"`
	Name      string `json:"name"`
	Arguments string `json:"arguments"`
	Output    raw    `json:"output"`
	Summary   *[]struct {
		Type string `json:"type"`
		Text string `json:"text"`
	} `json:"summary"`
	Encrypted string `json:"encrypted_content"`
}

// checkResponses rejects a request that the Responses API rejects, and notes in a what
// the answer depends on.
func (s *Server) checkResponses(body []byte, req *Request, a *answer) *Refusal {
	var in responsesRequest
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
	if r := checkResponsesConfig(&in); r != nil {
		return r
	}
	items, r := checkItems(in.Input)
	if r != nil {
		return r
	}
	if r := checkPairs(items); r != nil {
		return r
	}
	if r := s.checkReasoning(in.Model, items); r != nil {
		return r
	}
	names, r := checkResponsesTools(in.Tools)
	if r != nil {
		return r
	}
	if r := checkChoice(in.ToolChoice, names, len(in.Tools) > 0); r != nil {
		return r
	}
	a.encrypts = slices.Contains(in.Include, "reasoning.encrypted_content")
	a.summary = in.Reasoning != nil && in.Reasoning.Summary != ""
	req.said = said(items[len(items)-1])
	return nil
}

// said returns the text of an item.
func said(i item) string {
	data := i.Content
	if i.Type == "function_call_output" {
		data = i.Output
	}
	return textOf(data)
}

// textOf returns the text of content in any of its forms.
func textOf(data raw) string {
	if text, ok := isText(data); ok {
		return text
	}
	var list []struct {
		Text string `json:"text"`
	}
	if json.Unmarshal(data, &list) != nil {
		return ""
	}
	out := ""
	for _, p := range list {
		out += p.Text
	}
	return out
}

func checkResponsesConfig(in *responsesRequest) *Refusal {
	reasoning := reasons(in.Model)
	for i, word := range in.Include {
		at := fmt.Sprintf("include[%d]", i)
		if r := oneOf(at, word, "file_search_call.results", "web_search_call.results", "web_search_call.action.sources", "message.input_image.image_url",
			"computer_call_output.output.image_url", "code_interpreter_call.outputs", "reasoning.encrypted_content", "message.output_text.logprobs"); r != nil {
			return r
		}
		if word == "reasoning.encrypted_content" && !reasoning {
			return invalid("include", "Encrypted content is not supported with this model.")
		}
	}
	if in.Reasoning != nil {
		switch {
		case !reasoning && in.Reasoning.Effort != "":
			return coded("unsupported_parameter", "reasoning.effort", "Unsupported parameter: 'reasoning.effort' is not supported with this model.")
		case !reasoning && in.Reasoning.Summary != "":
			return coded("unsupported_parameter", "reasoning.summary", "Unsupported parameter: 'reasoning.summary' is not supported with this model.")
		case in.Reasoning.Effort != "":
			if r := oneOf("reasoning.effort", in.Reasoning.Effort, "none", "minimal", "low", "medium", "high", "xhigh", "max"); r != nil {
				return r
			}
		}
		if in.Reasoning.Summary != "" {
			if r := oneOf("reasoning.summary", in.Reasoning.Summary, "auto", "concise", "detailed"); r != nil {
				return r
			}
		}
	}
	switch {
	case in.MaxOutputTokens != nil && *in.MaxOutputTokens < 16:
		return coded("integer_below_min_value", "max_output_tokens", "Invalid 'max_output_tokens': integer below minimum value. Expected a value >= 16, but got %d instead.", *in.MaxOutputTokens)
	case in.Store == nil || *in.Store:
		return invalid("store", "this server keeps nothing: store is not false")
	case in.Instructions != nil && *in.Instructions == "":
		return invalid("instructions", "Invalid 'instructions': empty string.")
	case len(in.PromptCacheKey) > 64:
		return coded("string_above_max_length", "prompt_cache_key", "Invalid 'prompt_cache_key': string too long.")
	}
	return checkSampling(reasoning, in.Temperature, in.TopP)
}

// checkSampling rejects what models that reason do not let one choose.
func checkSampling(reasoning bool, temperature, topP *float64) *Refusal {
	for name, v := range map[string]*float64{"temperature": temperature, "top_p": topP} {
		limit := 2.0
		if name == "top_p" {
			limit = 1
		}
		switch {
		case v == nil:
		case reasoning:
			return coded("unsupported_parameter", name, "Unsupported parameter: '%s' is not supported with this model.", name)
		case *v < 0 || *v > limit:
			return coded("decimal_above_max_value", name, "Invalid '%s': expected a value between 0 and %v.", name, limit)
		}
	}
	return nil
}

// checkItems checks each item alone.
func checkItems(input []raw) ([]item, *Refusal) {
	if len(input) == 0 {
		return nil, missing("input")
	}
	items := make([]item, len(input))
	for i, data := range input {
		at := fmt.Sprintf("input[%d]", i)
		it := &items[i]
		if r := strict(at, data, it); r != nil {
			return nil, r
		}
		if it.Type == "" && it.Role != "" {
			it.Type = "message"
		}
		var r *Refusal
		switch it.Type {
		case "message":
			r = checkMessage(at, it)
		case "reasoning":
			r = checkReasoningItem(at, it)
		case "function_call":
			r = checkCall(at, it.CallID, it.Name, it.Arguments)
		case "function_call_output":
			if r = checkContent(at+".output", it.Output, "input_text", "input_image", "input_file"); it.CallID == "" {
				r = missing(at + ".call_id")
			}
		default:
			r = oneOf(at+".type", it.Type, "message", "reasoning", "function_call", "function_call_output")
		}
		if r != nil {
			return nil, r
		}
	}
	return items, nil
}

func checkMessage(at string, it *item) *Refusal {
	if r := oneOf(at+".role", it.Role, "user", "assistant", "system", "developer"); r != nil {
		return r
	}
	if it.Phase != "" {
		if it.Role != "assistant" {
			return coded("unknown_parameter", at+".phase", "Unknown parameter: '%s.phase'.", at)
		}
		if r := oneOf(at+".phase", it.Phase, "commentary", "final_answer"); r != nil {
			return r
		}
	}
	if it.Role == "assistant" {
		return checkContent(at+".content", it.Content, "output_text", "refusal")
	}
	return checkContent(at+".content", it.Content, "input_text", "input_image", "input_file")
}

// checkContent checks content: a text, or a list of parts of those types.
func checkContent(at string, data raw, types ...string) *Refusal {
	if len(data) == 0 {
		return missing(at)
	}
	if text, ok := isText(data); ok {
		if text == "" {
			return coded("empty_string", at, "Invalid '%s': empty string. Expected a string with minimum length 1, but got an empty string instead.", at)
		}
		return nil
	}
	var list []raw
	if json.Unmarshal(data, &list) != nil {
		return coded("invalid_type", at, "Invalid type for '%s': expected one of a string or array of objects.", at)
	}
	if len(list) == 0 {
		return coded("empty_array", at, "Invalid '%s': empty array. Expected an array with minimum length 1, but got an empty array instead.", at)
	}
	for i, data := range list {
		at := fmt.Sprintf("%s[%d]", at, i)
		if r := oneOf(at+".type", typeOf(data), types...); r != nil {
			return r
		}
		var p struct {
			Type        string  `json:"type"`
			Text        *string `json:"text"`
			Refusal     *string `json:"refusal"`
			Annotations raw     `json:"annotations"`
			Detail      string  `json:"detail"`
			ImageURL    string  `json:"image_url"`
			Filename    string  `json:"filename"`
			FileData    string  `json:"file_data"`
		}
		if r := strict(at, data, &p); r != nil {
			return r
		}
		var r *Refusal
		switch p.Type {
		case "input_image":
			r = checkImage(at+".image_url", p.ImageURL)
		case "input_file":
			r = checkFile(at, p.Filename, p.FileData)
		case "refusal":
			if p.Refusal == nil {
				r = missing(at + ".refusal")
			}
		default:
			if p.Text == nil || *p.Text == "" {
				r = coded("empty_string", at+".text", "Invalid '%s.text': empty string.", at)
			}
		}
		if r != nil {
			return r
		}
	}
	return nil
}

func checkReasoningItem(at string, it *item) *Refusal {
	switch {
	case it.ID == "":
		return missing(at + ".id")
	case it.Summary == nil:
		return missing(at + ".summary")
	case it.Encrypted == "":
		return &Refusal{Status: 404, Type: "invalid_request_error", Param: "input", Message: fmt.Sprintf("Item with id '%s' not found. Items are not persisted when `store` is set to false. Try again with `store` set to true, or remove this item from your input.", it.ID)}
	}
	for i, p := range *it.Summary {
		if r := oneOf(fmt.Sprintf("%s.summary[%d].type", at, i), p.Type, "summary_text"); r != nil {
			return r
		}
	}
	return nil
}

// checkPairs pairs calls and outputs.
func checkPairs(items []item) *Refusal {
	open, seen := map[string]bool{}, map[string]bool{}
	for i, it := range items {
		switch it.Type {
		case "function_call":
			if seen[it.CallID] {
				return invalid("input", "Duplicate call_id '%s' in input.", it.CallID)
			}
			open[it.CallID], seen[it.CallID] = true, true
		case "function_call_output":
			if !open[it.CallID] {
				return invalid("input", "No tool call found for function call output with call_id %s.", it.CallID)
			}
			delete(open, it.CallID)
		case "message":
			if it.Role != "user" {
				break
			}
			for id := range open {
				return invalid("input", "No tool output found for function call %s.", id)
			}
		}
		if i == len(items)-1 {
			for id := range open {
				return invalid("input", "No tool output found for function call %s.", id)
			}
			if it.Type == "message" && it.Role == "assistant" {
				return invalid("input", "the input ends with a message of the assistant")
			}
		}
	}
	return nil
}

// checkReasoning checks that reasoning is this server's, that something follows it,
// and that none is missing before a call.
func (s *Server) checkReasoning(model string, items []item) *Refusal {
	s.mu.Lock()
	defer s.mu.Unlock()
	sent := map[string]bool{}
	for i, it := range items {
		switch it.Type {
		case "reasoning":
			if !reasons(model) {
				return invalid("input", "Reasoning items are not supported with this model.")
			}
			if s.encrypted[it.ID] != it.Encrypted {
				return coded("invalid_encrypted_content", "input", "The encrypted content %.4s...%s could not be verified. Reason: Encrypted content could not be decrypted or parsed.", it.Encrypted, it.Encrypted[max(len(it.Encrypted)-4, 0):])
			}
			if i == len(items)-1 || items[i+1].Type == "function_call_output" || items[i+1].Type == "message" && items[i+1].Role != "assistant" {
				return invalid("input", "Item '%s' of type 'reasoning' was provided without its required following item.", it.ID)
			}
			sent[it.ID] = true
		case "function_call":
			if id := s.reasoned[it.CallID]; id != "" && !sent[id] && reasons(model) {
				return invalid("input", "Item '%s' of type 'function_call' was provided without its required 'reasoning' item: '%s'.", it.CallID, id)
			}
		}
	}
	return nil
}
