package anthropic

import (
	"encoding/json"
	"regexp"
	"slices"

	"github.com/emendo-dev/emendo/agent/model"
)

var property = regexp.MustCompile(`^[a-zA-Z0-9_.-]+$`)

// acceptsProperty reports whether the API accepts name as that of a property.
func acceptsProperty(name string) bool { return len(name) <= 64 && property.MatchString(name) }

// accepted returns the schema of a tool without properties whose names the API refuses. One
// that needs no change keeps its bytes.
func accepted(t model.Tool) (json.RawMessage, error) {
	root, err := t.Decoded()
	if err != nil {
		return nil, err
	}
	changed := len(t.Schema) == 0
	model.EachSchema(root, func(s map[string]any) {
		properties, _ := s["properties"].(map[string]any)
		for name := range properties {
			if !acceptsProperty(name) {
				delete(properties, name)
				changed = true
			}
		}
		if names, ok := s["required"].([]any); ok {
			kept := slices.DeleteFunc(names, func(v any) bool {
				name, ok := v.(string)
				return !ok || !acceptsProperty(name)
			})
			changed = changed || len(kept) < len(names)
			s["required"] = kept
		}
	})
	if !changed {
		return t.Schema, nil
	}
	return model.MarshalLike(root, t.Schema)
}
