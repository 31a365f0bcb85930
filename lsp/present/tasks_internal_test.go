package present

import (
	"testing"

	"github.com/emendo-dev/emendo/agent/view"
	"github.com/emendo-dev/emendo/lsp/client"
)

// What is noted of a task after it has ended, or was dismissed, does not show it again.
func TestALateChangeShowsNoEndedTask(t *testing.T) {
	v := &Views{c: &client.Client{}, window: window{fold: view.NewWindow()}, sending: make(inTurn, 1)}
	v.Tasks = &Tasks{v: v, aside: map[string]*Task{}}
	task := v.Tasks.Begin(view.Task{What: "commit"}, func() {})
	shown := func() bool {
		_, ok := v.window.fold.Item(task.ID())
		return ok
	}
	if !shown() {
		t.Fatal("it is not shown while it runs")
	}
	task.Joined("s")
	v.Tasks.drop(task.ID())
	task.Joined("s")
	if shown() {
		t.Error("it is shown again")
	}
}
