package ledger_test

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/emendo-dev/emendo/ide"
	"github.com/emendo-dev/emendo/ide/ledger"
)

func TestFollowing(t *testing.T) {
	const base = "a\nb\nc\nd\ne\n"
	for _, c := range []struct {
		name     string
		from, to string // base and proposal
		do       func(w *world)
		want     string
		at       string // the live text under the hunk
	}{
		{name: "whole lines directly before leave it alone", do: typing("c", "x\nc"), want: "pending: pending", at: "c\n"},
		{name: "whole lines directly after leave it alone", do: typing("d", "x\nd"), want: "pending: pending", at: "c\n"},
		{name: "typing in its first column touches it", do: typing("c", "xc"), want: "conflicted: conflicted", at: "xc\n"},
		{name: "a line typed above it letter by letter gives it back", do: func(w *world) {
			typing("c", "xc")(w)
			typing("xc", "x\nc")(w)
		}, want: "pending: pending", at: "c\n"},
		{name: "joining it with the line above is a conflict", do: typing("b\nc", "bc"), want: "conflicted: conflicted", at: "bc\n"},
		{name: "and separating them again resolves it", do: func(w *world) {
			typing("b\nc", "bc")(w)
			typing("bc", "b\nc")(w)
		}, want: "pending: pending", at: "c\n"},
		{name: "deleting what is above it moves it", do: typing("a\nb\n", ""), want: "pending: pending", at: "c\n"},
		{name: "deleting what is below it leaves it", do: typing("d\ne\n", ""), want: "pending: pending", at: "c\n"},
		{name: "deleting it is a conflict", do: typing("c\n", ""), want: "conflicted: conflicted", at: ""},
		{name: "its new text typed by hand is accepted", do: typing("c", "C"), want: "accepted: accepted", at: "C\n"},
		{name: "editing an accepted hunk keeps it accepted", do: func(w *world) {
			w.decide("set1", 1, ledger.Accept)
			typing("C", "CC")(w)
		}, want: "accepted: accepted edited", at: "CC\n"},
		{name: "until its old text is typed again", do: func(w *world) {
			w.decide("set1", 1, ledger.Accept)
			typing("C", "CC")(w)
			typing("CC", "c")(w)
		}, want: "pending: pending", at: "c\n"},
		{name: "rejecting an edited one is a conflict", do: func(w *world) {
			w.decide("set1", 1, ledger.Accept)
			typing("C", "CC")(w)
			if r := w.decide("set1", 1, ledger.Reject); len(r.Conflicts) != 1 {
				w.t.Errorf("got %+v", r)
			}
		}, want: "accepted: accepted edited", at: "CC\n"},
		{name: "a rejected hunk stays rejected when the user goes on there", do: func(w *world) {
			w.decide("set1", 1, ledger.Reject)
			typing("c", "mine")(w)
		}, want: "rejected: rejected", at: "mine\n"},
		{name: "and reopening it then is a conflict", do: func(w *world) {
			w.decide("set1", 1, ledger.Reject)
			typing("c", "mine")(w)
			w.decide("set1", 1, ledger.Reopen)
		}, want: "conflicted: conflicted", at: "mine\n"},
		{name: "redo of a rejected accepted hunk", do: func(w *world) {
			w.decide("set1", 1, ledger.Accept)
			w.decide("set1", 1, ledger.Reject)
			w.e.Undo()
			w.want("undone", w.states("set1"), "accepted: accepted")
			w.e.Redo()
		}, want: "rejected: rejected", at: "c\n"},
		{name: "an insertion with a line typed exactly there is a conflict", from: base, to: "a\nb\nX\nc\nd\ne\n", do: func(w *world) { w.e.Type(w.uri("a.go"), 4, 4, "x\n") }, want: "conflicted: conflicted", at: "x\n"},
		{name: "an insertion between lines that are edited stays", from: base, to: "a\nb\nX\nc\nd\ne\n", do: func(w *world) {
			typing("b", "bb")(w)
			typing("d", "dd")(w)
		}, want: "pending: pending", at: ""},
		{name: "an insertion whose surroundings are deleted is a conflict", from: base, to: "a\nb\nX\nc\nd\ne\n", do: typing("b\nc\n", ""), want: "conflicted: conflicted", at: ""},
		{name: "and undoing that gives it back", from: base, to: "a\nb\nX\nc\nd\ne\n", do: func(w *world) {
			typing("b\nc\n", "")(w)
			w.e.Undo()
		}, want: "pending: pending", at: ""},
		{name: "a removal done by hand is accepted", from: base, to: "a\nb\nd\ne\n", do: typing("c\n", ""), want: "accepted: accepted", at: ""},
		{name: "a removal inside a larger one is a conflict", from: base, to: "a\nb\nd\ne\n", do: typing("b\nc\nd\n", ""), want: "conflicted: conflicted", at: ""},
		{name: "a last line without an end is replaced", from: "a\nb", to: "a\nb\nc\n", do: func(w *world) { w.decide("set1", 1, ledger.Accept) }, want: "accepted: accepted", at: "b\nc\n"},
		{name: "CRLF is kept", from: "a\r\nb\r\n", to: "a\r\nB\r\n", do: func(w *world) { w.decide("set1", 1, ledger.Accept) }, want: "accepted: accepted", at: "B\r\n"},
		{name: "an empty document", from: "", to: "a\n", do: func(w *world) { w.decide("set1", 1, ledger.Accept) }, want: "accepted: accepted", at: "a\n"},
	} {
		for _, whole := range []bool{false, true} {
			t.Run(fmt.Sprint(c.name, ", whole text reported: ", whole), func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					w := newWorld(t)
					w.e.Whole = whole
					if c.to == "" {
						c.from, c.to = base, strings.ToUpper(base[4:5])
						c.to = replaceOnce(base, "c", c.to)
					}
					w.open("a.go", c.from)
					w.propose("a.go", c.to)
					c.do(w)
					w.pause()
					w.want("the states", w.states("set1"), c.want)
					cs, _ := w.l.Get("set1")
					h := cs.Files[0].Hunks[0]
					w.want("the text there", w.text("a.go")[h.A:h.B], c.at)
					if got := ide.NewText(w.text("a.go")).Range(h.A, h.B, ide.UTF16); got != h.Range {
						t.Errorf("its range is %v, want %v", h.Range, got)
					}
				})
			})
		}
	}
}

func typing(old, new string) func(w *world) {
	return func(w *world) { w.typed("a.go", old, new) }
}

func TestAcceptWithTheUsersText(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t)
		w.open("a.go", numbered(9))
		w.propose("a.go", capitals(numbered(9), 5))
		text := "mine"
		w.resolve(ledger.Decision{ChangeSetID: "set1", HunkID: "set1.1", Action: ledger.Accept, Text: &text})
		w.want("the text", w.text("a.go"), replaceOnce(numbered(9), "line 5\n", "mine\n"))
		cs, _ := w.l.Get("set1")
		if h := cs.Files[0].Hunks[0]; h.NewText != "mine\n" || !h.Edited || h.State != ledger.Accepted {
			t.Errorf("got %+v", h)
		}
		w.e.Undo()
		w.want("undone", w.states("set1"), "pending: pending edited")
		w.decide("set1", 1, ledger.Accept)
		w.decide("set1", 1, ledger.Reject)
		w.want("rejected", w.text("a.go"), numbered(9))
	})
}

func TestHunksOnTopOfPendingOnes(t *testing.T) {
	base := numbered(9)
	first := capitals(base, 5)
	second := replaceOnce(first, "LINE 5\n", "LINE 5\nmore\n")
	for _, c := range []struct {
		name string
		do   func(w *world)
		want string // the states of both
		text string
	}{
		{name: "both are pending", do: func(*world) {}, want: "pending: pending, pending: pending", text: base},
		{name: "accepting the later one accepts both in one edit", do: func(w *world) {
			w.decide("set2", 0, ledger.Accept)
			if len(w.e.Edits()) != 1 {
				w.t.Errorf("%d edits", len(w.e.Edits()))
			}
		}, want: "accepted: accepted, accepted: accepted", text: second},
		{name: "undoing that makes both pending", do: func(w *world) {
			w.decide("set2", 0, ledger.Accept)
			w.e.Undo()
		}, want: "pending: pending, pending: pending", text: base},
		{name: "accepting the earlier one leaves the later pending", do: func(w *world) { w.decide("set1", 0, ledger.Accept) }, want: "accepted: accepted, pending: pending", text: first},
		{name: "and then the later one", do: func(w *world) {
			w.decide("set1", 0, ledger.Accept)
			w.decide("set2", 0, ledger.Accept)
		}, want: "accepted: accepted, accepted: accepted", text: second},
		{name: "rejecting the earlier one rejects the later", do: func(w *world) { w.decide("set1", 0, ledger.Reject) }, want: "rejected: rejected, rejected: rejected", text: base},
		{name: "which stays rejected when the earlier is reopened", do: func(w *world) {
			w.decide("set1", 0, ledger.Reject)
			w.decide("set1", 0, ledger.Reopen)
		}, want: "pending: pending, rejected: rejected", text: base},
		{name: "and can be reopened too", do: func(w *world) {
			w.decide("set1", 0, ledger.Reject)
			w.decide("set1", 0, ledger.Reopen)
			w.decide("set2", 0, ledger.Reopen)
		}, want: "pending: pending, pending: pending", text: base},
		{name: "leaving the later one supersedes it", do: func(w *world) {
			w.resolve(ledger.Decision{ChangeSetID: "set1", Action: ledger.Reject, Leave: true})
		}, want: "rejected: rejected, superseded: superseded", text: base},
		{name: "and reopening the earlier one restores it", do: func(w *world) {
			w.resolve(ledger.Decision{ChangeSetID: "set1", Action: ledger.Reject, Leave: true})
			w.decide("set1", 0, ledger.Reopen)
		}, want: "pending: pending, pending: pending", text: base},
		{name: "typing inside the earlier one supersedes the later", do: func(w *world) {
			w.typed("a.go", "line 5", "line five")
			w.pause()
		}, want: "conflicted: conflicted, conflicted: conflicted", text: replaceOnce(base, "line 5", "line five")},
		{name: "rejecting the later one after both were accepted leaves the earlier", do: func(w *world) {
			w.decide("set2", 0, ledger.Accept)
			w.decide("set2", 0, ledger.Reject)
		}, want: "accepted: accepted, rejected: rejected", text: first},
		{name: "undoing the earlier one undoes both in one edit", do: func(w *world) {
			w.decide("set2", 0, ledger.Accept)
			w.decide("set1", 0, ledger.Undo)
			if len(w.e.Edits()) != 2 {
				w.t.Errorf("%d edits", len(w.e.Edits()))
			}
		}, want: "rejected: rejected, rejected: rejected", text: base},
		{name: "reopening the earlier one reopens both", do: func(w *world) {
			w.decide("set2", 0, ledger.Accept)
			w.decide("set1", 0, ledger.Reopen)
		}, want: "pending: pending, pending: pending", text: base},
		{name: "not once the user has changed the later one", do: func(w *world) {
			w.decide("set2", 0, ledger.Accept)
			w.typed("a.go", "more", "mine")
			if r := w.decide("set1", 0, ledger.Undo); len(r.Conflicts) != 1 {
				w.t.Errorf("got %+v", r)
			}
		}, want: "accepted: accepted, accepted: accepted edited", text: replaceOnce(second, "more", "mine")},
		{name: "both by their own decisions", do: func(w *world) {
			w.decide("set2", 0, ledger.Accept)
			w.resolve(ledger.Decision{ChangeSetID: "set2", Action: ledger.Reject}, ledger.Decision{ChangeSetID: "set1", Action: ledger.Reject})
		}, want: "rejected: rejected, rejected: rejected", text: base},
	} {
		t.Run(c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				w := newWorld(t)
				w.open("a.go", base)
				w.propose("a.go", first)
				w.want("the view", w.view("a.go").Text.String(), first)
				w.propose("a.go", second)
				w.want("the view", w.view("a.go").Text.String(), second)
				c.do(w)
				w.want("the states", w.states("set1")+", "+w.states("set2"), c.want)
				w.want("the text", w.text("a.go"), c.text)
			})
		})
	}
}

func TestProposalFromOlderText(t *testing.T) {
	w := newWorld(t)
	base := numbered(25)
	w.open("a.go", base)
	f := w.view("a.go")
	w.typed("a.go", "line 3\n", "typed\nline 3\n")
	w.typed("a.go", "line 20\n", "line twenty\n")
	w.proposeFile(ledger.Proposed{Path: f.Path, Op: ledger.Modify, Base: f, New: capitals(base, 10, 20)})
	w.want("the states", w.states("set1"), "pending: pending conflicted")
	w.decide("set1", 0, ledger.Accept)
	w.want("the text", w.text("a.go"), "line 1\nline 2\ntyped\n"+strings.TrimPrefix(capitals(replaceOnce(base, "line 20\n", "line twenty\n"), 10), "line 1\nline 2\n"))
}

func TestDecidedWaitsForEveryHunk(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t)
		w.open("a.go", numbered(25))
		w.propose("a.go", capitals(numbered(25), 3, 20))
		type answer struct {
			state    ledger.State
			comments []string
			err      error
		}
		got := make(chan answer, 1)
		go func() {
			cs, comments, err := w.l.Decided(t.Context(), "set1")
			got <- answer{cs.State, comments, err}
		}()
		_, err := w.l.Resolve(t.Context(), []ledger.Decision{{ChangeSetID: "set1", HunkID: "set1.1", Action: ledger.Accept}}, "good")
		if err != nil {
			t.Fatal(err)
		}
		synctest.Wait()
		if len(got) != 0 {
			t.Fatal("Decided did not wait")
		}
		_, _ = w.l.Resolve(t.Context(), []ledger.Decision{{ChangeSetID: "set1", HunkID: "set1.2", Action: ledger.Reject}}, "not so")
		if a := <-got; !reflect.DeepEqual(a, answer{ledger.Partial, []string{"good", "not so"}, nil}) {
			t.Errorf("got %+v", a)
		}
		w.propose("a.go", w.text("a.go")+"x\n")
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		if _, _, err := w.l.Decided(ctx, "set2"); !errors.Is(err, context.Canceled) {
			t.Errorf("cancelled: got %v", err)
		}
	})
}

// Whoever waits for decisions acts on them, so they must be those of one moment.
func TestDecidedReturnsNoPendingHunk(t *testing.T) {
	w := newWorld(t)
	w.open("a.go", numbered(9))
	w.propose("a.go", capitals(numbered(9), 5))
	const waiters = 8 // so that one of them stands between the others and the ledger
	got := make(chan error, waiters)
	wait := func() {
		for {
			switch cs, _, err := w.l.Decided(t.Context(), "set1"); {
			case err != nil || cs.State == ledger.Accepted:
				got <- err
				return
			case cs.State != ledger.Rejected:
				got <- fmt.Errorf("the state is %s", cs.State)
				return
			}
		}
	}
	for range waiters {
		go wait()
	}
	for range 2000 {
		w.decide("set1", 1, ledger.Reject)
		w.decide("set1", 1, ledger.Reopen)
	}
	w.decide("set1", 1, ledger.Accept)
	for range waiters {
		if err := <-got; err != nil {
			t.Error(err)
		}
	}
}

func TestUnknownNames(t *testing.T) {
	w := newWorld(t)
	w.open("a.go", numbered(9))
	w.propose("a.go", capitals(numbered(9), 5))
	_, err := w.l.Get("x")
	_, _, err2 := w.l.Decided(t.Context(), "x")
	errs := []error{err, err2}
	for _, d := range []ledger.Decision{
		{ChangeSetID: "x", Action: ledger.Accept},
		{ChangeSetID: "set1", HunkID: "x", Action: ledger.Accept},
		{ChangeSetID: "set1", URI: "file:///x", Action: ledger.Accept},
	} {
		_, err := w.l.Resolve(t.Context(), []ledger.Decision{{ChangeSetID: "set1", Action: ledger.Reject}, d}, "")
		errs = append(errs, err)
	}
	for _, err := range errs {
		if !errors.Is(err, ledger.ErrUnknown) {
			t.Errorf("got %v", err)
		}
	}
	w.want("nothing was decided", w.states("set1"), "pending: pending")
}

func TestWatchersSeeEveryStateInOrder(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t)
		var l []string
		w.l.Watch(func(cs ledger.ChangeSet, rangesOnly bool) {
			h := cs.Files[0].Hunks[0]
			l = append(l, fmt.Sprintf("%s %s %d %v", cs.State, h.State, h.Range.Start.Line, rangesOnly))
		})
		w.open("a.go", numbered(9))
		w.propose("a.go", capitals(numbered(9), 5))
		w.e.Type(w.uri("a.go"), 0, 0, "x\n")
		w.e.Type(w.uri("a.go"), 0, 0, "y")
		w.decide("set1", 0, ledger.Accept)
		w.e.Undo()
		w.decide("set1", 0, ledger.Reject)
		want := []string{"pending pending 4 false", "pending pending 5 true", "accepted accepted 5 false", "pending pending 5 false", "rejected rejected 5 false"}
		if !reflect.DeepEqual(l, want) {
			t.Errorf("got %q, want %q", l, want)
		}
	})
}
