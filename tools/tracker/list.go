package tracker

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/emendo-dev/emendo/internal/visible"
	"github.com/emendo-dev/emendo/tools"
)

// A Task is an entry of the list. The log of a session has it as JSON.
type Task struct {
	ID           string   `json:"id"` // six hexadecimal digits
	Title        string   `json:"title"`
	Description  string   `json:"description"`
	Type         Type     `json:"type"`
	Status       Status   `json:"status"`
	Parent       string   `json:"parentId,omitempty"`
	Dependencies []string `json:"dependencies,omitempty"` // IDs of tasks that are closed before it
}

// Type of a task.
type Type string

// The types.
const (
	Epic Type = "epic"
	Work Type = "task"
	Bug  Type = "bug"
)

// Status of a task.
type Status string

// The statuses.
const (
	Open       Status = "open"
	InProgress Status = "in_progress"
	Blocked    Status = "blocked"
	Closed     Status = "closed"
)

// Limits of the list: the log has all of it for each change.
const (
	maxTasks       = 200
	maxTitle       = 200  // bytes
	maxDescription = 2000 // bytes
)

// list is all tasks, in the order in which they were created.
type list []Task

// listOf returns the list of a session.
func listOf(env tools.Env) (list, error) {
	if len(env.Tasks) == 0 {
		return nil, nil
	}
	var l list
	if err := json.Unmarshal(env.Tasks, &l); err != nil {
		return nil, tools.Errorf(tools.Unhandled, "the session's task list is damaged: %v", err)
	}
	return l, nil
}

// find returns the index of the task with that ID. name is the argument that has it.
func (l list) find(name, id string) (int, error) {
	i := slices.IndexFunc(l, func(t Task) bool { return t.ID == id })
	if i < 0 {
		return 0, tools.Errorf(tools.InvalidParams, "invalid params: %s: there is no task %s; tracker_list_tasks lists them", name, tools.ShownLine(id, 40))
	}
	return i, nil
}

// check returns an error if the task at that index breaks a rule of the list.
func (l list) check(at int) error {
	t := &l[at]
	t.Title = visible.OneLine(t.Title)
	switch {
	case t.Title == "":
		return tools.Errorf(tools.InvalidParams, "invalid params: title is empty")
	case len(t.Title) > maxTitle || len(t.Description) > maxDescription:
		return tools.Errorf(tools.InvalidParams, "invalid params: expected at most %d bytes for a title and %d for a description", maxTitle, maxDescription)
	case len(l) > maxTasks:
		return tools.Errorf(tools.InvalidParams, "the list has %d tasks already: close and combine some", maxTasks)
	}
	if t.Parent != "" {
		if _, err := l.find("parentId", t.Parent); err != nil {
			return err
		}
	}
	var open []string
	for _, id := range t.Dependencies {
		i, err := l.find("dependencies", id)
		if err != nil {
			return err
		}
		if l[i].Status != Closed {
			open = append(open, id)
		}
	}
	if t.Status == Closed && len(open) > 0 {
		return tools.Errorf(tools.InvalidParams, "the task %s cannot be closed: it depends on %s, which %s not closed", t.ID, strings.Join(open, ", "), map[bool]string{true: "is", false: "are"}[len(open) == 1])
	}
	if way := l.cycle(t.ID, t.ID, nil); way != nil {
		return tools.Errorf(tools.InvalidParams, "the task %s would depend on itself: %s", t.ID, strings.Join(way, " → "))
	}
	return nil
}

// cycle returns the way along dependencies from one task to another; nil if there is
// none.
func (l list) cycle(from, to string, seen map[string]bool) []string {
	if seen == nil {
		seen = map[string]bool{}
	}
	i := slices.IndexFunc(l, func(t Task) bool { return t.ID == from })
	if i < 0 || seen[from] {
		return nil
	}
	seen[from] = true
	for _, id := range l[i].Dependencies {
		if id == to {
			return []string{from, to}
		}
		if way := l.cycle(id, to, seen); way != nil {
			return append([]string{from}, way...)
		}
	}
	return nil
}

// nextID returns the ID of the next task.
func (l list) nextID() string { return fmt.Sprintf("%06x", len(l)+1) }

// walk calls f for each task, each below its parent, in the order of the list.
func (l list) walk(f func(depth int, t Task)) {
	var below func(parent string, depth int)
	below = func(parent string, depth int) {
		for _, t := range l {
			if t.Parent == parent {
				f(depth, t)
				below(t.ID, depth+1)
			}
		}
	}
	below("", 0)
}

// notes returns the list as the effect of a call that changed it. output is what the
// model reads.
func (l list) notes(output string) tools.Notes {
	text, err := json.Marshal(l)
	if err != nil {
		panic(err) // texts encode
	}
	n := tools.Notes{Tasks: text, Output: output}
	l.walk(func(depth int, t Task) {
		status := map[Status]tools.TodoStatus{Open: tools.TodoPending, InProgress: tools.TodoInProgress, Blocked: tools.TodoBlocked, Closed: tools.TodoCompleted}[t.Status]
		n.Todos = append(n.Todos, tools.Todo{Description: strings.Repeat("› ", depth) + t.Title, Status: status})
	})
	return n
}

// line describes a task in one line.
func (t Task) line() string {
	s := fmt.Sprintf("%s [%s] %s: %s", t.ID, t.Status, t.Type, t.Title)
	if len(t.Dependencies) > 0 {
		s += " (depends on " + strings.Join(t.Dependencies, ", ") + ")"
	}
	return s
}
