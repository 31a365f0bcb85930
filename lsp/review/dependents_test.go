package review_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/emendo-dev/emendo/agent/model/modeltest"
	"github.com/emendo-dev/emendo/internal/rpc"
	"github.com/emendo-dev/emendo/internal/settings"
	"github.com/emendo-dev/emendo/lsp/lsptest"
	"github.com/emendo-dev/emendo/lsp/worldtest"
)

// onTop are two edits of one line, the second on top of the first.
func onTop() []modeltest.Reply {
	replace := func(old, new string) modeltest.Reply {
		return modeltest.Reply{modeltest.Call("replace", fmt.Sprintf(`{"file_path":"main.go","instruction":"change","old_string":%q,"new_string":%q}`, old, new))}
	}
	return []modeltest.Reply{replace("return 1", "return 11"), replace("return 11", "return 111"), worldtest.Say("Done.")}
}

// stands says of each change set its state, and because of which hunk.
func (w *world) stands() string {
	w.Helper()
	var l []string
	for _, cs := range w.Sets(nil) {
		l = append(l, strings.TrimSpace(cs.State+" "+cs.Files[0].Hunks[0].Because))
	}
	return strings.Join(l, ", ")
}

func TestDependentsOverTheWire(t *testing.T) {
	in := worldtest.NewWorld(t, onTop())
	in.EditsWait = settings.WaitTurn
	synctest.Test(t, func(t *testing.T) {
		w := &world{in}
		w.T = t
		w.Start(worldtest.Plugin)
		defer w.End()
		w.Open()
		w.Prompt(w.Session(nil), "Change it")
		sets := w.Sets(nil)
		base := worldtest.Obj{"changeSetId": sets[0].ChangeSetID, "action": "reject"}
		resolve := func(params worldtest.Obj) error {
			return w.Editor.Call(w.Context(), "emendo/changes/resolve", params, nil)
		}
		w.Refused(resolve(worldtest.Obj{"decisions": []worldtest.Obj{base, {"changeSetId": sets[1].ChangeSetID, "action": "accept"}}}), rpc.RequestFailed, "edit_conflict")
		w.Refused(resolve(worldtest.Obj{"decisions": []worldtest.Obj{base}, "dependents": "forget"}), rpc.InvalidParams, "")
		if got := w.stands(); got != "pending, pending" {
			t.Errorf("refused decisions made them %s", got)
		}
		because := sets[0].Files[0].Hunks[0].HunkID
		for _, c := range []struct{ dependents, want string }{{"leave", "rejected, superseded " + because}, {"reject", "rejected, rejected " + because}} {
			if err := resolve(worldtest.Obj{"decisions": []worldtest.Obj{base}, "dependents": c.dependents}); err != nil {
				t.Fatal(err)
			}
			if got := w.stands(); got != c.want {
				t.Errorf("with %s they are %s, want %s", c.dependents, got, c.want)
			}
			w.Resolve(worldtest.Obj{"changeSetId": sets[0].ChangeSetID, "action": "reopen"})
		}
	})
}

// A plain client reads how many others are undone.
func TestUndoSaysWhatGoesWithIt(t *testing.T) {
	play(t, lsptest.Recorded("helix"), onTop(), func(w *world) {
		u := w.Open()
		w.applied()
		var titles []string
		for _, a := range w.Actions(u, "return 111", nil) {
			if a.Kind == "quickfix.emendo.undo" {
				titles = append(titles, a.Title)
			}
		}
		slices.Sort(titles)
		if len(titles) != 2 || !strings.Contains(titles[0], "with the change that builds on it") || strings.Contains(titles[1], "builds on it") {
			t.Errorf("the titles are %q", titles)
		}
	})
}
