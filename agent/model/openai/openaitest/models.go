package openaitest

import (
	"maps"
	"net/http"

	"github.com/emendo-dev/emendo/agent/model/servertest"
)

// describe answers requests about models and about the size of an input. It reports
// whether it was one.
func (s *Server) describe(w http.ResponseWriter, h *http.Request) bool {
	count := h.URL.Path == "/v1/responses/input_tokens" && h.Method == http.MethodPost && !s.o.Compatible
	if !count && (h.URL.Path != "/v1/models" || h.Method != http.MethodGet) {
		return false
	}
	if r := s.admit(h); r != nil {
		r.write(w)
		return true
	}
	var answer any
	if count {
		n, r := s.count(h)
		if r != nil {
			r.write(w)
			return true
		}
		answer = map[string]any{"object": "response.input_tokens", "input_tokens": n}
	} else {
		answer = map[string]any{"object": "list", "data": s.list()}
	}
	servertest.Answer(w, answer)
	return true
}

// list returns the models. OpenAI's servers have others than those for conversations.
func (s *Server) list() []any {
	var all []any
	for _, id := range s.o.Models {
		m := map[string]any{"id": id, "object": "model", "created": 1_780_000_000, "owned_by": "system"}
		if s.o.Compatible {
			if m["max_model_len"] = s.o.MaxTokens; s.o.ListAs != nil {
				delete(m, "max_model_len")
				maps.Copy(m, s.o.ListAs)
			}
		}
		all = append(all, m)
	}
	if !s.o.Compatible {
		all = append(all, map[string]any{"id": "text-embedding-3-large", "object": "model", "created": 1_700_000_000, "owned_by": "system"})
	}
	return all
}

// count estimates the tokens of an input.
func (s *Server) count(h *http.Request) (int, *Refusal) {
	body, err := servertest.Read(h, maxBody)
	if err != nil {
		return 0, invalid("", "the body cannot be read: %v", err)
	}
	var in struct {
		Model              string `json:"model"`
		Input              []raw  `json:"input"`
		Instructions       raw    `json:"instructions"`
		Tools              []raw  `json:"tools"`
		ToolChoice         raw    `json:"tool_choice"`
		Reasoning          raw    `json:"reasoning"`
		Text               raw    `json:"text"`
		Truncation         raw    `json:"truncation"`
		Personality        raw    `json:"personality"`
		ParallelToolCalls  raw    `json:"parallel_tool_calls"`
		PreviousResponseID raw    `json:"previous_response_id"`
		Conversation       raw    `json:"conversation"`
	}
	if r := strict("", body, &in); r != nil {
		return 0, r
	}
	if r := s.checkModel(in.Model); r != nil {
		return 0, r
	}
	items, r := checkItems(in.Input)
	if r != nil {
		return 0, r
	}
	if r := checkPairs(items); r != nil {
		return 0, r
	}
	if _, r := checkResponsesTools(in.Tools); r != nil {
		return 0, r
	}
	return len(body) / 4, nil
}
