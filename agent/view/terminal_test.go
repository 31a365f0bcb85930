package view_test

import (
	"slices"
	"testing"

	"github.com/emendo-dev/emendo/agent/transcript"
	"github.com/emendo-dev/emendo/agent/view"
	"github.com/emendo-dev/emendo/ide/ledger"
)

// A call whose command continues in the background offers to show it, also once it has changed
// files, to a client that draws terminals.
func TestACommandInTheBackgroundCanBeShown(t *testing.T) {
	for _, terminals := range []bool{true, false} {
		c := view.NewConversation(view.Options{Terminals: terminals})
		c.Add(transcript.Update{TurnID: "t1", Event: transcript.ToolCall{CallID: "c1", Name: "run_shell_command", Title: "make serve"}})
		c.Add(transcript.Update{TurnID: "t1", Event: transcript.ToolUpdate{CallID: "c1", State: transcript.Executing, PID: 7}})
		offered := func() bool {
			i, _ := c.Item("c1")
			return slices.ContainsFunc(i.Actions, func(a view.Action) bool { return a.ID == "terminal:7" })
		}
		if offered() {
			t.Error("it is offered before the call has ended")
		}
		c.Add(transcript.Update{TurnID: "t1", Event: transcript.ToolUpdate{CallID: "c1", State: transcript.Success, PID: 7}})
		if offered() != terminals {
			t.Errorf("with terminals %v it is offered: %v", terminals, offered())
		}
		c.ChangeSet(ledger.ChangeSet{ID: "s1", CallID: "c1", Version: 1, State: ledger.Accepted, Files: []ledger.FileChange{{Path: "/w/a.go", Op: ledger.Modify}}})
		if offered() != terminals {
			t.Errorf("with terminals %v it is offered after changes: %v", terminals, offered())
		}
	}
}
