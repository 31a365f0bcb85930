package geminitest

import (
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strings"
)

// functionName matches valid function names.
var functionName = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_.:-]{0,63}$`)

// maxFunctions is the maximum number of functions in a request.
const maxFunctions = 512

func checkTools(model string, in *request) *Refusal {
	declared := map[string]bool{}
	builtin := false
	for i, t := range in.Tools {
		builtin = builtin || t.GoogleSearch != nil || t.URLContext != nil || t.CodeExecution != nil
		for j, d := range t.FunctionDeclarations {
			at := fmt.Sprintf("GenerateContentRequest.tools[%d].function_declarations[%d]", i, j)
			if r := checkFunction(at, d); r != nil {
				return r
			}
			if declared[d.Name] {
				return invalid("Duplicate function declaration found: %s", d.Name)
			}
			declared[d.Name] = true
		}
	}
	switch {
	case len(declared) > maxFunctions:
		return invalid("At most %d function declarations can be specified.", maxFunctions)
	case builtin && len(declared) > 0 && !strings.HasPrefix(model, "gemini-3"):
		return invalid("Tool use with function calling is unsupported")
	case in.ToolConfig == nil || in.ToolConfig.FunctionCallingConfig == nil:
		return nil
	}
	f := in.ToolConfig.FunctionCallingConfig
	if !slices.Contains([]string{"", "AUTO", "ANY", "NONE", "VALIDATED"}, f.Mode) {
		return invalid("Invalid value at 'tool_config.function_calling_config.mode', %q", f.Mode)
	}
	switch {
	case len(f.AllowedFunctionNames) > 0 && f.Mode != "ANY" && f.Mode != "VALIDATED":
		return invalid("* GenerateContentRequest.tool_config.function_calling_config.allowed_function_names: should be set only when function calling mode is ANY.\n")
	case f.Mode == "ANY" && len(declared) == 0:
		return invalid("Function calling config is set without function_declarations.")
	}
	for _, name := range f.AllowedFunctionNames {
		if !declared[name] {
			return invalid("* GenerateContentRequest.tool_config.function_calling_config.allowed_function_names: %q is not declared.\n", name)
		}
	}
	return nil
}

func checkFunction(at string, d declaration) *Refusal {
	switch {
	case !functionName.MatchString(d.Name):
		return invalid("* %s.name: [FIELD_INVALID] Invalid function name. Must start with a letter or an underscore. Must be alphameric (a-z, A-Z, 0-9), underscores (_), dots (.), colons (:), or dashes (-), with a maximum length of 64.\n", at)
	case d.Parameters != nil && d.ParametersJSONSchema != nil:
		return invalid("* %s: only one of parameters and parameters_json_schema may be set.\n", at)
	}
	for _, raw := range []json.RawMessage{d.Parameters, d.ParametersJSONSchema} {
		if raw == nil {
			continue
		}
		var root any
		if err := json.Unmarshal(raw, &root); err != nil {
			return invalid("* %s.parameters: %v\n", at, err)
		}
		m, ok := root.(map[string]any)
		if !ok || !strings.EqualFold(text(m["type"]), "object") {
			return invalid("* %s.parameters: schema should be of type OBJECT\n", at)
		}
		if r := checkSchema(at+".parameters", m, m); r != nil {
			return r
		}
	}
	return nil
}

var schemaTypes = []string{"string", "number", "integer", "boolean", "array", "object", "null"}

func text(v any) string { s, _ := v.(string); return s }

// checkSchema checks a JSON schema. Its references are relative to root.
func checkSchema(at string, v any, root map[string]any) *Refusal {
	s, ok := v.(map[string]any)
	if !ok {
		if _, ok := v.(bool); ok {
			return nil
		}
		return invalid("* %s: a schema must be an object\n", at)
	}
	types, ok := s["type"].([]any)
	if !ok && s["type"] != nil {
		types = []any{s["type"]}
	}
	for _, t := range types {
		if !slices.Contains(schemaTypes, strings.ToLower(text(t))) {
			return invalid("Invalid value at '%s.type' (type.googleapis.com/google.ai.generativelanguage.v1beta.Type), %q", at, fmt.Sprint(t))
		}
	}
	if ref := text(s["$ref"]); ref != "" {
		name, ok := strings.CutPrefix(ref, "#/$defs/")
		defs, _ := root["$defs"].(map[string]any)
		if _, known := defs[name]; !ok || !known {
			return invalid("* %s.$ref: %q does not resolve\n", at, ref)
		}
	}
	if e, ok := s["enum"]; ok {
		if list, _ := e.([]any); len(list) == 0 || slices.Contains(list, any("")) {
			return invalid("* %s.enum: must hold values that are not empty\n", at)
		}
	}
	props, _ := s["properties"].(map[string]any)
	required, _ := s["required"].([]any)
	for i, name := range required {
		if _, ok := props[text(name)]; !ok {
			return invalid("* %s.required[%d]: property is not defined\n", at, i)
		}
	}
	if len(types) == 1 && strings.EqualFold(text(types[0]), "array") && s["items"] == nil {
		return invalid("* %s.items: missing field.\n", at)
	}
	return checkInner(at, s, root)
}

// checkInner checks the schemas inside a schema.
func checkInner(at string, s, root map[string]any) *Refusal {
	for _, key := range []string{"properties", "$defs"} {
		inner, _ := s[key].(map[string]any)
		for name, v := range inner {
			if r := checkSchema(fmt.Sprintf("%s.%s[%s]", at, key, name), v, root); r != nil {
				return r
			}
		}
	}
	for _, key := range []string{"items", "additionalProperties"} {
		if v, ok := s[key]; ok {
			if r := checkSchema(at+"."+key, v, root); r != nil {
				return r
			}
		}
	}
	for _, key := range []string{"anyOf", "oneOf", "allOf"} {
		list, _ := s[key].([]any)
		for i, v := range list {
			if r := checkSchema(fmt.Sprintf("%s.%s[%d]", at, key, i), v, root); r != nil {
				return r
			}
		}
	}
	return nil
}
