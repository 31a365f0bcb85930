package anthropic

import (
	"encoding/json"
	"slices"

	"github.com/emendo-dev/emendo/agent/model"
	"github.com/emendo-dev/emendo/internal/lazyregexp"
)

// property matches the names of properties that the API accepts.
var property = lazyregexp.New(`^[a-zA-Z0-9_.-]{1,64}$`)

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
			if !property.MatchString(name) {
				delete(properties, name)
				changed = true
			}
		}
		if names, ok := s["required"].([]any); ok {
			s["required"] = slices.DeleteFunc(names, func(v any) bool {
				name, ok := v.(string)
				return !ok || !property.MatchString(name)
			})
		}
	})
	if !changed {
		return t.Schema, nil
	}
	return model.MarshalLike(root, t.Schema)
}
