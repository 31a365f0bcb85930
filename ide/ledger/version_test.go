package ledger_test

import (
	"strings"
	"testing"
	"testing/synctest"

	"github.com/emendo-dev/emendo/ide/ledger"
)

// decidedSince returns the IDs and states of the hunks decided since a version.
func (w *world) decidedSince(version uint64) string {
	w.t.Helper()
	cs, err := w.l.Get("set1")
	if err != nil {
		w.t.Fatal(err)
	}
	var l []string
	for _, h := range cs.DecidedSince(version) {
		l = append(l, h.ID+" "+string(h.State))
	}
	return strings.Join(l, ", ")
}

func (w *world) version() uint64 {
	w.t.Helper()
	cs, err := w.l.Get("set1")
	if err != nil {
		w.t.Fatal(err)
	}
	return cs.Version
}

func TestVersionReportsLaterDecisions(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t)
		base := numbered(25)
		w.open("a.go", base)
		w.propose("a.go", capitals(base, 3, 20))
		proposed := w.version()
		w.want("since before the proposal", w.decidedSince(0), "set1.1 pending, set1.2 pending")
		w.want("since the proposal", w.decidedSince(proposed), "")

		w.e.Type(w.uri("a.go"), 0, 0, "more\n")
		moved := w.version()
		if moved <= proposed {
			t.Errorf("version %d after ranges moved, was %d", moved, proposed)
		}
		w.want("when ranges moved alone", w.decidedSince(proposed), "")

		w.decide("set1", 2, ledger.Accept)
		accepted := w.version()
		w.want("since the ranges moved", w.decidedSince(moved), "set1.2 accepted")
		w.decide("set1", 1, ledger.Reject)
		w.want("since one was accepted", w.decidedSince(accepted), "set1.1 rejected")
		w.want("since the proposal", w.decidedSince(proposed), "set1.1 rejected, set1.2 accepted")

		// Nothing is decided if everything matches the stored state.
		n := restored(t, w, func(w *world) { w.write("a.go", "more\n"+capitals(base, 20)) })
		w.want("restored", n.decidedSince(0), "")
	})
}

func TestMissingHunkIsDecidedOnRestore(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t)
		base := numbered(25)
		w.write("a.go", base)
		w.propose("a.go", capitals(base, 3, 20))
		n := restored(t, w, func(w *world) { w.write("a.go", replaceOnce(base, "line 20\n", "x\n")) })
		w.want("restored", n.decidedSince(0), "set1.2 conflicted")
	})
}
