package discovery

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestRead(t *testing.T) {
	long := strings.Repeat("x", 201)
	many := "[" + strings.TrimSuffix(strings.Repeat(`{"name": "n"},`, 130), ",") + "]"
	for _, tt := range []struct {
		name, output string
		want         []string // names and schemas
		leftOut, err string
	}{
		{name: "a tool", output: `[{"name": "a", "parameters": {"type": "object", "properties": {"x": {"type": "string", "$id": "["}}}}]`, want: []string{`a {"properties":{"x":{"type":"string"}},"type":"object"}`}},
		{name: "lists", output: `[{"functionDeclarations": [{"name": "a"}]}, {"function_declarations": [{"name": "b"}]}]`, want: []string{`a {"properties":{},"type":"object"}`, `b {"properties":{},"type":"object"}`}},
		{name: "a schema that is none", output: `[{"name": "a", "parameters": "x"}, {"description": "nameless"}]`, want: []string{`a {"properties":{},"type":"object"}`}},
		{name: "bad names", output: `[{"name": "` + long + `"}, {"name": "a\u0007"}]`, leftOut: "its name is too long or has control characters"},
		{name: "too many", output: many, leftOut: "there are more than 128"},
		{name: "nothing", output: " \n", err: "printed nothing"},
		{name: "an object", output: `{"name": "a"}`, err: "not a JSON array"},
		{name: "too much", output: strings.Repeat(" ", 10<<20+1), err: "more than 10 MiB"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			tools, leftOut, err := read([]byte(tt.output))
			if (err == nil) != (tt.err == "") || err != nil && !strings.Contains(err.Error(), tt.err) {
				t.Fatalf("error %v, want %q", err, tt.err)
			}
			if (len(leftOut) == 0) != (tt.leftOut == "") || len(leftOut) > 0 && !strings.Contains(leftOut[0], tt.leftOut) {
				t.Errorf("left out: %q, want %q", leftOut, tt.leftOut)
			}
			if tt.name == "too many" {
				if len(tools) != maxTools {
					t.Errorf("%d tools", len(tools))
				}
				return
			}
			var got []string
			for _, d := range tools {
				got = append(got, d.Name+" "+string(d.Schema))
			}
			if diff := cmp.Diff(got, tt.want); diff != "" {
				t.Errorf("got -, want +:\n%s", diff)
			}
		})
	}
}

func TestNames(t *testing.T) {
	taken := map[string]bool{}
	for _, tt := range []struct{ name, want string }{
		{"find", "discovered_tool_find"},
		{"a b", "discovered_tool_a_b"},
		{"a.b", "discovered_tool_a_b_2"},
		{"a b", "discovered_tool_a_b_3"},
	} {
		if got := nameOf(tt.name, taken); got != tt.want {
			t.Errorf("%s is %s, want %s", tt.name, got, tt.want)
		}
	}
	if a, b := nameOf(strings.Repeat("x", 90)+"a", taken), nameOf(strings.Repeat("x", 90)+"b", taken); len(a) != longest || len(b) != longest || a == b {
		t.Errorf("long names are %s and %s", a, b)
	}
}
