package settings

import (
	"bytes"
	"encoding/json"
	"maps"
	"math"
	"os"
	"reflect"
	"slices"
	"strings"
	"testing"
)

const schemaFile = "../../docs/settings.schema.json"

// A schema is a JSON schema, or a part of one.
type schema map[string]any

// wholeSchema returns docs/settings.schema.json as the declarations have it.
func wholeSchema() schema {
	root := group()
	root["$schema"] = "http://json-schema.org/draft-07/schema#"
	root["title"] = "Settings of emendo"
	root["properties"].(schema)["$schema"] = schema{"type": "string"}
	for _, d := range declared() {
		at := root
		names := strings.Split(d.key, ".")
		for _, name := range names[:len(names)-1] {
			properties := at["properties"].(schema)
			if properties[name] == nil {
				properties[name] = group()
			}
			at = properties[name].(schema)
		}
		at["properties"].(schema)[names[len(names)-1]] = d.schema()
	}
	return root
}

// group is an object with settings in it. Keys with dots may stand everywhere.
func group() schema {
	return schema{"type": "object", "properties": schema{}, "patternProperties": schema{`\.`: schema{}}, "additionalProperties": false}
}

// schema of one setting.
func (d setting) schema() schema {
	s := schema{"description": d.doc()}
	if d.object == "" {
		s["default"] = d.standard()
	}
	if !d.anyone {
		s["x-scope"] = "user" // not JSON schema's own: clients with settings of their own need it
	}
	list := schema{"type": "array", "items": schema{"type": "string"}}
	switch kind := typeWords(d.fieldType()); {
	case d.single:
		s["anyOf"] = []schema{{"type": "string"}, list}
	case d.either:
		s["anyOf"] = []schema{{"type": "boolean"}, list}
	case d.fieldType() == period:
		s["type"], s["pattern"] = "string", "^$|"+periodForm.String()
	case kind == "a whole number":
		s["type"], s["minimum"] = "integer", d.least
		if d.most != math.MaxInt32 {
			s["maximum"] = d.most
		}
	case kind == "a number":
		s["type"], s["minimum"], s["maximum"] = "number", d.least, d.most
	default:
		maps.Copy(s, typeSchema(d.fieldType()))
		if len(d.oneOf) > 0 {
			s["enum"] = d.oneOf
		}
	}
	return s
}

// typeSchema says how a Go type is written.
func typeSchema(t reflect.Type) schema {
	switch t.Kind() {
	case reflect.Pointer:
		return typeSchema(t.Elem())
	case reflect.Map:
		return schema{"type": "object", "additionalProperties": typeSchema(t.Elem())}
	case reflect.Slice:
		return schema{"type": "array", "items": typeSchema(t.Elem())}
	case reflect.Struct:
		properties := schema{}
		for i := range t.NumField() {
			if name := jsonName(t.Field(i)); name != "" {
				properties[name] = typeSchema(t.Field(i).Type)
			}
		}
		return schema{"type": "object", "properties": properties, "additionalProperties": false}
	}
	kinds := map[string]string{"a string": "string", "true or false": "boolean", "a whole number": "integer", "a number": "number"}
	if kind := kinds[typeWords(t)]; kind != "" {
		return schema{"type": kind}
	}
	return schema{}
}

func TestSchemaIsInStep(t *testing.T) {
	var want bytes.Buffer
	e := json.NewEncoder(&want)
	e.SetIndent("", "  ")
	e.SetEscapeHTML(false)
	if err := e.Encode(wholeSchema()); err != nil {
		t.Fatal(err)
	}
	if *update {
		if err := os.WriteFile(schemaFile, want.Bytes(), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	got, err := os.ReadFile(schemaFile)
	if err != nil {
		t.Fatal(err)
	}
	if string(got) != want.String() {
		t.Error("docs/settings.schema.json is not what the declarations say: run go test ./internal/settings -update")
	}
}

// What the schema lets pass is what [Load] takes, for the defaults at least; and
// every part of it says what it is.
func TestSchemaHoldsForDefaults(t *testing.T) {
	var check func(path string, s schema)
	check = func(path string, s schema) {
		properties, isGroup := s["properties"].(schema)
		if !isGroup || s["description"] != nil {
			if s["description"] == "" || s["type"] == nil && s["anyOf"] == nil {
				t.Errorf("%s says too little: %v", path, s)
			}
			return
		}
		for name, p := range properties {
			check(path+"."+name, p.(schema))
		}
	}
	root := wholeSchema()
	delete(root["properties"].(schema), "$schema")
	check("settings", root)
	for _, d := range declared() {
		s := d.schema()
		if words, ok := s["enum"].([]string); ok && !slices.Contains(words, d.initial.(string)) {
			t.Errorf("the default of %s is none of its words", d.key)
		}
	}
}
