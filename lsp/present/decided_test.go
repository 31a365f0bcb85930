package present_test

import (
	"slices"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/emendo-dev/emendo/agent/model/modeltest"
	"github.com/emendo-dev/emendo/agent/view"
	"github.com/emendo-dev/emendo/internal/rpc"
	"github.com/emendo-dev/emendo/lsp/worldtest"
)

// listedHunk is a hunk of emendo/changes/list.
type listedHunk struct {
	HunkID string
	State  string
	view.Entry
}

// listed returns the hunks of emendo/changes/list.
func (d *drawing) listed() (l []listedHunk) {
	d.Helper()
	var r struct {
		ChangeSets []struct {
			Files []struct{ Hunks []listedHunk }
		}
	}
	d.Call("emendo/changes/list", worldtest.Obj{}, &r)
	for _, cs := range r.ChangeSets {
		for _, f := range cs.Files {
			l = append(l, f.Hunks...)
		}
	}
	return l
}

// A decided hunk is in a list, with what was decided; its action has it wait again. One that
// waits is in the window's view and has neither.
func TestADecidedHunkIsListedAndDecidedAgain(t *testing.T) {
	withHunks(t, func(d *drawing) {
		d.get("")
		u := d.Open()
		d.change(u, "return 1", "return 11")
		if l := d.listed(); len(l) != 1 || l[0].Label != nil || l[0].Actions != nil {
			t.Errorf("one that waits is listed as %+v", l)
		}
		h := d.only()
		if _, err := d.onHunk(h.ID, "accept", nil); err != nil {
			t.Fatal(err)
		}
		l := d.listed()
		if len(l) != 1 || l[0].Label.Text != "main.go:3 func a() int { return 11 }" || l[0].Note.Text != "Accepted" || l[0].Actions[0].ID != "reopen" {
			t.Fatalf("listed are %+v", l)
		}
		_, err := d.onHunk(h.ID, "accept", nil)
		d.Refused(err, rpc.InvalidParams, "")
		if _, err := d.onHunk(h.ID, "reopen", nil); err != nil {
			t.Error(err)
		}
		if again := d.only(); again.ID != h.ID || again.State != view.HunkPending || !strings.Contains(d.Editor.Text(u), "return 1 ") {
			t.Errorf("it is %+v in %q", again, d.Editor.Text(u))
		}
		_, err = d.onHunk(h.ID, "reopen", nil)
		d.Refused(err, rpc.InvalidParams, "")
	})
}

// All hunks are decided at once by the window's status, and those of a session by its entry in
// a list, before these have counted them. The status compares all files.
func TestAllAreDecidedAtOnce(t *testing.T) {
	withHunksAnd(t, []modeltest.Reply{worldtest.Say("Hello.")}, func(d *drawing) {
		id := d.Session(nil)
		d.Prompt(id, "Hello")
		d.get("")
		u := d.Open()
		d.Propose(worldtest.Obj{"sessionId": id, "uri": u, "range": d.RangeOf(u, "return 1"), "newText": "return 11", "title": "Change it"})
		d.Propose(worldtest.Obj{"uri": u, "range": d.RangeOf(u, "return 2"), "newText": "return 22", "title": "Change it"})
		d.Propose(worldtest.Obj{"uri": d.URI("new.go"), "newText": "package main\n", "title": "Create it"})
		synctest.Wait()
		step, err := d.onHunk(view.StatusID, "show", nil)
		if err != nil || len(step.Diff) != 2 || !strings.Contains(step.Diff[0].New, "return 11 ") || step.Diff[1].Old != "" {
			t.Errorf("to be compared is %+v: %v", step, err)
		}
		if _, err := d.onHunk(id, "acceptAll", nil); err != nil {
			t.Error(err)
		}
		if left := len(d.fold.Hunks()); left != 2 {
			t.Errorf("%d are left", left)
		}
		if _, err := d.onHunk(view.StatusID, "rejectAll", nil); err != nil {
			t.Error(err)
		}
		if got := d.Editor.Text(u); !strings.Contains(got, "return 11 ") || !strings.Contains(got, "return 2 ") || len(d.fold.Hunks()) != 0 {
			t.Errorf("the text is %q, and left are %+v", got, d.fold.Hunks())
		}
		_, err = d.onHunk(view.StatusID, "rejectAll", nil)
		d.Refused(err, rpc.RequestFailed, "")
		_, err = d.onHunk(view.StatusID, "show", nil)
		d.Refused(err, rpc.RequestFailed, "")
		if states := states(d.listed()); !slices.Equal(states, []string{"accepted", "rejected", "rejected"}) {
			t.Errorf("they are %v", states)
		}
	})
}

func states(l []listedHunk) (states []string) {
	for _, h := range l {
		states = append(states, h.State)
	}
	slices.Sort(states)
	return states
}
