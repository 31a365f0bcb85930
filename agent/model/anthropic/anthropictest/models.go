package anthropictest

import (
	"net/http"
	"slices"
	"strings"

	"github.com/emendo-dev/emendo/agent/model/servertest"
)

// Model is a model that the server knows.
type Model struct {
	ID            string
	Input, Output int // limits, in tokens

	Budgets  bool     // it accepts thinking of type enabled
	Adaptive bool     // it accepts thinking of type adaptive
	Always   bool     // it does not accept thinking of type disabled
	Efforts  []string // levels of effort; empty: none
	Samples  bool     // it accepts temperature, top_p and top_k
}

var efforts = []string{"low", "medium", "high", "xhigh", "max"}

// models are the models that servers know if Options names none: one of each kind.
var models = []Model{
	{ID: "claude-opus-5-5", Input: 1_000_000, Output: 128_000, Adaptive: true, Efforts: efforts},
	{ID: "claude-sonnet-5-5", Input: 1_000_000, Output: 64_000, Adaptive: true, Efforts: efforts},
	{ID: "claude-haiku-5-5", Input: 200_000, Output: 64_000, Adaptive: true, Efforts: efforts[:3]},
	{ID: "claude-mythos-5-1", Input: 1_000_000, Output: 128_000, Adaptive: true, Always: true, Efforts: efforts},
	{ID: "claude-opus-4-7", Input: 1_000_000, Output: 128_000, Adaptive: true, Efforts: efforts},
	{ID: "claude-sonnet-4-6", Input: 200_000, Output: 64_000, Adaptive: true, Budgets: true, Efforts: efforts[:3], Samples: true},
	{ID: "claude-haiku-4-5", Input: 200_000, Output: 64_000, Budgets: true, Samples: true},
	{ID: "claude-thoughtless", Input: 200_000, Output: 8192, Samples: true},
}

func (s *Server) model(id string) (Model, bool) {
	i := slices.IndexFunc(s.o.Models, func(m Model) bool { return m.ID == id })
	if i < 0 {
		return Model{}, false
	}
	return s.o.Models[i], true
}

// describe answers requests about models, and reports whether it was one.
func (s *Server) describe(w http.ResponseWriter, h *http.Request) bool {
	_, rest, ok := strings.Cut(h.URL.Path, "/v1/models")
	if !ok || h.Method != http.MethodGet {
		return false
	}
	if r := s.admit(h); r != nil {
		r.write(w)
		return true
	}
	if id := strings.Trim(rest, "/"); id != "" {
		m, ok := s.model(id)
		if !ok {
			refuse(http.StatusNotFound, "model: %s", id).write(w)
			return true
		}
		servertest.Answer(w, m.object())
		return true
	}
	all := []any{}
	for _, m := range s.o.Models {
		all = append(all, m.object())
	}
	servertest.Answer(w, map[string]any{"data": all, "has_more": false, "first_id": nil, "last_id": nil})
	return true
}

// object returns the model as the API describes it.
func (m Model) object() map[string]any {
	can := func(yes bool) map[string]any { return map[string]any{"supported": yes} }
	effort := can(len(m.Efforts) > 0)
	for _, e := range efforts {
		effort[e] = can(slices.Contains(m.Efforts, e))
	}
	return map[string]any{
		"type": "model", "id": m.ID, "display_name": "The model " + m.ID, "created_at": "2026-01-01T00:00:00Z", "lifecycle": "active",
		"max_input_tokens": m.Input, "max_tokens": m.Output,
		"capabilities": map[string]any{
			"effort": effort, "image_input": can(true), "pdf_input": can(true),
			"thinking": map[string]any{
				"supported": m.Budgets || m.Adaptive,
				"types": map[string]any{
					"enabled": can(m.Budgets), "adaptive": can(m.Adaptive), "disabled": can(!m.Always), "between_tools": can(false),
				},
			},
		},
	}
}
