package user

import (
	"encoding/json"
	"errors"
	"reflect"
	"strings"
	"testing"

	"github.com/emendo-dev/emendo/tools"
)

func TestAskUserChecksArguments(t *testing.T) {
	option := func(labels ...string) string {
		var l []string
		for _, x := range labels {
			l = append(l, `{"label":"`+x+`","description":""}`)
		}
		return `[` + strings.Join(l, ",") + `]`
	}
	one := func(rest string) string { return `{"questions":[{"header":"h","question":"q?",` + rest + `}]}` }
	for _, tt := range []struct{ name, args, want string }{
		{name: "nothing", args: `{"questions":[]}`, want: "invalid params: questions: expected 1 to 4 items, got 0"},
		{name: "five", args: `{"questions":[{},{},{},{},{}]}`, want: "invalid params: questions: expected 1 to 4 items, got 5"},
		{name: "no header", args: `{"questions":[{"question":"q?","type":"text"}]}`, want: "invalid params: questions[0].header: ..."},
		{name: "no question", args: `{"questions":[{"header":"h","question":" ","type":"text"}]}`, want: "invalid params: questions[0].question: ..."},
		{name: "no type", args: one(`"placeholder":""`), want: `invalid params: questions[0].type: expected one of choice, text, yesno; got ""`},
		{name: "another type", args: one(`"type":"number"`), want: `invalid params: questions[0].type: expected one of choice, text, yesno; got "number"`},
		{name: "one option", args: one(`"type":"choice","options":` + option("a")), want: "invalid params: questions[0].options: expected 2 to 4 items, got 1"},
		{name: "five options", args: one(`"type":"choice","options":` + option("a", "b", "c", "d", "e")), want: "invalid params: questions[0].options: expected 2 to 4 items, got 5"},
		{name: "the same twice", args: one(`"type":"choice","options":` + option("a", "a")), want: `invalid params: questions[0].options: the label "a" occurs twice`},
		{name: "no label", args: one(`"type":"choice","options":` + option("a", "")), want: "invalid params: questions[0].options[1].label: ..."},
		{name: "what there is not", args: one(`"type":"text","default":"x"`), want: "invalid params: unknown parameter questions[0].default; ..."},
		{name: "a long header", args: strings.Replace(one(`"type":"text"`), `"h"`, `"`+strings.Repeat("h", 81)+`"`, 1), want: "invalid params: questions[0].header: ..."},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if got := refusal(t, AskUser, tt.args); !matches(got, tt.want) {
				t.Errorf("got  %q\nwant %q", got, tt.want)
			}
		})
	}
}

func TestAskUserTrimsQuestions(t *testing.T) {
	a, err := AskUser.Prepare(t.Context(), tools.Env{}, json.RawMessage(`{"questions":[
		{"header":" Name ","question":"What?\\nHow?","type":"text","options":[],"multiSelect":true,"placeholder":"x"},
		{"header":"Kind","question":"Which?","type":"choice","options":[{"label":"a","description":"b"},{"label":"c","description":"d"}],"multiSelect":true}]}`))
	if err != nil {
		t.Fatal(err)
	}
	want := tools.Asks{Questions: []tools.Question{
		{Header: "Name", Question: "What?\nHow?", Type: tools.TextQuestion, Placeholder: "x"},
		{Header: "Kind", Question: "Which?", Type: tools.ChoiceQuestion, Options: []tools.Choice{{Label: "a", Description: "b"}, {Label: "c", Description: "d"}}, MultiSelect: true},
	}}
	if !reflect.DeepEqual(a.Effect, want) || a.Title != "Ask: Name, Kind" {
		t.Errorf("got %q, %+v", a.Title, a.Effect)
	}
}

func TestAnswerResult(t *testing.T) {
	asked := tools.Asks{Questions: []tools.Question{{Header: "A"}, {Header: "B"}}}
	for _, tt := range []struct {
		name   string
		values [][]string
		want   string
	}{
		{name: "both", values: [][]string{{"x", "y"}, {"z"}}, want: `{"answers":{"0":"x, y","1":"z"}}`},
		{name: "one left open", values: [][]string{{}, {"z"}}, want: `{"answers":{"1":"z"}}`},
		{name: "fewer than asked", values: [][]string{{"x"}}, want: `{"answers":{"0":"x"}}`},
		{name: "more than asked", values: [][]string{{"x"}, {"y"}, {"z"}}, want: `{"answers":{"0":"x","1":"y"}}`},
		{name: "all left open", values: [][]string{{" "}, nil}, want: NoAnswerResult().Output},
		{name: "none", want: NoAnswerResult().Output},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if got := AnswerResult(asked, tt.values).Output; got != tt.want {
				t.Errorf("got  %s\nwant %s", got, tt.want)
			}
		})
	}
}

// refusal returns why a call is invalid.
func refusal(t *testing.T, tool tools.Tool, args string) string {
	t.Helper()
	a, err := tool.Prepare(t.Context(), tools.Env{}, json.RawMessage(args))
	var e *tools.Error
	if !errors.As(err, &e) {
		t.Fatalf("%s: %+v, %v", args, a, err)
	}
	return e.Message
}

// matches reports whether got is want, or begins as want does before "...".
func matches(got, want string) bool {
	if head, ok := strings.CutSuffix(want, "..."); ok {
		return strings.HasPrefix(got, strings.TrimSpace(head))
	}
	return got == want
}
