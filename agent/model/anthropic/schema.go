package anthropic

import (
	"bytes"
	"encoding/json"
	"errors"
	"slices"
	"strings"

	"github.com/emendo-dev/emendo/agent/model"
	"github.com/emendo-dev/emendo/internal/lazyregexp"
)

// maxDepth bounds how deep schemas are nested.
const maxDepth = 64

var noSchema = json.RawMessage(`{"type":"object","properties":{}}`)

var errNoObject = errors.New("it is not a JSON object")

// clean returns a schema that the API accepts: of an object, without alternatives at
// the top, and valid by draft 2020-12. What is left out only describes the arguments
// less exactly. A schema that needs no change keeps its bytes.
func clean(raw json.RawMessage) (json.RawMessage, error) {
	if len(bytes.TrimSpace(raw)) == 0 {
		return noSchema, nil
	}
	dec := json.NewDecoder(bytes.NewReader(raw))
	dec.UseNumber()
	var s map[string]any
	if err := dec.Decode(&s); err != nil || s == nil || dec.More() {
		return nil, errNoObject
	}
	c := cleaner{root: s}
	if s["type"] != "object" {
		s["type"], c.changed = "object", true
	}
	for _, key := range []string{"oneOf", "anyOf", "allOf"} {
		c.drop(s, key)
	}
	c.schema(s, 0)
	if !c.changed {
		return raw, nil
	}
	return model.MarshalLike(s, raw)
}

// cleaner changes a decoded schema in place.
type cleaner struct {
	root    map[string]any
	changed bool
}

func (c *cleaner) drop(s map[string]any, key string) {
	if _, ok := s[key]; ok {
		delete(s, key)
		c.changed = true
	}
}

// property matches the names of properties that the API accepts.
var property = lazyregexp.New(`^[a-zA-Z0-9_.-]{1,64}$`)

// schema cleans one schema and those in it.
func (c *cleaner) schema(s map[string]any, depth int) {
	if depth > maxDepth {
		for key := range s {
			c.drop(s, key)
		}
		return
	}
	c.drop(s, "$schema")
	c.drop(s, "$id")
	c.kinds(s)
	for _, key := range []string{"properties", "patternProperties", "$defs", "definitions", "dependentSchemas"} {
		named, ok := s[key].(map[string]any)
		if !ok {
			c.drop(s, key)
			continue
		}
		for name, v := range named {
			if key == "properties" && !property.MatchString(name) {
				c.drop(named, name)
				continue
			}
			c.inner(named, name, v, depth)
		}
	}
	for _, key := range []string{"items", "additionalProperties", "contains", "propertyNames", "not", "if", "then", "else", "unevaluatedItems", "unevaluatedProperties"} {
		if v, ok := s[key]; ok {
			c.inner(s, key, v, depth)
		}
	}
	for _, key := range []string{"anyOf", "oneOf", "allOf", "prefixItems"} {
		list, ok := s[key].([]any)
		if !ok || len(list) == 0 {
			c.drop(s, key)
			continue
		}
		for i, v := range list {
			switch v := v.(type) {
			case map[string]any:
				c.schema(v, depth+1)
			case bool:
			default:
				list[i], c.changed = true, true
			}
		}
	}
	c.require(s)
}

// inner cleans the schema at a key, or drops it if it is not a schema.
func (c *cleaner) inner(s map[string]any, key string, v any, depth int) {
	switch v := v.(type) {
	case map[string]any:
		c.schema(v, depth+1)
	case bool:
	default:
		c.drop(s, key)
	}
}

var types = []string{"string", "number", "integer", "boolean", "array", "object", "null"}

// kinds drops keywords whose values are of a kind that draft 2020-12 does not have,
// such as the boolean limits of draft 4 and the lists of items of draft 7.
func (c *cleaner) kinds(s map[string]any) {
	for _, key := range []string{"minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf", "minLength", "maxLength", "minItems", "maxItems", "minProperties", "maxProperties"} {
		if _, ok := s[key].(json.Number); !ok {
			c.drop(s, key)
		}
	}
	for _, key := range []string{"$ref", "pattern", "format", "title", "description"} {
		if _, ok := s[key].(string); !ok {
			c.drop(s, key)
		}
	}
	if ref, ok := s["$ref"].(string); ok && !c.resolves(ref) {
		c.drop(s, "$ref")
	}
	if list, ok := s["enum"].([]any); !ok || len(list) == 0 {
		c.drop(s, "enum")
	}
	known := func(v any) bool { t, ok := v.(string); return ok && slices.Contains(types, t) }
	switch t := s["type"].(type) {
	case []any:
		if len(t) == 0 || slices.ContainsFunc(t, func(v any) bool { return !known(v) }) {
			c.drop(s, "type")
		}
	default:
		if !known(t) {
			c.drop(s, "type")
		}
	}
}

// resolves reports whether a reference leads to something in the schema.
func (c *cleaner) resolves(ref string) bool {
	path, ok := strings.CutPrefix(ref, "#")
	if !ok {
		return false
	}
	var at any = c.root
	for _, step := range strings.Split(path, "/")[1:] {
		m, _ := at.(map[string]any)
		if at, ok = m[step]; !ok {
			return false
		}
	}
	return true
}

// require drops what "required" must not contain.
func (c *cleaner) require(s map[string]any) {
	list, ok := s["required"].([]any)
	if !ok {
		c.drop(s, "required")
		return
	}
	var names []any
	for _, v := range list {
		if name, ok := v.(string); ok && property.MatchString(name) && !slices.Contains(names, v) {
			names = append(names, v)
		}
	}
	if len(names) != len(list) {
		s["required"], c.changed = names, true
		if len(names) == 0 {
			c.drop(s, "required")
		}
	}
}
