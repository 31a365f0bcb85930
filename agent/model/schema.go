package model

import (
	"bytes"
	"encoding/json"
	"fmt"
)

// Decoded returns the schema of a tool, with numbers as they are written; that of an object
// if it has none. Schemas of other programs were rewritten before they got here: they have
// no references and few keywords.
func (t Tool) Decoded() (map[string]any, error) {
	if len(bytes.TrimSpace(t.Schema)) == 0 {
		return map[string]any{"type": "object", "properties": map[string]any{}}, nil
	}
	dec := json.NewDecoder(bytes.NewReader(t.Schema))
	dec.UseNumber()
	var s map[string]any
	if err := dec.Decode(&s); err != nil || s == nil || dec.More() {
		return nil, &Error{Kind: Invalid, Message: fmt.Sprintf("the schema of the tool %s is not a JSON object", t.Name)}
	}
	return s, nil
}

// EachSchema calls f for a schema and for those in it, from the outside in.
func EachSchema(schema any, f func(map[string]any)) {
	s, ok := schema.(map[string]any)
	if !ok { // true or false
		return
	}
	f(s)
	properties, _ := s["properties"].(map[string]any)
	for _, v := range properties {
		EachSchema(v, f)
	}
	EachSchema(s["items"], f)
	EachSchema(s["additionalProperties"], f)
	alternatives, _ := s["anyOf"].([]any)
	for _, v := range alternatives {
		EachSchema(v, f)
	}
}
