package ledger

import (
	"strings"
	"testing"
)

// A state that the user decides on must be one on which every action has its effect, and
// what is said of a hunk must not be empty.
func TestStatesAreComplete(t *testing.T) {
	for s, facts := range states {
		switch {
		case s == Partial: // of change sets only
			continue
		case facts.outcome == "":
			t.Errorf("%s: what became of the edit is not said", s)
		case !s.proposed() && !s.Decided() && facts.report != "":
			t.Errorf("%s: the report leaves out the reason, which says what went wrong", s)
		case s.Waits() && !s.proposed():
			t.Errorf("%s: the user is to decide on what is not proposed", s)
		case s.Applied() && s.proposed():
			t.Errorf("%s: it is applied and proposed", s)
		}
		for _, a := range []Action{Accept, Reject} { // the user can always say yes or no
			if h := (&hunk{state: s, verdict: verdict{reviewed: true}}); h.effectOf(a) == unfit {
				t.Errorf("%s: %s does nothing", s, a)
			}
		}
	}
	if later := State("later"); later.Known() || later.Outcome() != Conflicted.Outcome() {
		t.Errorf("a state of a later version: known %v, outcome %q", later.Known(), later.Outcome())
	}
}

func TestAnErrorListsTheActions(t *testing.T) {
	err := Action("aprove").Check()
	if err == nil || !strings.HasPrefix(err.Error(), `unknown action "aprove": want accept, reject, `) {
		t.Errorf("got %v", err)
	}
	for _, a := range actions {
		if known := a.Check(); known != nil || !strings.Contains(err.Error(), string(a)) {
			t.Errorf("%s: %v, and the list of actions is %v", a, known, err)
		}
	}
}
