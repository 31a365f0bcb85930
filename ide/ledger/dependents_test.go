package ledger_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/emendo-dev/emendo/ide/ledger"
)

// because returns the hunks with which those of a change set went.
func (w *world) because(id string) string {
	w.t.Helper()
	cs, err := w.l.Get(id)
	if err != nil {
		w.t.Fatal(err)
	}
	var l []string
	for _, h := range cs.Hunks(nil) {
		l = append(l, h.Because)
	}
	return strings.Join(l, " ")
}

// stack proposes changes of one line, each on top of the ones before.
func (w *world) stack(n int) {
	w.t.Helper()
	w.open("a", numbered(9))
	for i := range n {
		w.propose("a", replaceOnce(w.view("a").Text.String(), "line 5", fmt.Sprintf("v%d line 5", i+1)))
	}
}

// What goes with a hunk says so, after a restart too.
func TestDependentsSayWithWhatTheyWent(t *testing.T) {
	w := newWorld(t)
	w.stack(5)
	r := w.resolve(ledger.Decision{ChangeSetID: "set2", Action: ledger.Reject, Leave: true})
	for _, id := range []string{"set3", "set4", "set5"} {
		w.want(id, w.states(id)+" "+w.because(id), "superseded: superseded set2.1")
	}
	if len(r.ChangeSets) != 4 {
		t.Errorf("the answer has %d change sets", len(r.ChangeSets))
	}
	w.decide("set2", 0, ledger.Reopen)
	w.want("back with it", w.states("set5")+w.because("set5"), "pending: pending")
	w.decide("set1", 0, ledger.Reject)
	for _, id := range []string{"set2", "set5"} {
		w.want(id, w.states(id)+" "+w.because(id), "rejected: rejected set1.1")
	}
	again := newWorldIn(t, w.dir)
	if err := again.l.Restore(context.Background(), w.l.List("", "", "")); err != nil {
		t.Fatal(err)
	}
	w.want("after a restart", again.because("set5"), "set1.1")
	w.decide("set5", 0, ledger.Reopen)
	w.want("its base is still rejected", w.states("set5")+" "+w.because("set5"), "superseded: superseded set1.1")
	for _, id := range []string{"set1", "set2", "set3", "set4"} {
		w.decide(id, 0, ledger.Reopen)
	}
	w.want("all are back", w.states("set5")+w.because("set5"), "pending: pending")
	w.decide("set5", 0, ledger.Accept)
	w.want("the text", w.text("a"), replaceOnce(numbered(9), "line 5", "v1 v2 v3 v4 v5 line 5"))
}

// What was applied is undone with what was made of it since, also where that was reviewed.
func TestUndoOfWhatWasChangedSince(t *testing.T) {
	for _, closed := range []bool{false, true} {
		w := newWorld(t)
		if w.write("a", numbered(9)); !closed {
			w.open("a", numbered(9))
		}
		for i := range 5 {
			id := w.propose("a", replaceOnce(w.view("a").Text.String(), "line 5", fmt.Sprintf("v%d line 5", i+1))).ID
			w.resolve(ledger.Decision{ChangeSetID: id, Action: ledger.Accept, Unasked: true})
		}
		now := func() string {
			if closed {
				return w.disk("a")
			}
			return w.text("a")
		}
		w.decide("set4", 0, ledger.Keep)
		cs, err := w.l.Get("set3")
		if err != nil {
			t.Fatal(err)
		}
		w.want("those that go with it", fmt.Sprint(cs.Files[0].Hunks[0].Dependents), "2")
		r := w.decide("set3", 0, ledger.Undo)
		if len(r.Conflicts) > 0 {
			t.Errorf("conflicts: %+v", r.Conflicts)
		}
		w.want("the text", now(), replaceOnce(numbered(9), "line 5", "v1 v2 line 5"))
		for id, want := range map[string]string{"set2": "accepted: accepted ", "set3": "rejected: rejected ", "set4": "rejected: rejected set3.1", "set5": "rejected: rejected set3.1"} {
			w.want(id, w.states(id)+" "+w.because(id), want)
		}
		w.decide("set3", 0, ledger.Reopen)
		w.decide("set4", 0, ledger.Reopen)
		w.want("applied again", now(), replaceOnce(numbered(9), "line 5", "v1 v2 v3 v4 line 5"))
	}
}

// A hunk elsewhere in the file stays.
func TestUndoLeavesWhatIsElsewhere(t *testing.T) {
	w := newWorld(t)
	w.open("a", numbered(30))
	for _, lines := range [][]int{{5, 15}, {20}} {
		id := w.propose("a", capitals(w.text("a"), lines...)).ID
		w.resolve(ledger.Decision{ChangeSetID: id, Action: ledger.Accept, Unasked: true})
	}
	w.resolve(ledger.Decision{ChangeSetID: w.propose("a", replaceOnce(w.text("a"), "LINE 5\n", "five\n")).ID, Action: ledger.Accept, Unasked: true})
	w.propose("a", replaceOnce(w.text("a"), "five\n", "5\n"))
	w.decide("set1", 1, ledger.Undo)
	w.want("the text", w.text("a"), capitals(numbered(30), 15, 20))
	w.want("pending on top of it", w.states("set4")+" "+w.because("set4"), "rejected: rejected set1.1")
}

func TestContradictions(t *testing.T) {
	accept, reject, reopen, keep, undo := ledger.Accept, ledger.Reject, ledger.Reopen, ledger.Keep, ledger.Undo
	for _, c := range []struct {
		before ledger.Action // both are decided so before
		one    ledger.Action // of the base
		two    ledger.Action // of what is on top
		leave  bool
		same   bool // both are of the base
		want   bool
	}{
		{one: reject, two: accept, want: true},
		{one: reject, two: accept, leave: true, want: true},
		{one: reject, two: reopen, want: true},
		{one: reject, two: reopen, leave: true},
		{one: reject, two: reject},
		{one: reopen, two: accept, want: true},
		{one: accept, two: reject},
		{one: accept, two: accept},
		{one: accept, two: reject, same: true, want: true},
		{one: accept, two: accept, same: true},
		{one: accept, two: reopen, same: true, want: true},
		{before: accept, one: undo, two: accept, want: true},
		{before: accept, one: undo, two: keep, want: true},
		{before: accept, one: undo, two: reject},
		{before: accept, one: reopen, two: reject},
		{before: accept, one: keep, two: undo},
		{before: accept, one: undo, two: keep, same: true, want: true},
		{before: accept, one: undo, two: reject, same: true},
	} {
		for _, swapped := range []bool{false, true} {
			t.Run(fmt.Sprintf("%s %s %s %v %v %v", c.before, c.one, c.two, c.same, c.leave, swapped), func(t *testing.T) {
				w := newWorld(t)
				w.stack(2)
				if c.before != "" {
					w.decide("set2", 0, c.before)
				}
				ds := []ledger.Decision{{ChangeSetID: "set1", HunkID: "set1.1", Action: c.one, Leave: c.leave}, {ChangeSetID: "set2", HunkID: "set2.1", Action: c.two}}
				if c.same {
					ds[1].ChangeSetID, ds[1].HunkID = "set1", "set1.1"
				}
				if swapped {
					ds[0], ds[1] = ds[1], ds[0]
				}
				before, text, edits := w.states("set1")+w.states("set2"), w.text("a"), len(w.e.Edits())
				_, err := w.l.Resolve(context.Background(), ds, "")
				if got := errors.Is(err, ledger.ErrContradiction); got != c.want || !got && err != nil {
					t.Fatalf("got %v", err)
				}
				if !c.want {
					return
				}
				for _, d := range ds {
					if !strings.Contains(err.Error(), string(d.Action)) || !strings.Contains(err.Error(), d.HunkID) {
						t.Errorf("%q does not name %s of %s", err, d.Action, d.HunkID)
					}
				}
				w.want("the states", w.states("set1")+w.states("set2"), before)
				w.want("the text", w.text("a"), text)
				if len(w.e.Edits()) != edits {
					t.Error("something was sent")
				}
			})
		}
	}
}

// A decision about a change set and one about a hunk of it can contradict each other too, and so can
// two texts.
func TestContradictionsOfOneChangeSet(t *testing.T) {
	w := newWorld(t)
	w.open("a", numbered(30))
	w.propose("a", capitals(numbered(30), 5, 15))
	one, two := "1\n", "2\n"
	for _, ds := range [][]ledger.Decision{
		{{ChangeSetID: "set1", Action: ledger.Accept}, {ChangeSetID: "set1", HunkID: "set1.2", Action: ledger.Reject}},
		{{ChangeSetID: "set1", HunkID: "set1.2", Action: ledger.Accept, Text: &one}, {ChangeSetID: "set1", HunkID: "set1.2", Action: ledger.Accept, Text: &two}},
	} {
		if _, err := w.l.Resolve(context.Background(), ds, ""); !errors.Is(err, ledger.ErrContradiction) {
			t.Errorf("%v: got %v", ds, err)
		}
		w.want("the states", w.states("set1"), "pending: pending pending")
	}
	w.resolve(ledger.Decision{ChangeSetID: "set1", HunkID: "set1.2", Action: ledger.Accept, Text: &one}, ledger.Decision{ChangeSetID: "set1", Action: ledger.Accept})
	w.want("the text", w.text("a"), strings.Replace(capitals(numbered(30), 5), "line 15\n", one, 1))
}
