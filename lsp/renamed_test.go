package lsp_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/emendo-dev/emendo/agent/model/modeltest"
)

// The hunks of a file that the user renames are pending at its new path, also after
// a restart of the server.
func TestHunksOfARenamedFile(t *testing.T) {
	profile := deltaPlugin.With("workspace.fileOperations", map[string]any{"didRename": true})
	play(t, profile, []modeltest.Reply{twoHunks(), say("Done.")}, func(w *world) {
		if got := string(w.e.Server()); !strings.Contains(got, `"fileOperations":{"didRename":{"filters":[{"scheme":"file","pattern":{"glob":"**"}}]}}`) {
			t.Errorf("the server does not ask for renames: %s", got)
		}
		u := w.open()
		id := w.session(nil)
		w.prompting(w.Context(), id, "Change it")
		if err := os.Rename(filepath.Join(w.dir, "main.go"), filepath.Join(w.dir, "other.go")); err != nil {
			t.Fatal(err)
		}
		other := w.uri("other.go")
		w.e.Close(u)
		w.e.Open(other, w.read("other.go"))
		w.e.Notify("workspace/didRenameFiles", obj{"files": []obj{{"oldUri": u, "newUri": other}}})
		synctest.Wait()
		if f := w.last().Files[0]; f.URI != other || !f.OpenInEditor || w.last().State != "pending" {
			t.Errorf("after the rename it has %+v", w.last())
		}

		w.end()
		w.start(profile)
		w.e.Open(other, w.read("other.go"))
		w.call("emendo/session/load", obj{"sessionId": id}, nil)
		var got struct {
			ChangeSets []struct{ ChangeSetID, State string }
		}
		w.call("emendo/changes/list", obj{"uri": other}, &got)
		if len(got.ChangeSets) != 1 || got.ChangeSets[0].State != "pending" {
			t.Fatalf("after a restart there is %+v", got)
		}
		w.resolve(obj{"changeSetId": got.ChangeSets[0].ChangeSetID, "action": "accept"})
		if text := w.e.Text(other); text == w.read("other.go") {
			t.Error("nothing was changed in the editor")
		}
	})
}
