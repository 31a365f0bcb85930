package user

import (
	"context"
	"fmt"
	"strings"

	"github.com/emendo-dev/emendo/internal/visible"
	"github.com/emendo-dev/emendo/tools"
)

// Limits of the list: what a person can still read.
const (
	maxTodos = 100
	maxTodo  = 1000 // bytes of one description
)

// WriteTodos is the tool that keeps the task list.
var WriteTodos = tools.Declare(tools.Spec{
	Name: "write_todos", Display: "WriteTodos", Kind: tools.Think,
	Similar: []string{"todowrite", "todo", "updateplan"}, FormerNames: []string{"WriteTodosTool"},
	NotForAgents: true,
}, pages, tools.NewParams[writeTodosArgs](), prepareWriteTodos)

type writeTodosArgs struct {
	Todos []tools.Todo `json:"todos" jsonschema:"The whole list, in order; empty clears it."`
}

func prepareWriteTodos(_ context.Context, _ tools.Env, args writeTodosArgs) (tools.Action, error) {
	if len(args.Todos) > maxTodos {
		return tools.Action{}, tools.Errorf(tools.InvalidParams, "invalid params: todos: expected at most %d items, got %d; combine related steps", maxTodos, len(args.Todos))
	}
	working := -1
	for i := range args.Todos {
		t := &args.Todos[i]
		t.Description = visible.OneLine(t.Description)
		switch {
		case t.Description == "":
			return tools.Action{}, tools.Errorf(tools.InvalidParams, "invalid params: todos[%d].description is empty", i)
		case len(t.Description) > maxTodo:
			return tools.Action{}, tools.Errorf(tools.InvalidParams, "invalid params: todos[%d].description: expected at most %d bytes; shorten it to one line", i, maxTodo)
		}
		if t.Status == tools.TodoInProgress {
			if working >= 0 {
				return tools.Action{}, tools.Errorf(tools.InvalidParams, "invalid params: todos[%d] and todos[%d] are both in_progress; expected at most one", working, i)
			}
			working = i
		}
	}
	return tools.Action{Title: todosTitle(args.Todos, working), Effect: tools.Notes{Todos: args.Todos}}, nil
}

// todosTitle returns the current task, or how many are done.
func todosTitle(l []tools.Todo, working int) string {
	if working >= 0 {
		return tools.Shown(l[working].Description)
	}
	done := 0
	for _, t := range l {
		if t.Status == tools.TodoCompleted {
			done++
		}
	}
	if len(l) == 0 {
		return "Clear the task list"
	}
	if len(l) == 1 {
		return fmt.Sprintf("%d of 1 task done", done)
	}
	return fmt.Sprintf("%d of %d tasks done", done, len(l))
}

// TodoResult returns the current list for the model.
func TodoResult(n tools.Notes) tools.Result {
	if n.Output != "" {
		return tools.Result{Output: n.Output}
	}
	if len(n.Todos) == 0 {
		return tools.Result{Output: "The list is now empty."}
	}
	var s strings.Builder
	s.WriteString("The list is now:")
	for i, t := range n.Todos {
		fmt.Fprintf(&s, "\n%d. [%s] %s", i+1, t.Status, t.Description)
	}
	return tools.Result{Output: s.String()}
}
