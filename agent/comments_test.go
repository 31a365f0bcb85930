package agent_test

import (
	"path/filepath"
	"testing"

	"github.com/emendo-dev/emendo/agent"
	"github.com/emendo-dev/emendo/agent/agenttest"
	"github.com/emendo-dev/emendo/ide"
)

// A first comment that cannot be stored is refused, and the session begins with what comes next.
func TestAFirstCommentThatCannotBeStored(t *testing.T) {
	agenttest.InWorld(t, map[string]string{"a.txt": "one\ntwo\n"}, agenttest.Answers("Done."), func(t *testing.T, w *agenttest.World) {
		s := w.Session("")
		comments := agent.CommentsOf(s)
		say := func(text string) error {
			snapshot := w.Workspace.Snapshot()
			_, err := comments.Add(t.Context(), agent.NewComment{URI: string(ide.FileURI(filepath.Join(w.Dir, "a.txt"))), Range: ide.Range{End: ide.Position{Line: 1}}, Text: text, Snapshot: snapshot})
			return err
		}
		fix := agent.BreakLog(s)
		if err := say("lost"); err == nil || s.State.Record.IsStored() || len(comments.List()) != 0 {
			t.Fatalf("the comment: %v, stored %t, listed %+v", err, s.State.Record.IsStored(), comments.List())
		}
		fix()
		if err := say("kept"); err != nil {
			t.Fatal(err)
		}
		w.Prompt(s, "hello")
		w.Stop()
		w.Start()
		again, err := w.Agent.Session(t.Context(), s.ID())
		if err != nil {
			t.Fatal(err)
		}
		if l := agent.CommentsOf(again).List(); len(l) != 1 || l[0].Text != "kept" {
			t.Errorf("after a restart %+v", l)
		}
	})
}
