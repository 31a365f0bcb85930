package user

import (
	"strings"
	"testing"

	"github.com/emendo-dev/emendo/tools"
)

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
			if got := refusal(t, WriteTodos, tt.args); !matches(got, tt.want) {
				t.Errorf("got  %q\nwant %q", got, tt.want)
			}
		})
	}
}

func TestTodoResult(t *testing.T) {
	got := TodoResult(tools.Notes{Todos: []tools.Todo{{Description: "a", Status: tools.TodoCompleted}, {Description: "b", Status: tools.TodoInProgress}}}).Output
	if want := "The list is now:\n1. [completed] a\n2. [in_progress] b"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	if got := TodoResult(tools.Notes{}).Output; got != "The list is now empty." {
		t.Errorf("got %q", got)
	}
}
