package tools

import (
	"encoding/json"
	"errors"
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/jsonschema-go/jsonschema"

	"github.com/emendo-dev/emendo/tools/toolstest"
)

type sampleArgs struct {
	Path  string   `json:"path"`
	Line  int      `json:"line,omitempty"`
	Limit *int     `json:"limit,omitempty"`
	Deep  *bool    `json:"deep,omitempty"`
	Names []string `json:"names,omitempty"`
	Inner struct {
		Flag *bool `json:"flag,omitempty"`
	} `json:"inner,omitzero"`
}

var sampleParams = NewParams[sampleArgs]()

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
		{name: "a required one is missing", args: `{"line":1}`, err: "invalid params: path is required"},
		{name: "a required one is null", args: `{"path":null}`, err: "invalid params: path is required"},
		{name: "no arguments at all", args: ``, err: "invalid params: path is required"},
		{name: "an unknown one", args: `{"path":"a","lines":1}`, err: "invalid params: unknown parameter lines; the parameters are path, line, limit, deep, names, inner"},
		{name: "a name in another case", args: `{"path":"a","Line":1}`, err: "invalid params: unknown parameter Line; the parameters are path, line, limit, deep, names, inner"},
		{name: "an unknown one inside", args: `{"path":"a","inner":{"flags":true}}`, err: "invalid params: unknown parameter inner.flags; the parameters are path, line, limit, deep, names, inner"},
		{name: "one twice", args: `{"path":"a","path":"b"}`, err: "invalid params: path is given twice"},
		{name: "one twice inside", args: `{"path":"a","inner":{"flag":true,"flag":false}}`, err: "invalid params: inner.flag is given twice"},
		{name: "a number for a string", args: `{"path":7}`, err: "invalid params: path: expected a string, got a number"},
		{name: "a number as a string", args: `{"path":"a","line":"3","limit":"2"}`, want: sampleArgs{Path: "a", Line: 3, Limit: &two}},
		{name: "a string that is not exactly a number", args: `{"path":"a","line":" 3"}`, err: "invalid params: line: expected an integer"},
		{name: "a fraction as a string", args: `{"path":"a","line":"3.0"}`, err: "invalid params: line: expected an integer"},
		{name: "half a line", args: `{"path":"a","line":1.5}`, err: "invalid params: line: expected an integer"},
		{name: "a number past counting", args: `{"path":"a","line":1e300}`, err: "invalid params: line: expected an integer"},
		{name: "a flag as a string", args: `{"path":"a","deep":"true"}`, want: sampleArgs{Path: "a", Deep: &yes}},
		{name: "a string that is not exactly a flag", args: `{"path":"a","deep":"True"}`, err: "invalid params: deep: expected true or false"},
		{name: "a missing one and others instead", args: `{"file":"a","line":1,"dir":"x"}`, err: "invalid params: path is required; unknown: dir, file; the parameters are path, line, limit, deep, names, inner"},
		{name: "a string for a list", args: `{"path":"a","names":"x"}`, err: "invalid params: names: expected an array, got a string"},
		{name: "a number in a list", args: `{"path":"a","names":["x",1]}`, err: "invalid params: names[1]: expected a string, got a number"},
		{name: "a list for an object", args: `{"path":"a","inner":[]}`, err: "invalid params: inner: expected an object, got an array"},
		{name: "a list of arguments", args: `["a"]`, err: "invalid params: expected one JSON object, got an array"},
		{name: "null for arguments", args: `null`, err: "invalid params: path is required"},
		{name: "a name with a line end", args: `{"path":"a","li\nne":1}`, err: `invalid params: unknown parameter li\nne; the parameters are path, line, limit, deep, names, inner`},
		{name: "half a character", args: `{"path":"\ud800"}`, err: "invalid params: invalid JSON at byte 9: invalid surrogate pair `\\ud800\"}` in string"},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			got, err := sampleParams.Decode(json.RawMessage(c.args))
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

func TestSchema(t *testing.T) {
	type inner struct {
		Flag *bool `json:"flag,omitempty" jsonschema:"Yes & no."`
	}
	p := NewParams[struct {
		Zebra string   `json:"zebra" jsonschema:"The first."`
		Limit *int     `json:"limit,omitempty" min:"1" max:"9"`
		Kind  string   `json:"kind,omitempty" enum:"a,b"`
		Names []string `json:"names" max:"2"`
		Inner *inner   `json:"inner,omitempty"`
	}](func(s *jsonschema.Schema) { s.Properties["limit"].Maximum = new(5.0) })
	const want = `{"type":"object","properties":{` +
		`"zebra":{"type":"string","description":"The first."},` +
		`"limit":{"type":"integer","minimum":1,"maximum":5},` +
		`"kind":{"type":"string","enum":["a","b"]},` +
		`"names":{"type":"array","items":{"type":"string"},"maxItems":2},` +
		`"inner":{"type":"object","properties":{"flag":{"type":"boolean","description":"Yes & no."}},"additionalProperties":false}},` +
		`"required":["zebra","names"],"additionalProperties":false}`
	if got := string(p.Schema()); got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	for args, want := range map[string]string{
		`{"zebra":"","names":[]}`:                     "",
		`{"zebra":"","names":[],"kind":""}`:           "",
		`{"zebra":"","names":[],"limit":0}`:           "invalid params: limit: expected 1 to 5, got 0",
		`{"zebra":"","names":[],"limit":6}`:           "invalid params: limit: expected 1 to 5, got 6",
		`{"zebra":"","names":[],"kind":"c"}`:          `invalid params: kind: expected one of a, b; got "c"`,
		`{"zebra":"","names":["a","b","c"]}`:          "invalid params: names: expected at most 2 items, got 3",
		`{"zebra":"","names":[],"inner":{"flag":[]}}`: "invalid params: inner.flag: expected true or false, got an array",
	} {
		_, err := p.Decode(json.RawMessage(args))
		if got := fmt.Sprint(err); got != want && (err != nil || want != "") {
			t.Errorf("%s: got %s, want %s", args, got, want)
		}
	}
}

func TestSchemas(t *testing.T) {
	toolstest.Schemas(t, map[string]toolstest.Params{
		"enter_plan_mode": EnterPlanMode, "exit_plan_mode": ExitPlanMode, "glob": Glob, "grep_search": GrepSearch,
		"list_directory": ListDirectory, "read_file": ReadFile, "read_many_files": ReadManyFiles, "replace": Replace,
		"write_file": WriteFile, "move_file": MoveFile, "delete_file": DeleteFile,
	})
}

func TestPathSynonyms(t *testing.T) {
	for _, tool := range append(Reading(), Replace, WriteFile) {
		s := tool.Spec()
		to := s.Synonyms["path"]
		if to == "" || s.Synonyms["absolute_path"] != to && to == "file_path" {
			t.Errorf("%s: path stands for %q, absolute_path for %q", s.Name, to, s.Synonyms["absolute_path"])
		}
	}
}

func BenchmarkSchema(b *testing.B) {
	for b.Loop() {
		NewParams[grepArgs]().Schema()
	}
}
