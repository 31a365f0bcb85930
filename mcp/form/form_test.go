package form_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/emendo-dev/emendo/mcp/form"
	"github.com/emendo-dev/emendo/tools"
)

const schema = `{"type": "object", "required": ["name", "size"], "properties": {
	"name": {"type": "string", "title": "Name", "description": "Of the\u202e branch.", "minLength": 2},
	"size": {"type": "integer", "minimum": 1, "maximum": 9},
	"colour": {"type": "string", "enum": ["r", "g"], "enumNames": ["Red", "Green"]},
	"days": {"type": "array", "items": {"anyOf": [{"const": "mo", "title": "Monday"}, {"const": "tu", "title": "Tuesday"}]}},
	"push": {"type": "boolean", "default": true}
}}`

func newForm(t *testing.T, schema string) form.Form {
	t.Helper()
	var s any
	if err := json.Unmarshal([]byte(schema), &s); err != nil {
		t.Fatal(err)
	}
	f, err := form.New("docs", "What now?", s)
	if err != nil {
		t.Fatal(err)
	}
	return f
}

func TestQuestions(t *testing.T) {
	type asked struct {
		Header, Field string
		Type          tools.QuestionType
		Labels        string
		Several       bool
	}
	var got []asked
	for i, q := range newForm(t, schema).Questions(nil) {
		text, ok := strings.CutPrefix(q.Question, "The MCP server docs asks: What now?\n\nYour answer goes to this server.\n\n")
		if ok != (i == 0) {
			t.Errorf("question %d is %q", i+1, q.Question)
		}
		field, _, _ := strings.Cut(text, "\n")
		var labels []string
		for _, o := range q.Options {
			labels = append(labels, o.Label)
		}
		got = append(got, asked{q.Header, field, q.Type, strings.Join(labels, ","), q.MultiSelect})
	}
	want := []asked{
		{"Name", `Name: Of the\u{202E} branch.`, tools.TextQuestion, "", false},
		{"size", "size", tools.IntegerQuestion, "", false},
		{"colour", "colour (optional)", tools.ChoiceQuestion, "Red,Green", false},
		{"days", "days (optional)", tools.ChoiceQuestion, "Monday,Tuesday", true},
		{"push", "push (optional)", tools.YesNoQuestion, "", false},
	}
	if diff := cmp.Diff(got, want); diff != "" {
		t.Errorf("got -, want +:\n%s", diff)
	}
}

// Front ends check answers by what the schema says of them, and begin with its defaults.
func TestExpectedAnswers(t *testing.T) {
	f := newForm(t, `{"type": "object", "required": ["a"], "properties": {
		"a": {"type": "string", "minLength": 2, "maxLength": 5, "default": "abc"},
		"b": {"type": "string", "format": "email", "default": 7},
		"c": {"type": "string", "format": "url"},
		"d": {"type": "number", "minimum": 0.5, "maximum": 9, "default": 1.5},
		"e": {"type": "integer", "default": 3},
		"f": {"type": "boolean", "default": false},
		"g": {"type": "string", "oneOf": [{"const": "x", "title": "Ex"}, {"const": "y", "title": "Why"}], "default": "y"},
		"h": {"type": "array", "minItems": 1, "maxItems": 2, "items": {"type": "string", "enum": ["p", "q", "r"]}, "default": ["q", "r"]},
		"i": {"type": "string", "enum": ["s"], "default": "t"}
	}}`)
	var got []tools.Question
	for _, q := range f.Questions(nil) {
		got = append(got, tools.Question{Header: q.Header, Type: q.Type, Options: q.Options, MultiSelect: q.MultiSelect, Expected: q.Expected})
	}
	number := func(n float64) *float64 { return &n }
	one := func(n int) *int { return &n }
	offer := func(labels ...string) (l []tools.Choice) {
		for _, x := range labels {
			l = append(l, tools.Choice{Label: x, Value: x})
		}
		return l
	}
	want := []tools.Question{
		{Header: "a", Type: tools.TextQuestion, Expected: tools.Expected{Required: true, Default: "abc", MinLength: one(2), MaxLength: one(5)}},
		{Header: "b", Type: tools.TextQuestion, Expected: tools.Expected{Format: "email"}},
		{Header: "c", Type: tools.URLQuestion},
		{Header: "d", Type: tools.NumberQuestion, Expected: tools.Expected{Default: "1.5", Minimum: number(0.5), Maximum: number(9)}},
		{Header: "e", Type: tools.IntegerQuestion, Expected: tools.Expected{Default: "3"}},
		{Header: "f", Type: tools.YesNoQuestion, Expected: tools.Expected{Default: "no"}},
		{Header: "g", Type: tools.ChoiceQuestion, Options: offer("Ex", "Why"), Expected: tools.Expected{Default: "Why"}},
		{Header: "h", Type: tools.ChoiceQuestion, Options: offer("p", "q", "r"), MultiSelect: true, Expected: tools.Expected{Default: []string{"q", "r"}, MinItems: one(1), MaxItems: one(2)}},
		{Header: "i", Type: tools.ChoiceQuestion, Options: offer("s")},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}

// Whatever a front end lets through is checked here too.
func TestAnswersOfAFormat(t *testing.T) {
	for _, tt := range []struct{ format, good, bad, want string }{
		{"email", "ada@example.test", "Ada <ada@example.test>", "e-mail"},
		{"uri", "urn:isbn:1", "example.test/x", "whole address"},
		{"url", "https://example.test/x", "ftp://example.test/x", "https:// or http://"},
		{"date", "1815-12-10", "1815-02-30", "year-month-day"},
		{"date-time", "2026-01-31T14:30:00Z", "2026-01-31 14:30", "a date and a time"},
		{"colour", "whatever", "", ""},
	} {
		f := newForm(t, `{"type": "object", "properties": {"a": {"type": "string", "format": "`+tt.format+`"}}}`)
		var a form.Answers
		if f.Answer(&a, [][]string{{tt.good}}); a.Content["a"] != tt.good || a.Wrong != nil {
			t.Errorf("%s: %q is %v, %v", tt.format, tt.good, a.Content, a.Wrong)
		}
		if tt.bad == "" {
			continue
		}
		a = form.Answers{}
		if f.Answer(&a, [][]string{{tt.bad}}); a.Wrong[0] == nil || !strings.Contains(a.Wrong[0].Error(), tt.want) {
			t.Errorf("%s: %q is %v, %v", tt.format, tt.bad, a.Content, a.Wrong)
		}
	}
}

// What is wrong is asked again, and only that.
func TestAnswers(t *testing.T) {
	f := newForm(t, schema)
	var a form.Answers
	if f.Answer(&a, [][]string{{"x"}, {"17"}, {"Green"}, {"Tuesday", "Monday"}}) {
		t.Error("it is declined")
	}
	if len(a.Wrong) != 2 {
		t.Fatalf("wrong: %v", a.Wrong)
	}
	again := f.Questions(a.Wrong)
	if len(again) != 2 || !strings.HasPrefix(again[1].Question, "That answer cannot be: ") || again[1].Header != "size" {
		t.Fatalf("asked again: %+v", again)
	}
	f.Answer(&a, [][]string{{"main"}, {" 7 "}})
	want := form.Answers{Content: map[string]any{"name": "main", "size": 7.0, "colour": "g", "days": []any{"tu", "mo"}}}
	if diff := cmp.Diff(a, want); diff != "" {
		t.Errorf("got -, want +:\n%s", diff)
	}
}

func TestAnswersThatCannotBe(t *testing.T) {
	f := newForm(t, schema)
	for name, values := range map[string][][]string{
		"nothing":               nil,
		"no number":             {{"main"}, {"many"}},
		"half a number":         {{"main"}, {"1.5"}},
		"another colour":        {{"main"}, {"1"}, {"Blue"}},
		"the value of a choice": {{"main"}, {"1"}, {"Blue"}, {"Mo"}},
	} {
		var a form.Answers
		if f.Answer(&a, values); len(a.Wrong) == 0 {
			t.Errorf("%s: %v", name, a.Content)
		}
	}
}

func TestFormWithoutFields(t *testing.T) {
	f := newForm(t, `{"type": "object", "properties": {}}`)
	if q := f.Questions(nil); len(q) != 1 || q[0].Type != tools.YesNoQuestion {
		t.Errorf("the questions are %+v", q)
	}
	var a form.Answers
	if !f.Answer(&a, [][]string{{"no"}}) || f.Answer(&a, [][]string{{"yes"}}) {
		t.Error("yes and no are taken for one another")
	}
}

func TestInvalidSchemas(t *testing.T) {
	for _, schema := range []string{
		`{"type": "object", "properties": {"a": {"type": "object"}}}`, `{"type": "object", "properties": {"a": {"type": "array"}}}`,
		`{"type": "object", "properties": {"a": {}}}`, `{"properties": 1}`, `{"type": "object", "properties": {"a": {"type": "string", "oneOf": [{"title": "x"}]}}}`,
	} {
		if _, err := form.New("docs", "x", json.RawMessage(schema)); err == nil {
			t.Errorf("%s is taken", schema)
		}
	}
}

func TestAddress(t *testing.T) {
	for address, ok := range map[string]bool{
		"https://bank.test/login?x=1": true, "http://localhost:8080/": true, "http://127.0.0.1/": true,
		"http://bank.test/": false, "file:///etc/passwd": false, "https://user@bank.test/": false, "https://b\u0430nk.test/": false, "https://a.test/ x": false, "javascript:alert(1)": false, "": false,
	} {
		q, err := form.Address("docs", "Sign in.", address)
		if (err == nil) != ok {
			t.Errorf("%s: %v", address, err)
		}
		if ok && (!strings.Contains(q.Question, "The MCP server docs asks: Sign in.") || !strings.Contains(q.Question, "\n"+address+"\n")) {
			t.Errorf("the question is %q", q.Question)
		}
	}
}
