package ledger_test

import (
	"testing"

	"github.com/emendo-dev/emendo/ide/ledger"
)

// A hunk whose text was deleted and is found elsewhere in the file has a known position
// again: what is done there is reported as done.
func TestDeletingLinesThatHaveMoved(t *testing.T) {
	w := newWorld(t)
	w.write("a", "p\nx\na\nb\n")
	w.propose("a", "p\na\nb\n")
	w.write("a", "a\nb\nc\nx\nd\n")
	r := w.decide("set1", 0, ledger.Accept)
	if len(r.Applied) != 1 || len(r.Conflicts) > 0 {
		t.Errorf("the resolution is %+v", r)
	}
	w.want("the states", w.states("set1"), "accepted: accepted")
	w.want("the file", w.disk("a"), "a\nb\nc\nd\n")
	w.decide("set1", 0, ledger.Reject)
	w.want("the file after undoing it", w.disk("a"), "a\nb\nc\nx\nd\n")
}

// Two hunks of one decision may cancel out: the text stays as it is, and both are
// accepted.
func TestHunksThatCancelOutAreBothAccepted(t *testing.T) {
	for _, open := range []bool{false, true} {
		w := newWorld(t)
		w.write("a", "b\nx\na\ny\nb\n")
		w.propose("a", "x\na\ny\nb\nb\n")
		w.write("a", "y\nb\nz\n")
		if open {
			w.e.Open(w.uri("a"), "y\nb\nz\n")
		}
		w.decide("set1", 0, ledger.Accept)
		w.want("the states", w.states("set1"), "accepted: accepted accepted")
		w.want("the file", w.disk("a"), "y\nb\nz\n")
	}
}
