package geminitest

import (
	"net/http"
	"regexp"
	"slices"

	"github.com/emendo-dev/emendo/agent/model/servertest"
)

// modelPath matches the list of models, or one of them.
var modelPath = regexp.MustCompile(`/v1(?:beta|alpha|beta1)?/(?:publishers/google/)?models(?:/([^/:]+))?$`)

// describe answers requests about models, and reports whether it was one.
func (s *Server) describe(w http.ResponseWriter, h *http.Request) bool {
	m := modelPath.FindStringSubmatch(h.URL.Path)
	if m == nil || h.Method != http.MethodGet {
		return false
	}
	if key := h.Header.Get("X-Goog-Api-Key"); key != s.o.Key {
		invalid("API key not valid. Please pass a valid API key.").write(w)
		return true
	}
	one := func(name string) map[string]any {
		return map[string]any{
			"name": "models/" + name, "version": "001", "displayName": "The model " + name, "inputTokenLimit": s.o.MaxTokens, "outputTokenLimit": 65536,
			"supportedGenerationMethods": []string{"generateContent", "countTokens"}, "thinking": true,
		}
	}
	var answer any
	switch name := m[1]; {
	case name == "":
		all := []any{map[string]any{"name": "models/text-embedding-004", "supportedGenerationMethods": []string{"embedContent"}}}
		for _, n := range s.o.Models {
			all = append(all, one(n))
		}
		answer = map[string]any{"models": all}
	case slices.Contains(s.o.Models, name), s.o.Aliases[name] != "":
		answer = one(name)
	default:
		refuse(http.StatusNotFound, "models/%s is not found", name).write(w)
		return true
	}
	servertest.Answer(w, answer)
	return true
}

// real returns the model that a name stands for.
func (s *Server) real(name string) string {
	if v := s.o.Aliases[name]; v != "" {
		return v
	}
	return name
}
