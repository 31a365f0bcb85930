package main

import (
	"encoding/json"
	"log/slog"
	"regexp"
	"strings"
	"testing"

	"github.com/emendo-dev/emendo/agent/state"
	"github.com/emendo-dev/emendo/internal/settings"
	"github.com/emendo-dev/emendo/tools"
)

// schemaAuthority are words for decisions of the user. None may be the name or value of an
// argument, because the model could use it.
var schemaAuthority = regexp.MustCompile(`(?i)(?:^|_)(?:mode|approv\w*|permission\w*|permit|trust\w*|policy|policies|sandbox\w*|privilege\w*|elevat\w*|sudo|bypass\w*|unsafe|dangerous\w*|skip|confirm\w*|scope|network|yolo|auto\w*|escalat\w*|unrestricted|role|admin|force)(?:_|$)`)

func TestToolSchemasHaveNoAuthority(t *testing.T) {
	var o state.Choices
	w := wiring{process: process{env: func(string) string { return "" }}, log: slog.New(slog.DiscardHandler)}
	s, _, err := settings.Load(settings.Options{})
	if err == nil {
		err = w.choose(&o, s)
	}
	if err != nil {
		t.Fatal(err)
	}
	if len(o.Tools) < 10 {
		t.Fatalf("only %d tools", len(o.Tools))
	}
	for _, tool := range o.Tools {
		spec := tool.Spec()
		t.Run(spec.Name, func(t *testing.T) {
			var schema any
			if err := json.Unmarshal(spec.Schema, &schema); err != nil {
				t.Fatal(err)
			}
			lookAt(t, "", schema)
			_, err := tool.Prepare(t.Context(), tools.Env{}, json.RawMessage(`{"additional_permissions":{"network":true}}`))
			if err == nil || !strings.Contains(err.Error(), "additional_permissions") && !strings.Contains(err.Error(), "missing") {
				t.Errorf("an unknown argument: error %v", err)
			}
		})
	}
}

// lookAt checks a schema recursively.
func lookAt(t *testing.T, at string, schema any) {
	t.Helper()
	switch s := schema.(type) {
	case map[string]any:
		if s["type"] == "object" && s["additionalProperties"] != false {
			t.Errorf("%s takes properties that it does not name", at)
		}
		if props, ok := s["properties"].(map[string]any); ok {
			for name := range props {
				if schemaAuthority.MatchString(name) {
					t.Errorf("%s/%s is a word of schemaAuthority", at, name)
				}
			}
		}
		if values, ok := s["enum"].([]any); ok {
			for _, v := range values {
				if text, ok := v.(string); ok && schemaAuthority.MatchString(text) {
					t.Errorf("%s can be %q, a word of schemaAuthority", at, text)
				}
			}
		}
		for name, inner := range s {
			lookAt(t, at+"/"+name, inner)
		}
	case []any:
		for _, inner := range s {
			lookAt(t, at, inner)
		}
	}
}
