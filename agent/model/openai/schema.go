package openai

import (
	"slices"

	"github.com/emendo-dev/emendo/agent/model"
)

// parameters returns the schema of a tool, its members in their order, as the API accepts
// it without its strict mode, which would want every property to be required: objects have
// properties, and what may be null has that among its types.
func parameters(t model.Tool) (map[string]any, error) {
	root, err := t.Decoded()
	if err != nil {
		return nil, err
	}
	model.EachSchema(root, func(s map[string]any) {
		if s["type"] == "object" && s["properties"] == nil {
			s["properties"] = map[string]any{}
		}
		if s["nullable"] == true { // of OpenAPI; JSON schema has a type for it
			if kind, ok := s["type"].(string); ok {
				s["type"] = []any{kind, "null"}
			}
			if values, ok := s["enum"].([]any); ok && !slices.Contains(values, nil) {
				s["enum"] = append(slices.Clone(values), nil)
			}
		}
		delete(s, "nullable")
	})
	_, before := model.Members(t.Schema)
	for key, v := range root { // the client library writes a json.Number as a text, and sorts members
		b, err := model.MarshalLike(v, before[key])
		if err != nil {
			panic("openai: a schema does not encode: " + err.Error()) // it was made from JSON
		}
		root[key] = b
	}
	return root, nil
}
