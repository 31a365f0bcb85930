package tools

import (
	"encoding/json"
	"errors"
	"testing"

	"github.com/google/go-cmp/cmp"
)

type sampleArgs struct {
	Path  string   `json:"path"`
	Line  int      `json:"line"`
	Limit *int     `json:"limit"`
	Deep  *bool    `json:"deep"`
	Names []string `json:"names"`
	Inner struct {
		Flag *bool `json:"flag"`
	} `json:"inner"`
}

func TestDecode(t *testing.T) {
	two, yes := 2, true
	cases := []struct {
		name string
		args string
		want sampleArgs
		err  string
	}{
		{name: "all of them", args: `{"path":"a","line":1,"limit":2,"deep":true,"names":["x"]}`, want: sampleArgs{Path: "a", Line: 1, Limit: &two, Deep: &yes, Names: []string{"x"}}},
		{name: "a whole number written as a fraction", args: `{"path":"a","line":3.0,"limit":2.0}`, want: sampleArgs{Path: "a", Line: 3, Limit: &two}},
		{name: "a whole number with an exponent", args: `{"path":"a","line":3e1}`, want: sampleArgs{Path: "a", Line: 30}},
		{name: "null is not given", args: `{"path":"a","line":null,"limit":null,"names":null,"inner":null}`, want: sampleArgs{Path: "a"}},
		{name: "an empty string is given", args: `{"path":""}`, want: sampleArgs{}},
		{name: "a required one is missing", args: `{"line":1}`, err: "the argument path is missing"},
		{name: "a required one is null", args: `{"path":null}`, err: "the argument path is missing"},
		{name: "no arguments at all", args: ``, err: "the argument path is missing"},
		{name: "an unknown one", args: `{"path":"a","lines":1}`, err: "there is no argument lines; the arguments are deep, inner, limit, line, names, path"},
		{name: "a name in another case", args: `{"path":"a","Line":1}`, err: "there is no argument Line; the arguments are deep, inner, limit, line, names, path"},
		{name: "an unknown one inside", args: `{"path":"a","inner":{"flags":true}}`, err: "there is no argument inner.flags; the arguments are deep, inner, limit, line, names, path"},
		{name: "one twice", args: `{"path":"a","path":"b"}`, err: "the argument path is given twice"},
		{name: "one twice inside", args: `{"path":"a","inner":{"flag":true,"flag":false}}`, err: "the argument inner.flag is given twice"},
		{name: "a number for a string", args: `{"path":7}`, err: "path must be a string, not a number"},
		{name: "a number as a string", args: `{"path":"a","line":"3","limit":"2"}`, want: sampleArgs{Path: "a", Line: 3, Limit: &two}},
		{name: "a string that is not exactly a number", args: `{"path":"a","line":" 3"}`, err: "line must be a whole number"},
		{name: "a fraction as a string", args: `{"path":"a","line":"3.0"}`, err: "line must be a whole number"},
		{name: "half a line", args: `{"path":"a","line":1.5}`, err: "line must be a whole number"},
		{name: "a number past counting", args: `{"path":"a","line":1e300}`, err: "line must be a whole number"},
		{name: "a flag as a string", args: `{"path":"a","deep":"true"}`, want: sampleArgs{Path: "a", Deep: &yes}},
		{name: "a string that is not exactly a flag", args: `{"path":"a","deep":"True"}`, err: "deep must be true or false"},
		{name: "a missing one and others instead", args: `{"file":"a","line":1,"dir":"x"}`, err: "the argument path is missing, and there is no argument dir, file; the arguments are deep, inner, limit, line, names, path"},
		{name: "a string for a list", args: `{"path":"a","names":"x"}`, err: "names must be a list, not a string"},
		{name: "a number in a list", args: `{"path":"a","names":["x",1]}`, err: "names[1] must be a string, not a number"},
		{name: "a list for an object", args: `{"path":"a","inner":[]}`, err: "inner must be an object, not a list"},
		{name: "a list of arguments", args: `["a"]`, err: "the arguments must be one JSON object, not a list"},
		{name: "null for arguments", args: `null`, err: "the argument path is missing"},
		{name: "a name with a line end", args: `{"path":"a","li\nne":1}`, err: `there is no argument li\nne; the arguments are deep, inner, limit, line, names, path`},
		{name: "half a character", args: `{"path":"\ud800"}`, err: "the arguments are invalid JSON at byte 9: invalid surrogate pair `\\ud800\"}` in string"},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			var got sampleArgs
			err := Decode(json.RawMessage(c.args), &got, "path")
			if c.err != "" {
				var e *Error
				if !errors.As(err, &e) || e.Type != InvalidParams || e.Message != c.err {
					t.Fatalf("got error %v, want %s", err, c.err)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			if d := cmp.Diff(got, c.want); d != "" {
				t.Error(d)
			}
		})
	}
}

// The schema that the model reads and the struct that its arguments are read
// into say the same.
func checkSchema(t *testing.T, s Spec, args any, required ...string) {
	t.Helper()
	var schema struct {
		Type       string         `json:"type"`
		Properties map[string]any `json:"properties"`
		Required   []string       `json:"required"`
	}
	if err := json.Unmarshal(s.Schema, &schema); err != nil {
		t.Fatalf("%s: %v", s.Name, err)
	}
	for _, name := range argumentNames(args) {
		p, _ := schema.Properties[name].(map[string]any)
		if p["description"] == nil || p["type"] == nil {
			t.Errorf("%s: %s has no type or no description", s.Name, name)
		}
		delete(schema.Properties, name)
	}
	for name := range schema.Properties {
		t.Errorf("%s: the schema has %s and the arguments do not", s.Name, name)
	}
	if d := cmp.Diff(schema.Required, required); schema.Type != "object" || d != "" {
		t.Errorf("%s: type %s, required: %s", s.Name, schema.Type, d)
	}
}
