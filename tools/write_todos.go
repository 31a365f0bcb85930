package tools

import (
	"context"
	_ "embed"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/emendo-dev/emendo/internal/visible"
)

//go:embed write_todos.md
var writeTodosText string // what the model reads about this tool

// A Todo is an entry of the task list.
type Todo struct {
	Description string     `json:"description" jsonschema:"The step, in one line."`
	Status      TodoStatus `json:"status" enum:"pending,in_progress,completed,cancelled,blocked" jsonschema:"The status."`
}

// TodoStatus is the status of a task.
type TodoStatus string

// The statuses.
const (
	TodoPending    TodoStatus = "pending"
	TodoInProgress TodoStatus = "in_progress"
	TodoCompleted  TodoStatus = "completed"
	TodoCancelled  TodoStatus = "cancelled"
	TodoBlocked    TodoStatus = "blocked"
)

// Limits of the list: what a person can still read.
const (
	maxTodos = 100
	maxTodo  = 1000 // bytes of one description
)

type writeTodos struct{}

// NewWriteTodos returns the tool that keeps the task list.
func NewWriteTodos() Tool { return writeTodos{} }

func (writeTodos) Spec() Spec {
	return Spec{Name: "write_todos", Display: "WriteTodos", Kind: Think, Description: writeTodosText, Schema: writeTodosParams.Schema()}
}

type writeTodosArgs struct {
	Todos []Todo `json:"todos" jsonschema:"The whole list, in order; empty clears it."`
}

var writeTodosParams = NewParams[writeTodosArgs](schemas, "write_todos")

func (writeTodos) Prepare(_ context.Context, _ Env, raw json.RawMessage) (Action, error) {
	args, err := writeTodosParams.Decode(raw)
	if err != nil {
		return Action{}, err
	}
	if len(args.Todos) > maxTodos {
		return Action{}, Errorf(InvalidParams, "invalid params: todos: expected at most %d items, got %d; combine related steps", maxTodos, len(args.Todos))
	}
	working := -1
	for i := range args.Todos {
		t := &args.Todos[i]
		t.Description = visible.OneLine(t.Description)
		switch {
		case t.Description == "":
			return Action{}, Errorf(InvalidParams, "invalid params: todos[%d].description is empty", i)
		case len(t.Description) > maxTodo:
			return Action{}, Errorf(InvalidParams, "invalid params: todos[%d].description: expected at most %d bytes; shorten it to one line", i, maxTodo)
		}
		if t.Status == TodoInProgress {
			if working >= 0 {
				return Action{}, Errorf(InvalidParams, "invalid params: todos[%d] and todos[%d] are both in_progress; expected at most one", working, i)
			}
			working = i
		}
	}
	return Action{Title: todosTitle(args.Todos, working), Effect: Notes(args)}, nil
}

// todosTitle returns the current task, or how many are done.
func todosTitle(l []Todo, working int) string {
	if working >= 0 {
		return Shown(l[working].Description)
	}
	done := 0
	for _, t := range l {
		if t.Status == TodoCompleted {
			done++
		}
	}
	if len(l) == 0 {
		return "Clear the task list"
	}
	return fmt.Sprintf("%d of %s done", done, count(len(l), "task", "tasks"))
}

// TodoResult tells the model the current list.
func TodoResult(n Notes) Result {
	if len(n.Todos) == 0 {
		return Result{Output: "The list is now empty."}
	}
	var l lines
	l.add("The list is now:")
	for i, t := range n.Todos {
		l.add(fmt.Sprintf("%d. [%s] %s", i+1, t.Status, t.Description))
	}
	if l.full {
		l.s.WriteString("(truncated)\n")
	}
	return Result{Output: strings.TrimSuffix(l.s.String(), "\n")}
}
