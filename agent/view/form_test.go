package view_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/emendo-dev/emendo/agent/frontend"
	"github.com/emendo-dev/emendo/agent/view"
	"github.com/emendo-dev/emendo/tools"
)

// Every kind of form has all that is to be known before it is answered: who asks, each
// question, which answers it takes and which of them is offered.
func TestFormsSayEverything(t *testing.T) {
	choice := func(q string, labels ...string) tools.Question {
		x := tools.Question{Header: "Which", Question: q, Type: tools.ChoiceQuestion}
		for _, l := range labels {
			x.Options = append(x.Options, tools.Choice{Label: l, Description: "What " + l + " is"})
		}
		return x
	}
	for name, e := range map[string]frontend.Elicitation{
		"form-choice": {CallID: "c1", Questions: []tools.Question{choice("Which database?", "Postgres", "SQLite")}},
		"form-yesno":  {Questions: []tools.Question{{Header: "Model", Question: "It cannot answer. Use another one for the rest of this turn?", Type: tools.YesNoQuestion}}},
		"form-hidden": {CallID: "c1", Questions: []tools.Question{choice("a\u202eb\nsecond line", "x\u202ey")}},
		"form-server": {Server: "db", Questions: []tools.Question{
			{Header: "Name", Question: "The MCP server db asks: Who are you?\n\nYour answer goes to this server.\n\nName", Type: tools.TextQuestion, Expected: tools.Expected{Required: true, MinLength: new(2), MaxLength: new(20)}},
			{Header: "Mail", Question: "Mail (optional)", Type: tools.TextQuestion, Expected: tools.Expected{Format: "email", Default: "a@example.org"}},
			{Header: "Born", Question: "Born", Type: tools.TextQuestion, Expected: tools.Expected{Format: "date", Required: true}},
			{Header: "At", Question: "At", Type: tools.TextQuestion, Expected: tools.Expected{Format: "date-time"}},
			{Header: "Page", Question: "Page", Type: tools.TextQuestion, Expected: tools.Expected{Format: "uri"}},
			{Header: "Colour", Question: "Colour", Type: tools.TextQuestion, Expected: tools.Expected{Format: "rgb"}},
			{Header: "Age", Question: "Age", Type: tools.IntegerQuestion, Expected: tools.Expected{Minimum: new(0.0), Maximum: new(150.0)}},
			{Header: "Share", Question: "Share", Type: tools.NumberQuestion, Expected: tools.Expected{Minimum: new(0.5)}},
			{Header: "Site", Question: "Site", Type: tools.URLQuestion},
			{Header: "Sure", Question: "Sure", Type: tools.YesNoQuestion, Expected: tools.Expected{Default: "yes"}},
			{Header: "Colours", Question: "Colours", Type: tools.ChoiceQuestion, MultiSelect: true, Options: []tools.Choice{{Label: "Red", Value: "red"}, {Label: "Blue", Value: "blue"}}, Expected: tools.Expected{Default: []string{"red", "none"}, MinItems: new(1), MaxItems: new(2)}},
		}},
		"form-several": {CallID: "c1", Questions: []tools.Question{
			choice("First?", "A", "B"),
			{Header: "Why", Question: "And why?", Type: tools.TextQuestion, Placeholder: "since it is small"},
		}},
	} {
		t.Run(name, func(t *testing.T) {
			e.SessionID = "s"
			goldenQuestion(t, name, view.Questionnaire(e, view.Asked{ID: "q1"}))
		})
	}
}

func writtenField(f view.Field) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s: %s (%s", f.ID, f.Label.Text, f.Type)
	for _, x := range []struct {
		is   bool
		name string
	}{{f.Required, "required"}, {f.Many, "many"}, {f.Other, "other"}} {
		if x.is {
			b.WriteString(", " + x.name)
		}
	}
	b.WriteString(")")
	if f.Label.Short != "" {
		b.WriteString(" short: " + f.Label.Short)
	}
	if f.Hint != nil {
		b.WriteString(" hint: " + f.Hint.Text)
	}
	b.WriteString("\n")
	for _, c := range f.Choices {
		fmt.Fprintf(&b, "  %s: %s", c.Value, c.Title.Text)
		if c.Detail != nil {
			b.WriteString(": " + c.Detail.Text)
		}
		b.WriteString("\n")
	}
	if len(f.Values) > 0 {
		fmt.Fprintf(&b, "  = %q\n", f.Values)
	}
	return b.String()
}

// What a user can write and choose is taken, or it is said how it would be right.
func TestAnswersAreChecked(t *testing.T) {
	colours := tools.Question{Type: tools.ChoiceQuestion, Options: []tools.Choice{{Label: "Red"}, {Label: "Blue"}}}
	with := func(q tools.Question, f func(q *tools.Question)) tools.Question { f(&q); return q }
	written := func(format string) tools.Question {
		return tools.Question{Type: tools.TextQuestion, Expected: tools.Expected{Format: format}}
	}
	of := func(kind tools.QuestionType) tools.Question { return tools.Question{Type: kind} }
	several := with(colours, func(q *tools.Question) { q.MultiSelect, q.MinItems, q.MaxItems = true, new(1), new(2) })
	closed := tools.Question{Type: tools.ChoiceQuestion, Options: []tools.Choice{{Label: "Red", Value: "r"}}}
	between := with(of(tools.NumberQuestion), func(q *tools.Question) { q.Minimum, q.Maximum = new(0.5), new(3.0) })
	for _, c := range []struct {
		name    string
		q       tools.Question
		given   []string
		want    []string
		problem string // its code
	}{
		{"an open question", of(tools.TextQuestion), nil, nil, ""},
		{"a required one", with(of(tools.TextQuestion), func(q *tools.Question) { q.Required = true }), []string{" "}, nil, "problem.required"},
		{"a text as it is", of(tools.TextQuestion), []string{" a\nb "}, []string{" a\nb "}, ""},
		{"two texts", of(tools.TextQuestion), []string{"a", "b"}, []string{"a", "b"}, "problem.one_answer"},
		{"a short text", with(of(tools.TextQuestion), func(q *tools.Question) { q.MinLength = new(2) }), []string{"é"}, []string{"é"}, "problem.characters_least"},
		{"a long text", with(of(tools.TextQuestion), func(q *tools.Question) { q.MaxLength = new(1) }), []string{"éé"}, []string{"éé"}, "problem.characters_most"},
		{"a number", of(tools.NumberQuestion), []string{" 1.5e3 "}, []string{"1.5e3"}, ""},
		{"no number", of(tools.NumberQuestion), []string{"0x10"}, []string{"0x10"}, "problem.number"},
		{"too large a number for any", of(tools.NumberQuestion), []string{"1e999"}, []string{"1e999"}, "problem.number"},
		{"a small number", between, []string{"0.4"}, []string{"0.4"}, "problem.value_least"},
		{"a large number", between, []string{"3.1"}, []string{"3.1"}, "problem.value_most"},
		{"an integer", of(tools.IntegerQuestion), []string{"-12"}, []string{"-12"}, ""},
		{"no integer", of(tools.IntegerQuestion), []string{"1.5"}, []string{"1.5"}, "problem.integer"},
		{"an integer that JSON loses", of(tools.IntegerQuestion), []string{"9007199254740993"}, []string{"9007199254740993"}, "problem.integer"},
		{"a web address", of(tools.URLQuestion), []string{"https://example.org/a?b"}, []string{"https://example.org/a?b"}, ""},
		{"another address", of(tools.URLQuestion), []string{"file:///etc/passwd"}, []string{"file:///etc/passwd"}, "problem.url"},
		{"an address without a host", of(tools.URLQuestion), []string{"https://"}, []string{"https://"}, "problem.url"},
		{"an e-mail address", written("email"), []string{"a@example.org"}, []string{"a@example.org"}, ""},
		{"no e-mail address", written("email"), []string{"a@b"}, []string{"a@b"}, "problem.email"},
		{"an address", written("uri"), []string{"mailto:a@example.org"}, []string{"mailto:a@example.org"}, ""},
		{"a part of an address", written("uri"), []string{"/page"}, []string{"/page"}, "problem.uri"},
		{"a date", written("date"), []string{"2024-02-29"}, []string{"2024-02-29"}, ""},
		{"no date", written("date"), []string{"2026-02-29"}, []string{"2026-02-29"}, "problem.date"},
		{"a time", written("date-time"), []string{"2026-01-31T14:30:00.5+01:00"}, []string{"2026-01-31T14:30:00.5+01:00"}, ""},
		{"a time without a zone", written("date-time"), []string{"2026-01-31T14:30:00"}, []string{"2026-01-31T14:30:00"}, "problem.date_time"},
		{"an unknown format", written("rgb"), []string{"red"}, []string{"red"}, ""},
		{"yes", of(tools.YesNoQuestion), []string{"yes"}, []string{"yes"}, ""},
		{"neither yes nor no", of(tools.YesNoQuestion), []string{"maybe"}, []string{"maybe"}, "problem.choice"},
		{"a choice", colours, []string{"Blue"}, []string{"Blue"}, ""},
		{"two of one", colours, []string{"Blue", "Red"}, []string{"Red", "Blue"}, "problem.one_choice"},
		{"an own one", colours, []string{"Green"}, []string{"Green"}, ""},
		{"an own one that is not written", colours, []string{" "}, nil, "problem.own"},
		{"one and an own one", colours, []string{"Red", "Green"}, []string{"Red", "Green"}, "problem.one_choice"},
		{"an own one among several", several, []string{"Green", "Red"}, []string{"Red", "Green"}, ""},
		{"too many", several, []string{"Green", "Blue", "Red"}, []string{"Red", "Blue", "Green"}, "problem.choices_most"},
		{"one that is not offered", closed, []string{"Red"}, []string{"Red"}, "problem.choice"},
	} {
		t.Run(c.name, func(t *testing.T) {
			answers, problems := view.Answers([]tools.Question{c.q}, map[string][]string{"q1": c.given})
			if diff := cmp.Diff([][]string{c.want}, answers); diff != "" {
				t.Errorf("the answers differ (-want +got):\n%s", diff)
			}
			code := ""
			for _, p := range problems {
				code += p.Text.Code
				if p.Field != "q1" || p.Text.Text == "" || strings.Contains(p.Text.Text, "{") {
					t.Errorf("the problem is %+v", p)
				}
			}
			if code != c.problem {
				t.Errorf("got the problem %q, want %q", code, c.problem)
			}
		})
	}
}
