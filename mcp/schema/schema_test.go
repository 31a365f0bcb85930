package schema_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/emendo-dev/emendo/mcp/schema"
)

func TestClean(t *testing.T) {
	for _, c := range []struct{ name, in, want string }{
		{
			"an ordinary schema", `{"type":"object","properties":{"a":{"type":"string","description":"A."},"n":{"type":"integer","minimum":1}},"required":["a"],"additionalProperties":false,"$schema":"x"}`,
			`{"additionalProperties":false,"properties":{"a":{"description":"A.","type":"string"},"n":{"minimum":1,"type":"integer"}},"required":["a"],"type":"object"}`,
		},
		{"no schema", `null`, `{"properties":{},"type":"object"}`},
		{"true", `true`, `{"properties":{},"type":"object"}`},
		{"not an object", `{"type":"string"}`, `{"properties":{},"type":"object"}`},
		{"no type", `{"properties":{"a":{}}}`, `{"properties":{"a":{}},"type":"object"}`},
		{"a type or null", `{"type":"object","properties":{"a":{"type":["string","null"]}}}`, `{"properties":{"a":{"nullable":true,"type":"string"}},"type":"object"}`},
		{"an alternative to null", `{"type":"object","properties":{"a":{"anyOf":[{"type":"string"},{"type":"null"}],"default":null}}}`, `{"properties":{"a":{"description":"(Default: null)","nullable":true,"type":"string"}},"type":"object"}`},
		{"several types", `{"type":"object","properties":{"a":{"type":["string","number"]}}}`, `{"properties":{"a":{"anyOf":[{"type":"string"},{"type":"number"}]}},"type":"object"}`},
		{
			"a reference", `{"type":"object","properties":{"a":{"$ref":"#/$defs/p","description":"here"}},"$defs":{"p":{"type":"string","description":"there"}}}`,
			`{"properties":{"a":{"description":"here","type":"string"}},"type":"object"}`,
		},
		{"a reference to nowhere", `{"type":"object","properties":{"a":{"$ref":"http://x/y"}}}`, `{"properties":{"a":{"description":"See the definition of y."}},"type":"object"}`},
		{
			"a cycle", `{"type":"object","properties":{"a":{"$ref":"#/$defs/n"}},"$defs":{"n":{"type":"object","properties":{"next":{"$ref":"#/$defs/n"}}}}}`,
			`{"properties":{"a":{"properties":{"next":{"description":"See the definition of n."}},"type":"object"}},"type":"object"}`,
		},
		{
			"a cycle through the root", `{"type":"object","properties":{"a":{"$ref":"#"}}}`,
			`{"properties":{"a":{"properties":{"a":{"description":"See the definition of #."}},"type":"object"}},"type":"object"}`,
		},
		{"a constant and values", `{"type":"object","properties":{"a":{"const":"x"},"b":{"enum":["y",null]}}}`, `{"properties":{"a":{"enum":["x"],"type":"string"},"b":{"enum":["y"],"type":"string"}},"type":"object"}`},
		{
			"all of several", `{"allOf":[{"type":"object","properties":{"a":{"type":"string"}},"required":["a"]},{"properties":{"b":{"type":"string"}},"required":["b"]}]}`,
			`{"properties":{"a":{"type":"string"},"b":{"type":"string"}},"required":["a","b"],"type":"object"}`,
		},
		{
			"alternatives at the top", `{"anyOf":[{"type":"object","properties":{"a":{"type":"string"},"b":{"type":"string"}},"required":["a","b"]},{"type":"object","properties":{"a":{"type":"string"},"c":{"type":"number"}},"required":["a","c"]}]}`,
			`{"properties":{"a":{"type":"string"},"b":{"type":"string"},"c":{"type":"number"}},"required":["a"],"type":"object"}`,
		},
		{
			"alternatives of what is required", `{"type":"object","properties":{"a":{},"b":{}},"anyOf":[{"required":["a"]},{"required":["b"]}]}`,
			`{"properties":{"a":{},"b":{}},"type":"object"}`,
		},
		{"values that are no texts", `{"type":"object","properties":{"a":{"type":"boolean","enum":[true],"description":"A."}}}`, `{"properties":{"a":{"description":"A. (One of: true)","type":"boolean"}},"type":"object"}`},
		{
			"drafts 4 and 7", `{"$schema":"http://json-schema.org/draft-07/schema#","type":"object","properties":{"a":{"type":"number","minimum":0,"exclusiveMinimum":true},"b":{"type":"array","items":[{"type":"string"}]},"c":{"required":true}}}`,
			`{"properties":{"a":{"minimum":0,"type":"number"},"b":{"items":{"type":"string"},"type":"array"},"c":{}},"type":"object"}`,
		},
		{"unknown types", `{"type":"object","properties":{"a":{"type":"text"},"b":{"type":["string","any"]},"c":{"enum":[]}}}`, `{"properties":{"a":{},"b":{"type":"string"},"c":{}},"type":"object"}`},
		{"required and absent", `{"type":"object","properties":{"a":{}},"required":["a","b"]}`, `{"properties":{"a":{}},"required":["a"],"type":"object"}`},
		{"required twice", `{"type":"object","properties":{"a":{"properties":{"b":{}},"required":["b","b"]},"":{}},"required":[1,"a","","a"]}`, `{"properties":{"a":{"properties":{"b":{}},"required":["b"],"type":"object"},"":{}},"required":["a",""],"type":"object"}`},
		{"a list without items", `{"type":"object","properties":{"a":{"type":"array"}}}`, `{"properties":{"a":{"items":{},"type":"array"}},"type":"object"}`},
		{
			"what no provider knows", `{"type":"object","properties":{"a":{"type":"string","format":"email","pattern":"^x","not":{},"if":{}}},"patternProperties":{"x":{}}}`,
			`{"properties":{"a":{"description":"(Pattern: ^x; Format: email)","type":"string"}},"type":"object"}`,
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := string(schema.Clean([]byte(c.in))); got != c.want {
				t.Errorf("got\n%s, want\n%s", got, c.want)
			}
		})
	}
}

func TestPropertiesKeepTheirOrder(t *testing.T) {
	for _, c := range []struct{ name, in, want string }{
		{"an object", `{"type":"object","properties":{"z":{"properties":{"y":{},"b":{}}},"properties":{"type":"string"},"a":{}}}`, `{"properties":{"z":{"properties":{"y":{},"b":{}},"type":"object"},"properties":{"type":"string"},"a":{}},"type":"object"}`},
		{"a reference", `{"$ref":"#/$defs/o","$defs":{"o":{"type":"object","properties":{"z":{},"a":{"$ref":"#/$defs/o/properties/z","description":"A."}}}}}`, `{"properties":{"z":{},"a":{"description":"A."}},"type":"object"}`},
		{"all of several", `{"allOf":[{"type":"object","properties":{"z":{}}},{"properties":{"y":{},"a":{}}}]}`, `{"properties":{"z":{},"y":{},"a":{}},"type":"object"}`},
		{"alternatives at the top", `{"anyOf":[{"type":"object","properties":{"z":{},"a":{}}},{"type":"object","properties":{"y":{},"z":{}}}]}`, `{"properties":{"z":{},"a":{},"y":{}},"type":"object"}`},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := string(schema.Clean([]byte(c.in))); got != c.want {
				t.Errorf("got\n%s, want\n%s", got, c.want)
			}
		})
	}
}

// A schema that refers to itself many times must not grow without bound.
func TestCleanIsBounded(t *testing.T) {
	defs := map[string]any{}
	for i := range 30 {
		next := "#/$defs/" + string(rune('a'+(i+1)%26)) + strings.Repeat("x", (i+1)/26)
		name := string(rune('a'+i%26)) + strings.Repeat("x", i/26)
		defs[name] = map[string]any{"type": "object", "properties": map[string]any{"l": map[string]any{"$ref": next}, "r": map[string]any{"$ref": next}}}
	}
	deep := any(map[string]any{})
	for range 9_000 {
		deep = map[string]any{"type": "array", "items": deep}
	}
	in, err := json.Marshal(map[string]any{"type": "object", "$defs": defs, "properties": map[string]any{"a": map[string]any{"$ref": "#/$defs/a"}, "deep": deep}})
	if err != nil {
		t.Fatal(err)
	}
	got := schema.Clean(in)
	if len(got) < 1_000 || len(got) > 500_000 || !json.Valid(got) {
		t.Errorf("the schema has %d bytes", len(got))
	}
}

func FuzzClean(f *testing.F) {
	f.Add(`{"type":"object","properties":{"a":{"$ref":"#/properties/a"}}}`)
	f.Fuzz(func(t *testing.T, text string) {
		var in any
		if json.Unmarshal([]byte(text), &in) != nil {
			return
		}
		var out map[string]any
		if err := json.Unmarshal(schema.Clean([]byte(text)), &out); err != nil || out["type"] != "object" {
			t.Errorf("got %v, %v", out, err)
		}
	})
}
