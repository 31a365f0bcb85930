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
		{"size", "size", tools.TextQuestion, "", false},
		{"colour", "colour (optional)", tools.ChoiceQuestion, "Red,Green", false},
		{"days", "days (optional)", tools.ChoiceQuestion, "Monday,Tuesday", true},
		{"push", "push (by default true) (optional)", tools.YesNoQuestion, "", false},
	}
	if diff := cmp.Diff(got, want); diff != "" {
		t.Errorf("got -, want +:\n%s", diff)
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
