package view_test

import (
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"pgregory.net/rapid"

	"github.com/emendo-dev/emendo/agent/view"
	"github.com/emendo-dev/emendo/agent/view/viewtest"
)

// Whatever is put and dropped, a client that was sent the differences has what the window has,
// in its order.
func TestTheWindowIsDrawnFromDifferences(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		w := view.NewWindow()
		fold := viewtest.New(nil)
		kinds := []view.Kind{view.KindWelcome, view.KindTask, view.KindNotice, view.KindStatus}
		for n := range rapid.IntRange(1, 40).Draw(t, "steps") {
			kind := rapid.SampledFrom(kinds).Draw(t, "kind")
			id := fmt.Sprint(kind, rapid.IntRange(0, 3).Draw(t, "id"))
			switch rapid.IntRange(0, 4).Draw(t, "do") {
			case 0:
				w.Drop(id)
			case 1:
				fold.Apply(w.Changes(rapid.Bool().Draw(t, "status")))
			default:
				i := view.Item{ID: id, Kind: kind, Title: view.Text{Text: fmt.Sprint(n)}}
				if kind == view.KindTask && id != "task0" && rapid.Bool().Draw(t, "below") {
					if _, ok := w.Item("task0"); ok {
						i.Parent = "task0"
					}
				}
				w.Put(i)
			}
		}
		fold.Apply(w.Changes(true))
		status, items := w.Whole()
		if diff := cmp.Diff(items, fold.Items(), cmpopts.EquateEmpty()); diff != "" {
			t.Fatalf("the client has something else (-there +drawn):\n%s", diff)
		}
		if status != nil {
			if diff := cmp.Diff(*status, fold.Status); diff != "" {
				t.Fatalf("the client has another status:\n%s", diff)
			}
		}
		if s, others := w.Changed(); s || others {
			t.Fatal("more has changed after everything was sent")
		}
	})
}
