package anthropic

import (
	"encoding/json"
	"testing"
)

func TestSchemasAreCleaned(t *testing.T) {
	for _, tt := range []struct{ name, in, want string }{
		{"none", ``, `{"type":"object","properties":{}}`},
		{"one that is accepted, byte for byte", `{ "type":"object", "properties":{"z":{"type":"string"},"a":{"minimum":1e400}} }`, `{ "type":"object", "properties":{"z":{"type":"string"},"a":{"minimum":1e400}} }`},
		{"no type", `{"properties":{}}`, `{"properties":{},"type":"object"}`},
		{"alternatives at the top", `{"type":"object","anyOf":[{"required":["a"]}],"properties":{"a":{"anyOf":[{"type":"string"},{"type":"null"}]}}}`, `{"type":"object","properties":{"a":{"anyOf":[{"type":"string"},{"type":"null"}]}}}`},
		{"draft 4 and 7", `{"$schema":"http://json-schema.org/draft-07/schema#","type":"object","properties":{"a":{"type":"number","minimum":0,"exclusiveMinimum":true},"b":{"type":"array","items":[{"type":"string"}]},"c":{"required":true}}}`, `{"type":"object","properties":{"a":{"type":"number","minimum":0},"b":{"type":"array"},"c":{}}}`},
		{"names of properties", `{"type":"object","properties":{"a b":{},"ok":{}},"required":["a b","ok","ok"]}`, `{"type":"object","properties":{"ok":{}},"required":["ok"]}`},
		{"unknown types", `{"type":"object","properties":{"a":{"type":"text"},"b":{"type":["string","any"]},"c":{"enum":[]}}}`, `{"type":"object","properties":{"a":{},"b":{},"c":{}}}`},
		{"references", `{"type":"object","properties":{"a":{"$ref":"#/definitions/x"},"b":{"$ref":"#/$defs/none"},"c":{"$ref":"other.json"}},"definitions":{"x":{"type":"string"}}}`, `{"type":"object","properties":{"a":{"$ref":"#/definitions/x"},"b":{},"c":{}},"definitions":{"x":{"type":"string"}}}`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got, err := clean(json.RawMessage(tt.in))
			if err != nil || string(got) != tt.want {
				t.Errorf("got %s, %v, want %s", got, err, tt.want)
			}
		})
	}
	for _, in := range []string{`[]`, `null`, `{`, `{} {}`} {
		if got, err := clean(json.RawMessage(in)); err == nil {
			t.Errorf("%s became %s", in, got)
		}
	}
}
