package openai

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"

	"github.com/emendo-dev/emendo/agent/model"
)

// maxSchemaDepth bounds the nesting of a schema. The API accepts less.
const maxSchemaDepth = 64

// parameters returns the schema of a tool, its members in their order, as the API accepts
// it without its strict mode: an object with properties, no alternatives at the top, items for every list,
// and no keywords about the schema itself. Strict mode would want every property to
// be required.
func parameters(t model.Tool) (map[string]any, error) {
	root := map[string]any{}
	if len(t.Schema) > 0 {
		dec := json.NewDecoder(bytes.NewReader(t.Schema))
		dec.UseNumber()
		if err := dec.Decode(&root); err != nil || root == nil {
			return nil, &model.Error{Kind: model.Invalid, Message: fmt.Sprintf("the schema of the tool %s is not a JSON object", t.Name)}
		}
	}
	for _, key := range []string{"oneOf", "anyOf", "allOf", "enum", "not", "$schema", "$id"} {
		delete(root, key)
	}
	root["type"] = "object"
	if _, ok := root["properties"].(map[string]any); !ok {
		root["properties"] = map[string]any{}
	}
	cleanInside(root, 0)
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

// cleanInside cleans the schemas inside a schema.
func cleanInside(s map[string]any, depth int) {
	for _, key := range []string{"properties", "$defs", "definitions"} {
		inner, _ := s[key].(map[string]any)
		for name, v := range inner {
			inner[name] = cleaned(v, depth+1)
		}
	}
	for _, key := range []string{"items", "additionalProperties"} {
		if _, ok := s[key].(map[string]any); ok {
			s[key] = cleaned(s[key], depth+1)
		}
	}
	for _, key := range []string{"anyOf", "oneOf", "allOf"} {
		list, _ := s[key].([]any)
		for i, v := range list {
			list[i] = cleaned(v, depth+1)
		}
	}
}

// cleaned returns a schema inside of another one as the API accepts it.
func cleaned(v any, depth int) any {
	s, ok := v.(map[string]any)
	if !ok || depth > maxSchemaDepth {
		return map[string]any{} // true, which accepts everything
	}
	if s["nullable"] == true { // of OpenAPI; JSON schema has a type for it
		if kind, ok := s["type"].(string); ok {
			s["type"] = []any{kind, "null"}
		}
		if values, ok := s["enum"].([]any); ok && !slices.Contains(values, nil) {
			s["enum"] = append(slices.Clone(values), nil)
		}
	}
	for _, key := range []string{"nullable", "$schema", "$id"} {
		delete(s, key)
	}
	if s["items"] == nil && hasType(s, "array") {
		s["items"] = map[string]any{}
	}
	if s["properties"] == nil && hasType(s, "object") {
		s["properties"] = map[string]any{}
	}
	cleanInside(s, depth)
	return s
}

// hasType reports whether a schema allows a type.
func hasType(s map[string]any, kind string) bool {
	list, _ := s["type"].([]any)
	return s["type"] == kind || slices.Contains(list, any(kind))
}
