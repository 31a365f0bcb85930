package tracker

import (
	"context"
	"embed"
	"encoding/json"
	"slices"
	"strings"

	"github.com/emendo-dev/emendo/tools"
)

// Prefix begins the name of each tool.
const Prefix = "tracker_"

// The names of the tools.
const (
	createName    = "tracker_create_task"
	updateName    = "tracker_update_task"
	getName       = "tracker_get_task"
	listName      = "tracker_list_tasks"
	addName       = "tracker_add_dependency"
	visualizeName = "tracker_visualize"
)

// pages are the descriptions of the tools.
//
//go:embed *.md
var pages embed.FS

// All returns the tools of this package.
func All() []tools.Tool {
	return []tools.Tool{
		declare(createName, "TrackerCreateTask", createParams, create),
		declare(updateName, "TrackerUpdateTask", updateParams, update),
		declare(getName, "TrackerGetTask", getParams, get),
		declare(listName, "TrackerListTasks", listParams, listTasks),
		declare(addName, "TrackerAddDependency", addParams, addDependency),
		declare(visualizeName, "TrackerVisualize", visualizeParams, visualize),
	}
}

// declare returns a tool that prepares calls from the list as it is.
func declare[T any](name, display string, p *tools.Params[T], prepare func(list, T) (tools.Action, error)) tools.Tool {
	return tools.Declare(tools.Spec{
		Name: name, Display: display, Kind: tools.Think, NotForAgents: true,
		Synonyms: map[string]string{"parent_id": "parentId", "task_id": "taskId", "dependency_id": "dependencyId"},
	}, pages, p, func(_ context.Context, env tools.Env, args T) (tools.Action, error) {
		l, err := listOf(env)
		if err != nil {
			return tools.Action{}, err
		}
		return prepare(slices.Clone(l), args)
	})
}

// reads returns the action of a call that changes nothing.
func reads(title, output string) tools.Action {
	return tools.Action{Title: title, Effect: tools.Reads{}, Run: func(context.Context, func(tools.Progress)) tools.Result {
		return tools.Result{Output: output}
	}}
}

type createArgs struct {
	Title        string   `json:"title" jsonschema:"The task, in one line."`
	Description  string   `json:"description" jsonschema:"What is to be done, and how to see that it is."`
	Type         Type     `json:"type" enum:"epic,task,bug" jsonschema:"An epic groups others."`
	Parent       string   `json:"parentId,omitempty" jsonschema:"ID of the task that it is part of."`
	Dependencies []string `json:"dependencies,omitempty" jsonschema:"IDs of tasks to close first."`
}

var createParams = tools.NewParams[createArgs]()

func create(l list, a createArgs) (tools.Action, error) {
	t := Task{ID: l.nextID(), Title: a.Title, Description: a.Description, Type: a.Type, Status: Open, Parent: a.Parent, Dependencies: a.Dependencies}
	l = append(l, t)
	if err := l.check(len(l) - 1); err != nil {
		return tools.Action{}, err
	}
	t = l[len(l)-1]
	return tools.Action{Title: "Create " + tools.Shown(t.Title), Effect: l.notes("Created " + t.line())}, nil
}

type updateArgs struct {
	ID           string    `json:"id" jsonschema:"ID of the task."`
	Title        *string   `json:"title,omitempty" jsonschema:"A new title."`
	Description  *string   `json:"description,omitempty" jsonschema:"A new description."`
	Status       *Status   `json:"status,omitempty" enum:"open,in_progress,blocked,closed" jsonschema:"The new status."`
	Dependencies *[]string `json:"dependencies,omitempty" jsonschema:"All IDs of tasks to close first; replaces the old ones."`
}

var updateParams = tools.NewParams[updateArgs]()

func update(l list, a updateArgs) (tools.Action, error) {
	at, err := l.find("id", a.ID)
	if err != nil {
		return tools.Action{}, err
	}
	t := &l[at]
	set(&t.Title, a.Title)
	set(&t.Description, a.Description)
	set(&t.Status, a.Status)
	set(&t.Dependencies, a.Dependencies)
	if err := l.check(at); err != nil {
		return tools.Action{}, err
	}
	return tools.Action{Title: string(t.Status) + ": " + tools.Shown(t.Title), Effect: l.notes("Updated " + t.line())}, nil
}

// set sets a field that the arguments have.
func set[T any](field, to *T) {
	if to != nil {
		*field = *to
	}
}

type getArgs struct {
	ID string `json:"id" jsonschema:"ID of the task."`
}

var getParams = tools.NewParams[getArgs]()

func get(l list, a getArgs) (tools.Action, error) {
	at, err := l.find("id", a.ID)
	if err != nil {
		return tools.Action{}, err
	}
	text, err := json.MarshalIndent(l[at], "", "  ")
	if err != nil {
		return tools.Action{}, err
	}
	return reads("Read "+tools.Shown(l[at].Title), string(text)), nil
}

type listArgs struct {
	Status Status `json:"status,omitempty" enum:"open,in_progress,blocked,closed" jsonschema:"Only tasks with this status."`
	Type   Type   `json:"type,omitempty" enum:"epic,task,bug" jsonschema:"Only tasks of this type."`
	Parent string `json:"parentId,omitempty" jsonschema:"Only tasks that are part of this one."`
}

var listParams = tools.NewParams[listArgs]()

func listTasks(l list, a listArgs) (tools.Action, error) {
	var lines []string
	for _, t := range l {
		if (a.Status == "" || t.Status == a.Status) && (a.Type == "" || t.Type == a.Type) && (a.Parent == "" || t.Parent == a.Parent) {
			lines = append(lines, t.line())
		}
	}
	if len(lines) == 0 {
		lines = []string{"There are no such tasks."}
	}
	return reads("List tasks", strings.Join(lines, "\n")), nil
}

type addArgs struct {
	Task       string `json:"taskId" jsonschema:"ID of the task that waits."`
	Dependency string `json:"dependencyId" jsonschema:"ID of the task to close first."`
}

var addParams = tools.NewParams[addArgs]()

func addDependency(l list, a addArgs) (tools.Action, error) {
	at, err := l.find("taskId", a.Task)
	if err != nil {
		return tools.Action{}, err
	}
	if _, err := l.find("dependencyId", a.Dependency); err != nil {
		return tools.Action{}, err
	}
	if t := &l[at]; !slices.Contains(t.Dependencies, a.Dependency) {
		t.Dependencies = append(slices.Clip(t.Dependencies), a.Dependency)
	}
	if err := l.check(at); err != nil {
		return tools.Action{}, err
	}
	return tools.Action{Title: "Order " + tools.Shown(l[at].Title), Effect: l.notes("Updated " + l[at].line())}, nil
}

type visualizeArgs struct{}

var visualizeParams = tools.NewParams[visualizeArgs]()

func visualize(l list, _ visualizeArgs) (tools.Action, error) {
	var b strings.Builder
	l.walk(func(depth int, t Task) { b.WriteString(strings.Repeat("  ", depth) + t.line() + "\n") })
	if len(l) == 0 {
		b.WriteString("There are no tasks.")
	}
	return reads("Show all tasks", strings.TrimSuffix(b.String(), "\n")), nil
}
