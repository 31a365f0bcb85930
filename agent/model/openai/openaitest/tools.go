package openaitest

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
)

// maxTools is the maximum number of tools in a request.
const maxTools = 128

// function declares a function, in the form of either API.
type function struct {
	Type        string  `json:"type"`
	Name        string  `json:"name"`
	Description *string `json:"description"`
	Parameters  raw     `json:"parameters"`
	Strict      *bool   `json:"strict"`
}

// checkResponsesTools checks tools, and returns the names of the functions.
func checkResponsesTools(tools []raw) (map[string]bool, *Refusal) {
	names := map[string]bool{}
	for i, data := range tools {
		at := fmt.Sprintf("tools[%d]", i)
		switch kind := typeOf(data); kind {
		case "function":
			var f function
			if r := strict(at, data, &f); r != nil {
				return nil, r
			}
			if f.Strict == nil {
				return nil, missing(at + ".strict")
			}
			if r := checkFunction(at, f, names); r != nil {
				return nil, r
			}
		case "web_search":
			var w struct {
				Type              string `json:"type"`
				ExternalWebAccess raw    `json:"external_web_access"`
				Filters           raw    `json:"filters"`
				UserLocation      raw    `json:"user_location"`
				SearchContextSize raw    `json:"search_context_size"`
			}
			if r := strict(at, data, &w); r != nil {
				return nil, r
			}
		default:
			return nil, oneOf(at+".type", kind, "function", "web_search")
		}
	}
	if len(tools) > maxTools {
		return nil, coded("array_above_max_length", "tools", "Invalid 'tools': array too long. Expected an array with maximum length %d, but got an array with length %d instead.", maxTools, len(tools))
	}
	return names, nil
}

// checkChatTools checks tools, and returns the names of the functions.
func checkChatTools(tools []raw) (map[string]bool, *Refusal) {
	names := map[string]bool{}
	for i, data := range tools {
		at := fmt.Sprintf("tools[%d]", i)
		var t struct {
			Type     string    `json:"type"`
			Function *function `json:"function"`
		}
		if r := strict(at, data, &t); r != nil {
			return nil, r
		}
		if r := oneOf(at+".type", t.Type, "function"); r != nil {
			return nil, r
		}
		if t.Function == nil {
			return nil, missing(at + ".function")
		}
		if t.Function.Type != "" {
			return nil, coded("unknown_parameter", at+".function.type", "Unknown parameter: '%s.function.type'.", at)
		}
		if r := checkFunction(at+".function", *t.Function, names); r != nil {
			return nil, r
		}
	}
	if len(tools) > maxTools {
		return nil, coded("array_above_max_length", "tools", "Invalid 'tools': array too long.")
	}
	return names, nil
}

func checkFunction(at string, f function, names map[string]bool) *Refusal {
	if r := checkName(at+".name", f.Name); r != nil {
		return r
	}
	if names[f.Name] {
		return invalid("tools", "Duplicate function name '%s'.", f.Name)
	}
	names[f.Name] = true
	if len(f.Parameters) == 0 {
		return missing(at + ".parameters")
	}
	var root any
	if err := json.Unmarshal(f.Parameters, &root); err != nil {
		return invalid(at+".parameters", "%v", err)
	}
	wrong := func(where, what string) *Refusal {
		return coded("invalid_function_parameters", at+".parameters", "Invalid schema for function '%s': In context=%s, %s", f.Name, where, what)
	}
	m, ok := root.(map[string]any)
	if !ok || m["type"] != "object" {
		return wrong("()", fmt.Sprintf("schema must be a JSON Schema of 'type: \"object\"', got 'type: %q'.", fmt.Sprint(m["type"])))
	}
	for _, key := range []string{"oneOf", "anyOf", "allOf", "enum", "not"} {
		if m[key] != nil {
			return wrong("()", "schema must have type 'object' and not have 'oneOf'/'anyOf'/'allOf'/'enum'/'not' at the top level.")
		}
	}
	where, what := checkSchema(nil, m, m)
	if what != "" {
		return wrong("('"+strings.Join(where, "', '")+"')", what)
	}
	if f.Strict != nil && *f.Strict {
		return wrong("()", "this server does not have strict mode")
	}
	return nil
}

var schemaTypes = []string{"string", "number", "integer", "boolean", "array", "object", "null"}

// checkSchema checks a schema whose references are relative to root. It returns what
// is wrong with it and where, or nothing.
func checkSchema(at []string, v any, root map[string]any) ([]string, string) {
	s, ok := v.(map[string]any)
	if !ok {
		if _, ok := v.(bool); ok {
			return nil, ""
		}
		return at, "schema is not an object or a boolean."
	}
	types, ok := s["type"].([]any)
	if !ok && s["type"] != nil {
		types = []any{s["type"]}
	}
	for _, t := range types {
		if word, _ := t.(string); !slices.Contains(schemaTypes, word) {
			return at, fmt.Sprintf("'%v' is not valid under any of the given schemas.", t)
		}
	}
	if ref, ok := s["$ref"].(string); ok {
		name, ok := strings.CutPrefix(ref, "#/$defs/")
		defs, _ := root["$defs"].(map[string]any)
		if _, known := defs[name]; !ok || !known {
			return at, fmt.Sprintf("reference can only point to definitions defined at the top level of the schema, got %q.", ref)
		}
	}
	list, isList := s["enum"].([]any)
	switch {
	case slices.Contains(types, any("array")) && s["items"] == nil:
		return at, "array schema missing items."
	case slices.Contains(types, any("object")) && s["properties"] == nil:
		return at, "object schema missing properties."
	case s["nullable"] != nil:
		return at, "'nullable' is not permitted."
	case s["enum"] != nil && (!isList || len(list) == 0):
		return at, "[] is too short."
	}
	for _, key := range []string{"properties", "$defs"} {
		inner, _ := s[key].(map[string]any)
		for name, v := range inner {
			if where, what := checkSchema(append(slices.Clone(at), key, name), v, root); what != "" {
				return where, what
			}
		}
	}
	for _, key := range []string{"items", "additionalProperties"} {
		if v, ok := s[key]; ok {
			if where, what := checkSchema(append(slices.Clone(at), key), v, root); what != "" {
				return where, what
			}
		}
	}
	for _, key := range []string{"anyOf", "oneOf", "allOf"} {
		list, _ := s[key].([]any)
		for i, v := range list {
			if where, what := checkSchema(append(slices.Clone(at), key, fmt.Sprint(i)), v, root); what != "" {
				return where, what
			}
		}
	}
	return nil, ""
}

// checkChoice checks the choice of a tool.
func checkChoice(choice raw, names map[string]bool, tools bool) *Refusal {
	if len(choice) == 0 {
		return nil
	}
	if word, ok := isText(choice); ok {
		if r := oneOf("tool_choice", word, "none", "auto", "required"); r != nil {
			return r
		}
		if !tools {
			return invalid("tool_choice", "Invalid value for 'tool_choice': 'tool_choice' is only allowed when 'tools' are specified.")
		}
		return nil
	}
	var named struct {
		Name     string `json:"name"`
		Function struct {
			Name string `json:"name"`
		} `json:"function"`
	}
	if json.Unmarshal(choice, &named) != nil || !names[named.Name+named.Function.Name] {
		return invalid("tool_choice", "Tool choice not found in 'tools' parameter.")
	}
	return nil
}
