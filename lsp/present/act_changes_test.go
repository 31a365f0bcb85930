package present_test

import (
	"strings"
	"testing"
	"testing/synctest"

	"github.com/google/go-cmp/cmp"

	"github.com/emendo-dev/emendo/agent/model/modeltest"
	"github.com/emendo-dev/emendo/agent/view"
	"github.com/emendo-dev/emendo/internal/rpc"
	"github.com/emendo-dev/emendo/lsp/lsptest"
	"github.com/emendo-dev/emendo/lsp/worldtest"
)

// withReviews runs f with an editor that draws items and lets the user review edits.
func withReviews(t *testing.T, replies []modeltest.Reply, f func(d *drawing)) {
	p := lsptest.Recorded("helix").With("experimental.emendo", worldtest.Obj{"view": 1, "permission": true, "changes": true})
	worldtest.Play(t, p, replies, func(w *worldtest.World) {
		d := &drawing{World: w}
		w.Editor.Heard = d.heard
		f(d)
		for _, wrong := range d.late {
			t.Error(wrong)
		}
	})
}

// call returns the only call.
func (d *drawing) call() view.Item {
	d.Helper()
	for _, i := range d.fold.Items() {
		if i.Kind == view.KindCall {
			return i
		}
	}
	d.Fatal("there is no call")
	return view.Item{}
}

func linesWith(i view.Item, id string) string {
	var l []string
	for _, line := range i.Lines {
		if line.ID == id {
			l = append(l, line.Text.Text)
		}
	}
	return strings.Join(l, ", ")
}

// A call shows the edits that it made, with what is decided about them; they are decided from
// there, and their texts are compared.
func TestACallShowsItsEdits(t *testing.T) {
	edit := modeltest.Reply{modeltest.Call("replace", `{"file_path":"new.txt","old_string":"one","new_string":"two"}`)}
	for _, c := range []struct{ action, file, edits string }{
		{"accept", "two\nend\n", "Accepted"},
		{"reject", "one\nend\n", "Rejected"},
	} {
		t.Run(c.action, func(t *testing.T) {
			withReviews(t, []modeltest.Reply{edit, worldtest.Say("Done.")}, func(d *drawing) {
				d.Write("new.txt", "one\nend\n")
				id := d.Session(nil)
				before := d.get(id).Version
				wait := d.Prompting(d.Context(), id, "make it two")
				synctest.Wait()
				call := d.call()
				if got, want := actionsOf(call), "stop diff review accept reject"; got != want {
					t.Fatalf("the call offers %s, want %s", got, want)
				}
				want := []view.Row{{Mark: "-", Text: "one"}, {Mark: "+", Text: "two"}, {Mark: "=", Text: "end"}}
				for i := range call.Parts[len(call.Parts)-1].Rows {
					call.Parts[len(call.Parts)-1].Rows[i].Words = nil
				}
				if diff := cmp.Diff(want, call.Parts[len(call.Parts)-1].Rows); diff != "" || linesWith(call, "edits") != "1 edit to review" {
					t.Errorf("it shows %s, and rows (-want +got)\n%s", linesWith(call, "edits"), diff)
				}
				both := view.Compared{Place: view.Place{URI: d.URI("new.txt")}, Old: "one\nend\n", New: "two\nend\n"}
				for _, action := range []string{"diff", "diff:0"} {
					if l := d.do(id, call.ID, action, nil); len(l) != 1 || !cmp.Equal(l[0].Diff, []view.Compared{both}) {
						t.Errorf("the steps of %s are %+v", action, l)
					}
				}
				_, err := d.tryDo(id, call.ID, "diff:1", nil)
				d.Refused(err, rpc.InvalidParams, "")
				if l := d.do(id, call.ID, "review", nil); len(l) != 1 || l[0].Open == nil || l[0].Open.URI != d.URI("new.txt") {
					t.Errorf("the steps are %+v", l)
				}
				_, err = d.tryDo(id, call.ID, c.action, worldtest.Obj{"version": before})
				d.Refused(err, rpc.RequestFailed, "") // it was not shown then
				d.do(id, call.ID, c.action, nil)
				if _, err := wait(); err != nil {
					t.Error(err)
				}
				call = d.call()
				if got := d.Read("new.txt"); got != c.file || linesWith(call, "edits") != c.edits || actionsOf(call) != "diff" {
					t.Errorf("the file is %q, shown is %q with %s", got, linesWith(call, "edits"), actionsOf(call))
				}
				_, err = d.tryDo(id, call.ID, c.action, nil)
				d.Refused(err, rpc.InvalidParams, "")
				if diff := cmp.Diff(d.fold.Items(), d.get(id).Items); diff != "" {
					t.Errorf("something else is loaded (-drawn +loaded):\n%s", diff)
				}
			})
		})
	}
}
