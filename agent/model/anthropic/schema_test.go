package anthropic

import (
	"encoding/json"
	"testing"

	"github.com/emendo-dev/emendo/agent/model"
)

func TestNamesOfPropertiesAreAccepted(t *testing.T) {
	for _, tt := range []struct{ name, in, want string }{
		{"none", ``, `{"properties":{},"type":"object"}`},
		{"one that is accepted, byte for byte", `{ "type":"object", "properties":{"z":{"type":"string"},"a":{"minimum":1e400}} }`, `{ "type":"object", "properties":{"z":{"type":"string"},"a":{"minimum":1e400}} }`},
		{"names of properties", `{"type":"object","properties":{"a b":{},"ok":{"type":"array","items":{"properties":{"c$":{},"d":{}},"required":["c$"]}}},"required":["a b","ok"]}`, `{"type":"object","properties":{"ok":{"type":"array","items":{"properties":{"d":{}},"required":[]}}},"required":["ok"]}`},
		{"names that are only required", `{"type":"object","properties":{"a":{}},"required":["a b","a"]}`, `{"type":"object","properties":{"a":{}},"required":["a"]}`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got, err := accepted(model.Tool{Schema: json.RawMessage(tt.in)})
			if err != nil || string(got) != tt.want {
				t.Errorf("got %s, %v, want %s", got, err, tt.want)
			}
		})
	}
	for _, in := range []string{`[]`, `null`, `{`, `{} {}`} {
		if got, err := accepted(model.Tool{Schema: json.RawMessage(in)}); err == nil {
			t.Errorf("%s became %s", in, got)
		}
	}
}
