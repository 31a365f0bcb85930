package tools

import (
	"reflect"
	"strings"
	"testing"
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
			if got := mustFail(t, newWorld(t, nil), NewAskUser(), tt.args).Message; !matches(got, strings.ReplaceAll(tt.want, " ...", "...")) {
				t.Errorf("got  %q\nwant %q", got, tt.want)
			}
		})
	}
}

func TestAskUserTrimsQuestions(t *testing.T) {
	a, err := newWorld(t, nil).prepare(NewAskUser(), `{"questions":[
		{"header":" Name ","question":"What?\\nHow?","type":"text","options":[],"multiSelect":true,"placeholder":"x"},
		{"header":"Kind","question":"Which?","type":"choice","options":[{"label":"a","description":"b"},{"label":"c","description":"d"}],"multiSelect":true}]}`)
	if err != nil {
		t.Fatal(err)
	}
	want := Asks{[]Question{
		{Header: "Name", Question: "What?\nHow?", Type: TextQuestion, Placeholder: "x"},
		{Header: "Kind", Question: "Which?", Type: ChoiceQuestion, Options: []Choice{{"a", "b"}, {"c", "d"}}, MultiSelect: true},
	}}
	if !reflect.DeepEqual(a.Effect, want) || a.Title != "Ask: Name, Kind" {
		t.Errorf("got %q, %+v", a.Title, a.Effect)
	}
}

func TestAnswerResult(t *testing.T) {
	asked := Asks{[]Question{{Header: "A"}, {Header: "B"}}}
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

func TestWriteTodosChecksArguments(t *testing.T) {
	for _, tt := range []struct{ name, args, want string }{
		{name: "no list", args: `{}`, want: "invalid params: todos is required"},
		{name: "an empty entry", args: `{"todos":[{"description":" ","status":"pending"}]}`, want: "invalid params: todos[0].description is empty"},
		{name: "another status", args: `{"todos":[{"description":"a","status":"begun"}]}`, want: `invalid params: todos[0].status: expected one of pending, in_progress, completed, cancelled, blocked; got "begun"`},
		{name: "two at once", args: `{"todos":[{"description":"a","status":"in_progress"},{"description":"b","status":"in_progress"}]}`, want: "invalid params: todos[0] and todos[1] are both in_progress; expected at most one"},
		{name: "what there is not", args: `{"todos":[{"description":"a","status":"pending","owner":"me"}]}`, want: "invalid params: unknown parameter todos[0].owner; ..."},
		{name: "a long entry", args: `{"todos":[{"description":"` + strings.Repeat("a", 1001) + `","status":"pending"}]}`, want: "invalid params: todos[0].description: expected at most 1000 bytes; shorten it to one line"},
		{name: "too many", args: `{"todos":[` + strings.TrimSuffix(strings.Repeat(`{"description":"a","status":"pending"},`, 101), ",") + `]}`, want: "invalid params: todos: expected at most 100 items, got 101..."},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if got := mustFail(t, newWorld(t, nil), NewWriteTodos(), tt.args).Message; !matches(got, tt.want) {
				t.Errorf("got  %q\nwant %q", got, tt.want)
			}
		})
	}
}

func TestTodoResult(t *testing.T) {
	got := TodoResult(Notes{[]Todo{{"a", TodoCompleted}, {"b", TodoInProgress}}}).Output
	if want := "The list is now:\n1. [completed] a\n2. [in_progress] b"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	if got := TodoResult(Notes{}).Output; got != "The list is now empty." {
		t.Errorf("got %q", got)
	}
}
