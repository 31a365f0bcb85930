package review_test

import (
	"fmt"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/emendo-dev/emendo/agent/model/modeltest"
	"github.com/emendo-dev/emendo/lsp/lsptest"
	"github.com/emendo-dev/emendo/lsp/worldtest"
)

var deltaPlugin = worldtest.Plugin.With("experimental.emendo.changes", map[string]any{"delta": true})

func TestDeltas(t *testing.T) {
	play(t, deltaPlugin, []modeltest.Reply{worldtest.TwoHunks(), worldtest.Say("Done.")}, func(w *world) {
		u := w.Open()
		wait := w.Prompting(w.Context(), w.Session(nil), "Change it")
		cs := w.Last()
		if len(w.Editor.Seen().Deltas) != 0 || cs.State != "pending" || cs.Version != 0 || len(cs.Files[0].Hunks) != 2 {
			t.Fatalf("first %+v", cs)
		}
		w.Resolve(worldtest.Obj{"changeSetId": cs.ChangeSetID, "hunkId": cs.Files[0].Hunks[0].HunkID, "action": "accept"})
		ds := w.Editor.Seen().Deltas
		if len(ds) != 1 || ds[0].Version != 1 || ds[0].State != "" || len(ds[0].Hunks) != 1 || ds[0].Hunks[0].State != "accepted" {
			t.Fatalf("after one hunk it got %+v", ds)
		}
		w.Editor.Close(u) // which does not change a hunk
		synctest.Wait()
		if c := w.Last(); c.Version != 2 || c.Files[0].OpenInEditor {
			t.Errorf("after closing it has %+v", c)
		}
		w.Resolve(worldtest.Obj{"changeSetId": cs.ChangeSetID, "hunkId": cs.Files[0].Hunks[1].HunkID, "action": "reject"})
		if _, err := wait(); err != nil {
			t.Error(err)
		}
		ds = w.Editor.Seen().Deltas
		if d := ds[len(ds)-1]; d.Version != 3 || d.State != "partial" || len(d.Hunks) != 1 {
			t.Errorf("after the other it got %+v", d)
		}
		var got struct{ ChangeSet lsptest.ChangeSet }
		w.Call("emendo/changes/get", worldtest.Obj{"changeSetId": cs.ChangeSetID}, &got)
		if c := got.ChangeSet; c.Version != 3 || c.State != "partial" || c.Files[0].Hunks[0] != w.Last().Files[0].Hunks[0] {
			t.Errorf("asked for it got %+v", c)
		}
	})
}

func TestMovedHunksAreSentAsDeltas(t *testing.T) {
	play(t, deltaPlugin, []modeltest.Reply{worldtest.TwoHunks(), worldtest.Say("Done.")}, func(w *world) {
		u := w.Open()
		w.Prompting(w.Context(), w.Session(nil), "Change it")
		w.Typed(u, "// three\n", "// three\n// four\n")
		w.Advance()
		ds := w.Editor.Seen().Deltas
		if len(ds) != 1 || len(ds[0].Hunks) != 1 || ds[0].Hunks[0].Range.Start.Line != 9 {
			t.Errorf("it got %+v", ds)
		}
		w.Command("emendo.rejectAll", nil, nil)
	})
}

// Accepting a set of 3,000 hunks is one edit, and takes few updates and megabytes, with
// and without deltas.
func TestLargeSetIsAcceptedInOneEdit(t *testing.T) {
	const hunks = 3000
	var old, new strings.Builder
	for i := range hunks * 5 {
		fmt.Fprintf(&old, "\tline %d of a program\n", i)
		if i%5 == 0 {
			fmt.Fprintf(&new, "\tanother line %d of it\n", i)
		} else {
			fmt.Fprintf(&new, "\tline %d of a program\n", i)
		}
	}
	reply := modeltest.Reply{modeltest.Call("write_file", fmt.Sprintf(`{"file_path":"main.go","content":%q}`, new.String()))}
	for _, c := range []struct {
		name    string
		profile lsptest.Profile
		updates int // full updates for the proposal and its acceptance, and deltas
		deltas  int
	}{{"with deltas", deltaPlugin, 2, 1}, {"with whole sets", worldtest.Plugin, 2, 0}} {
		t.Run(c.name, func(t *testing.T) {
			play(t, c.profile, []modeltest.Reply{reply, worldtest.Say("Done.")}, func(w *world) {
				w.Write("main.go", old.String())
				u := w.Open()
				wait := w.Prompting(w.Context(), w.Session(nil), "Change it")
				cs := w.Last()
				r := w.Resolve(worldtest.Obj{"changeSetId": cs.ChangeSetID, "action": "accept"})
				if _, err := wait(); err != nil {
					t.Error(err)
				}
				w.Advance()
				if len(r.Applied) != hunks || len(w.Editor.Edits()) != 1 || w.Editor.Text(u) != new.String() {
					t.Errorf("%d of %d hunks are applied in %d edits", len(r.Applied), hunks, len(w.Editor.Edits()))
				}
				if s := w.Editor.Seen(); len(s.ChangeSets) != c.updates || len(s.Deltas) != c.deltas || w.Last().State != "accepted" {
					t.Errorf("%d updates, %d of them deltas", len(s.ChangeSets), len(s.Deltas))
				}
				if n := w.Wire.Load(); n > 5<<20 {
					t.Errorf("%d bytes were sent", n)
				} else {
					t.Logf("%d bytes were sent", n)
				}
			})
		})
	}
}
