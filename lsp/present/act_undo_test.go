package present_test

import (
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/emendo-dev/emendo/agent/model/modeltest"
	"github.com/emendo-dev/emendo/agent/view"
	"github.com/emendo-dev/emendo/internal/rpc"
	"github.com/emendo-dev/emendo/lsp/worldtest"
)

// All edits that nobody has reviewed are undone after a question that shows them.
func TestTakingBackAllIsAskedWithAPreview(t *testing.T) {
	edit := modeltest.Reply{modeltest.Call("replace", `{"file_path":"new.txt","old_string":"one","new_string":"two"}`)}
	withReviews(t, []modeltest.Reply{edit, worldtest.Say("Done.")}, func(d *drawing) {
		d.Write("new.txt", "one\n")
		id := d.Session(worldtest.Obj{"mode": "auto_edit"})
		d.get(id)
		d.Prompt(id, "make it two")
		status := d.get(id).Status
		if !slices.ContainsFunc(status.Actions, func(a view.Action) bool { return a.ID == view.UndoAll && a.Danger }) {
			t.Fatalf("offered is %s", actionsOf(*status))
		}
		if l := d.do(id, status.ID, "undoAll", nil); len(l) != 0 || len(d.fold.Questions) != 1 {
			t.Fatalf("asked with the steps %+v, and the questions %+v", l, d.fold.Questions)
		}
		q := d.fold.Questions[0]
		want := []view.Row{{Mark: "-", Text: "two"}, {Mark: "+", Text: "one"}}
		if q.Code != "undo_all" || len(q.Parts) != 1 || !cmp.Equal(q.Parts[0].Rows, want) || q.Title.Text != "Undo 1 change that nobody has reviewed?" {
			t.Errorf("asked is %+v", q)
		}
		if l := d.do(id, q.ID, "open", worldtest.Obj{"text": "new.txt"}); len(l) != 1 || l[0].Open == nil || l[0].Open.URI != d.URI("new.txt") {
			t.Errorf("the steps are %+v", l)
		}
		if l := d.do(id, q.ID, "diff:0", nil); len(l) != 1 || len(l[0].Diff) != 1 || l[0].Diff[0].Old != "two\n" || l[0].Diff[0].New != "one\n" || l[0].Diff[0].Place.URI != d.URI("new.txt") {
			t.Errorf("compared is %+v", l)
		}
		_, err := d.tryDo(id, q.ID, "diff:1", nil)
		d.Refused(err, rpc.InvalidParams, "")
		d.do(id, q.ID, "cancel", nil)
		if got := d.Read("new.txt"); got != "two\n" || len(d.fold.Questions) != 0 {
			t.Fatalf("after no the file is %q", got)
		}
		d.do(id, status.ID, "undoAll", nil)
		d.do(id, d.fold.Questions[0].ID, "undoAll", nil)
		if got := d.Read("new.txt"); got != "one\n" || len(d.fold.Questions) != 0 {
			t.Errorf("the file is %q, and open are %+v", got, d.fold.Questions)
		}
		_, err = d.tryDo(id, status.ID, "undoAll", nil)
		d.Refused(err, rpc.RequestFailed, "failed")
	})
}
