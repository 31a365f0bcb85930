package anthropictest

import (
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strings"
)

var (
	toolName     = regexp.MustCompile(`^[a-zA-Z0-9_-]{1,128}$`)
	propertyName = regexp.MustCompile(`^[a-zA-Z0-9_.-]{1,64}$`)
)

func (c *checker) tools() *Refusal {
	declared := map[string]bool{}
	for i, t := range c.in.Tools {
		at := fmt.Sprintf("tools.%d.custom", i)
		c.cached(t.CacheControl)
		switch {
		case strings.HasPrefix(t.Type, "web_search_"):
			if t.Name != "web_search" {
				return invalid("tools.%d.%s.name: Input should be 'web_search'", i, t.Type)
			}
		case t.Type != "" && t.Type != "custom":
			return invalid("tools.%d: Input tag '%s' found using 'type' does not match any of the expected tags", i, t.Type)
		case !toolName.MatchString(t.Name):
			return invalid("%s.name: String should match pattern '%s'", at, toolName)
		default:
			if r := checkRoot(at+".input_schema", t.InputSchema); r != nil {
				return r
			}
		}
		if declared[t.Name] {
			return invalid("tools: Tool names must be unique.")
		}
		declared[t.Name] = true
	}
	choice := c.in.ToolChoice
	switch {
	case choice == nil:
		return nil
	case !slices.Contains([]string{"auto", "any", "tool", "none"}, choice.Type):
		return invalid("tool_choice: Input tag '%s' found using 'type' does not match any of the expected tags", choice.Type)
	case len(declared) == 0:
		return invalid("tool_choice may only be specified while providing tools.")
	case choice.Type == "tool" && !declared[choice.Name]:
		return invalid("Tool '%s' not found in provided tools", choice.Name)
	}
	return nil
}

// checkRoot checks the schema of a tool's input.
func checkRoot(at string, raw json.RawMessage) *Refusal {
	var root map[string]any
	if json.Unmarshal(raw, &root) != nil || root == nil {
		return invalid("%s: Input should be a valid dictionary", at)
	}
	if root["type"] != "object" {
		return invalid("%s.type: Input should be 'object'", at)
	}
	for _, key := range []string{"oneOf", "allOf", "anyOf"} {
		if _, ok := root[key]; ok {
			return invalid("%s: input_schema does not support oneOf, allOf, or anyOf at the top level", at)
		}
	}
	return checkSchema(at, root, root)
}

var schemaTypes = []string{"string", "number", "integer", "boolean", "array", "object", "null"}

// keywords are the kinds of the values of draft 2020-12's keywords. Unknown keywords
// are ignored.
var keywords = map[string]func(any) bool{
	"minimum": isNumber, "maximum": isNumber, "exclusiveMinimum": isNumber, "exclusiveMaximum": isNumber, "multipleOf": isNumber,
	"minLength": isNumber, "maxLength": isNumber, "minItems": isNumber, "maxItems": isNumber, "minProperties": isNumber, "maxProperties": isNumber,
	"pattern": isString, "format": isString, "title": isString, "description": isString, "$ref": isString,
	"enum": isList, "required": isStrings, "type": isType,
	"properties": isMap, "patternProperties": isMap, "$defs": isMap, "dependentSchemas": isMap,
	"anyOf": isSchemas, "oneOf": isSchemas, "allOf": isSchemas, "prefixItems": isSchemas,
	"items": isSchema, "additionalProperties": isSchema, "contains": isSchema, "propertyNames": isSchema, "not": isSchema,
	"if": isSchema, "then": isSchema, "else": isSchema, "unevaluatedItems": isSchema, "unevaluatedProperties": isSchema,
	"$schema": func(v any) bool { return v == "https://json-schema.org/draft/2020-12/schema" },
}

func isNumber(v any) bool { _, ok := v.(float64); return ok }
func isString(v any) bool { _, ok := v.(string); return ok }
func isList(v any) bool   { l, ok := v.([]any); return ok && len(l) > 0 }
func isMap(v any) bool    { _, ok := v.(map[string]any); return ok }

func isSchema(v any) bool {
	_, boolean := v.(bool)
	return boolean || isMap(v)
}

func isSchemas(v any) bool {
	l, ok := v.([]any)
	return ok && len(l) > 0 && !slices.ContainsFunc(l, func(v any) bool { return !isSchema(v) })
}

func isStrings(v any) bool {
	l, ok := v.([]any)
	for i, e := range l {
		ok = ok && isString(e) && !slices.Contains(l[:i], e)
	}
	return ok
}

func isType(v any) bool {
	known := func(v any) bool { s, ok := v.(string); return ok && slices.Contains(schemaTypes, s) }
	l, ok := v.([]any)
	return known(v) || ok && len(l) > 0 && !slices.ContainsFunc(l, func(v any) bool { return !known(v) })
}

// checkSchema checks a JSON schema by draft 2020-12. Its references are relative to
// root.
func checkSchema(at string, s, root map[string]any) *Refusal {
	wrong := func(why string) *Refusal {
		return invalid("%s: JSON schema is invalid. It must match JSON Schema draft 2020-12 (https://json-schema.org/draft/2020-12): %s", at, why)
	}
	for key, v := range s {
		if fits, ok := keywords[key]; ok && !fits(v) {
			return wrong(key)
		}
	}
	if ref, ok := s["$ref"].(string); ok && !resolves(ref, root) {
		return wrong("$ref: " + ref + " does not resolve")
	}
	for _, key := range []string{"properties", "patternProperties", "$defs", "definitions", "dependentSchemas"} {
		named, _ := s[key].(map[string]any)
		for name, v := range named {
			if key == "properties" && !propertyName.MatchString(name) {
				return invalid("%s.properties: Property keys should match pattern '%s'", at, propertyName)
			}
			if r := checkInner(at+"."+key+"."+name, v, root); r != nil {
				return r
			}
		}
	}
	for key := range keywords {
		values, ok := s[key].([]any)
		if !ok {
			values = []any{s[key]}
		}
		if key == "enum" || strings.HasSuffix(key, "roperties") && isMap(s[key]) && key != "additionalProperties" && key != "unevaluatedProperties" || key == "$defs" || key == "dependentSchemas" {
			continue
		}
		for _, v := range values {
			if r := checkInner(at+"."+key, v, root); r != nil {
				return r
			}
		}
	}
	return nil
}

// checkInner checks a value if it is a schema's object.
func checkInner(at string, v any, root map[string]any) *Refusal {
	if m, ok := v.(map[string]any); ok {
		return checkSchema(at, m, root)
	}
	return nil
}

// resolves reports whether a reference leads to something in root.
func resolves(ref string, root map[string]any) bool {
	path, ok := strings.CutPrefix(ref, "#")
	if !ok {
		return false
	}
	var at any = root
	for _, step := range strings.Split(path, "/")[1:] {
		m, _ := at.(map[string]any)
		if at, ok = m[step]; !ok {
			return false
		}
	}
	return true
}
