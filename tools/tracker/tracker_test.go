package tracker

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/emendo-dev/emendo/tools"
)

// call prepares a call, keeps what it changes in env, and returns what the model
// reads.
func call(t *testing.T, env *tools.Env, name, args string) string {
	t.Helper()
	for _, tool := range All() {
		if tool.Spec().Name != name {
			continue
		}
		a, err := tool.Prepare(t.Context(), *env, json.RawMessage(args))
		var e *tools.Error
		if errors.As(err, &e) {
			return "error: " + e.Message
		}
		if err != nil {
			t.Fatal(err)
		}
		if n, ok := a.Effect.(tools.Notes); ok {
			env.Tasks = n.Tasks
			return n.Output
		}
		return a.Run(t.Context(), nil).Output
	}
	t.Fatalf("there is no tool %s", name)
	return ""
}

func TestTracker(t *testing.T) {
	env := &tools.Env{}
	for _, step := range []struct{ name, args, want string }{
		{listName, `{}`, "There are no such tasks."},
		{visualizeName, `{}`, "There are no tasks."},
		{createName, `{"title":"Ship\nit","description":"All.","type":"epic"}`, "Created 000001 [open] epic: Ship it"},
		{createName, `{"title":"Write","description":"","type":"task","parentId":"000001"}`, "Created 000002 [open] task: Write"},
		{createName, `{"title":"Test","description":"","type":"bug","parentId":"000001","dependencies":["000002"]}`, "Created 000003 [open] bug: Test (depends on 000002)"},
		{createName, `{"title":" ","description":"","type":"task"}`, "error: invalid params: title is empty"},
		{createName, `{"title":"x","description":"","type":"chore"}`, "error: invalid params: type: expected one of epic, task, bug; got \"chore\""},
		{createName, `{"title":"x","description":"","type":"task","parentId":"00000f"}`, "error: invalid params: parentId: there is no task 00000f; tracker_list_tasks lists them"},
		{updateName, `{"id":"000003","status":"closed"}`, "error: the task 000003 cannot be closed: it depends on 000002, which is not closed"},
		{addName, `{"taskId":"000002","dependencyId":"000003"}`, "error: the task 000002 would depend on itself: 000002 → 000003 → 000002"},
		{addName, `{"taskId":"000002","dependencyId":"000002"}`, "error: the task 000002 would depend on itself: 000002 → 000002"},
		{addName, `{"taskId":"000002","dependencyId":"00000f"}`, "error: invalid params: dependencyId: there is no task 00000f; tracker_list_tasks lists them"},
		{addName, `{"taskId":"000001","dependencyId":"000003"}`, "Updated 000001 [open] epic: Ship it (depends on 000003)"},
		{updateName, `{"id":"000002","status":"in_progress","title":"Write it","dependencies":[]}`, "Updated 000002 [in_progress] task: Write it"},
		{updateName, `{"id":"000009","status":"closed"}`, "error: invalid params: id: there is no task 000009; tracker_list_tasks lists them"},
		{visualizeName, `{}`, "000001 [open] epic: Ship it (depends on 000003)\n  000002 [in_progress] task: Write it\n  000003 [open] bug: Test (depends on 000002)"},
		{updateName, `{"id":"000002","status":"closed"}`, "Updated 000002 [closed] task: Write it"},
		{updateName, `{"id":"000003","status":"closed"}`, "Updated 000003 [closed] bug: Test (depends on 000002)"},
		{listName, `{"status":"closed","type":"bug"}`, "000003 [closed] bug: Test (depends on 000002)"},
		{listName, `{"parentId":"000001"}`, "000002 [closed] task: Write it\n000003 [closed] bug: Test (depends on 000002)"},
		{getName, `{"id":"000001"}`, "{\n  \"id\": \"000001\",\n  \"title\": \"Ship it\",\n  \"description\": \"All.\",\n  \"type\": \"epic\",\n  \"status\": \"open\",\n  \"dependencies\": [\n    \"000003\"\n  ]\n}"},
	} {
		if got := call(t, env, step.name, step.args); got != step.want {
			t.Errorf("%s %s: got %q, want %q", step.name, step.args, got, step.want)
		}
	}
}

func TestPlan(t *testing.T) {
	l := list{
		{ID: "000001", Title: "Ship", Type: Epic, Status: Open},
		{ID: "000002", Title: "Else", Status: Blocked},
		{ID: "000003", Title: "Write", Status: InProgress, Parent: "000001"},
		{ID: "000004", Title: "Case", Status: Closed, Parent: "000003"},
	}
	want := []tools.Todo{
		{Description: "Ship", Status: tools.TodoPending}, {Description: "› Write", Status: tools.TodoInProgress}, {Description: "› › Case", Status: tools.TodoCompleted}, {Description: "Else", Status: tools.TodoBlocked},
	}
	if diff := cmp.Diff(l.notes("").Todos, want); diff != "" {
		t.Errorf("got -, want +:\n%s", diff)
	}
}

func TestLimits(t *testing.T) {
	env := &tools.Env{}
	for range maxTasks {
		call(t, env, createName, `{"title":"x","description":"","type":"task"}`)
	}
	if got := call(t, env, createName, `{"title":"x","description":"","type":"task"}`); !strings.Contains(got, "the list has 200 tasks already") {
		t.Errorf("got %q", got)
	}
	if got := call(t, &tools.Env{}, createName, `{"title":"x","description":"`+strings.Repeat("x", maxDescription+1)+`","type":"task"}`); !strings.Contains(got, "at most 200 bytes for a title and 2000") {
		t.Errorf("got %q", got)
	}
	if got := call(t, &tools.Env{Tasks: json.RawMessage(`{`)}, listName, `{}`); !strings.Contains(got, "task list is damaged") {
		t.Errorf("got %q", got)
	}
}
