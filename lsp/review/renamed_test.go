package review_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/emendo-dev/emendo/agent/model/modeltest"
	"github.com/emendo-dev/emendo/lsp/worldtest"
)

// The hunks of a file that the user renames are pending at its new path, also after
// a restart of the server.
func TestHunksOfARenamedFile(t *testing.T) {
	profile := deltaPlugin.With("workspace.fileOperations", map[string]any{"didRename": true})
	play(t, profile, []modeltest.Reply{worldtest.TwoHunks(), worldtest.Say("Done.")}, func(w *world) {
		if got := string(w.Editor.Server()); !strings.Contains(got, `"fileOperations":{"didRename":{"filters":[{"scheme":"file","pattern":{"glob":"**"}}]}}`) {
			t.Errorf("the server does not ask for renames: %s", got)
		}
		u := w.Open()
		id := w.Session(nil)
		w.Prompting(w.Context(), id, "Change it")
		if err := os.Rename(filepath.Join(w.Dir, "main.go"), filepath.Join(w.Dir, "other.go")); err != nil {
			t.Fatal(err)
		}
		other := w.URI("other.go")
		w.Editor.Close(u)
		w.Editor.Open(other, w.Read("other.go"))
		w.Editor.Notify("workspace/didRenameFiles", worldtest.Obj{"files": []worldtest.Obj{{"oldUri": u, "newUri": other}}})
		synctest.Wait()
		if f := w.Last().Files[0]; f.URI != other || !f.OpenInEditor || w.Last().State != "pending" {
			t.Errorf("after the rename it has %+v", w.Last())
		}

		w.End()
		w.Start(profile)
		w.Editor.Open(other, w.Read("other.go"))
		w.Call("emendo/session/load", worldtest.Obj{"sessionId": id}, nil)
		var got struct {
			ChangeSets []struct{ ChangeSetID, State string }
		}
		w.Call("emendo/changes/list", worldtest.Obj{"uri": other}, &got)
		if len(got.ChangeSets) != 1 || got.ChangeSets[0].State != "pending" {
			t.Fatalf("after a restart there is %+v", got)
		}
		w.Resolve(worldtest.Obj{"changeSetId": got.ChangeSets[0].ChangeSetID, "action": "accept"})
		if text := w.Editor.Text(other); text == w.Read("other.go") {
			t.Error("nothing was changed in the editor")
		}
	})
}
