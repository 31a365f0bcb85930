package ledger_test

import (
	"errors"
	"fmt"
	"os"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/emendo-dev/emendo/ide/ledger"
)

// restored restores the change sets of one ledger in another for the same folder,
// after do has changed the folder.
func restored(t *testing.T, w *world, do func(w *world)) *world {
	t.Helper()
	sets := w.l.List("", "", "")
	next := *w
	do(&next)
	n := newWorldIn(t, w.dir)
	if err := n.l.Restore(t.Context(), sets); err != nil {
		t.Fatal(err)
	}
	return n
}

func TestRestore(t *testing.T) {
	base := numbered(25)
	added := replaceOnce(base, "line 9\n", "line 9\nadded\n")
	for _, c := range []struct {
		name, to string
		before   func(w *world) // in the first process
		between  func(w *world)
		want     string
		disk     string // after accepting all
	}{
		{name: "pending hunks are pending", to: capitals(base, 3, 20), want: "pending: pending pending", disk: capitals(base, 3, 20)},
		{
			name: "where their text has moved to", to: capitals(base, 3, 20), want: "pending: pending pending",
			between: func(w *world) { w.write("a.go", "more\n"+base) }, disk: "more\n" + capitals(base, 3, 20),
		},
		{
			name: "text that is gone is a conflict", to: capitals(base, 3, 20), want: "pending: pending conflicted",
			between: func(w *world) { w.write("a.go", replaceOnce(base, "line 20\n", "x\n")) },
			disk:    replaceOnce(capitals(base, 3), "line 20\n", "x\n"),
		},
		{
			name: "text that stands twice is a conflict", to: capitals(base, 3, 20), want: "pending: pending conflicted",
			between: func(w *world) { w.write("a.go", base+"line 20\n") }, disk: capitals(base, 3) + "line 20\n",
		},
		{
			name: "an insertion is found by the lines around it", to: added, want: "pending: pending",
			between: func(w *world) { w.write("a.go", "more\n"+base) }, disk: "more\n" + added,
		},
		{
			name: "or not at all", to: added, want: "conflicted: conflicted",
			between: func(w *world) { w.write("a.go", replaceOnce(base, "line 10\n", "ten\n")) }, disk: replaceOnce(base, "line 10\n", "ten\n"),
		},
		{
			name: "decided hunks stay as they are", to: capitals(base, 3, 20), want: "partial: accepted rejected",
			before: func(w *world) {
				w.decide("set1", 1, ledger.Accept)
				w.decide("set1", 2, ledger.Reject)
			}, disk: capitals(base, 3),
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				w := newWorld(t)
				w.write("a.go", base)
				w.propose("a.go", c.to)
				if c.before != nil {
					c.before(w)
				}
				n := restored(t, w, func(w *world) {
					if c.between != nil {
						c.between(w)
					}
				})
				n.want("the states", n.states("set1"), c.want)
				n.decide("set1", 0, ledger.Accept)
				n.want("the disk", n.disk("a.go"), c.disk)
			})
		})
	}
}

// A hunk that was accepted with the user's edit and then undone is pending with that
// edit.
func TestUndoneEditedHunkIsPendingAfterARestart(t *testing.T) {
	base := numbered(25)
	for _, c := range []struct{ name, to, old, own, text string }{
		{"lines that are added", replaceOnce(base, "line 9\n", "line 9\nadded\n"), "", "added # own\n", replaceOnce(base, "line 9\n", "line 9\nadded # own\n")},
		{"lines that are added, beside others", replaceOnce(replaceOnce(base, "line 9\n", "line 9\nadded\n"), "line 20\n", "line 20\nmore\n"), "", "added # own\n", replaceOnce(base, "line 9\n", "line 9\nadded # own\n")},
		{"lines that are changed", capitals(base, 9), "line 9\n", "LINE 9 # own\n", replaceOnce(base, "line 9\n", "LINE 9 # own\n")},
		{"lines that are removed", replaceOnce(base, "line 9\n", ""), "line 9\n", "# own\n", replaceOnce(base, "line 9\n", "# own\n")},
	} {
		t.Run(c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				w := newWorld(t)
				w.open("a.go", base)
				w.propose("a.go", c.to)
				hunk := w.l.List("", "", "")[0].Files[0].Hunks[0].ID
				w.resolve(ledger.Decision{ChangeSetID: "set1", HunkID: hunk, Action: ledger.Accept, Text: &c.own})
				w.want("the text", w.text("a.go"), c.text)
				w.typed("a.go", c.own, c.old)
				w.pause()
				before := w.states("set1")
				w.write("a.go", base)
				n := restored(t, w, func(*world) {})
				if n.want("the states", n.states("set1"), before); !strings.HasPrefix(before, "pending: pending edited") {
					t.Errorf("before it was %s", before)
				}
				n.decide("set1", 1, ledger.Accept)
				n.want("the disk", n.disk("a.go"), c.text)
			})
		})
	}
}

func TestRestoreOfHunksOnTopOfOthers(t *testing.T) {
	w := newWorld(t)
	base := numbered(9)
	w.write("a.go", base)
	w.write("b.go", base)
	first := capitals(base, 5)
	second := replaceOnce(first, "LINE 5\n", "LINE 5\nmore\n")
	w.propose("a.go", first)
	w.propose("a.go", second)
	w.whole("n.go", ledger.Create, "new\n", "")
	w.propose("n.go", "newer\n")
	n := restored(t, w, func(*world) {})
	n.want("the later one", n.states("set2"), "pending: pending")
	n.decide("set2", 0, ledger.Accept)
	n.decide("set4", 0, ledger.Accept)
	n.want("a.go", n.disk("a.go"), second)
	n.want("n.go", n.disk("n.go"), "newer\n")
	if err := n.l.Restore(t.Context(), w.l.List("", "", "")); err != nil {
		t.Fatal(err)
	}
	n.want("what is known already", n.states("set2"), "accepted: accepted")
}

func TestAcceptedHunksCanBeUndoneAfterARestart(t *testing.T) {
	w := newWorld(t)
	w.write("a.go", numbered(25))
	w.propose("a.go", capitals(numbered(25), 3, 20))
	w.decide("set1", 0, ledger.Accept)
	n := restored(t, w, func(*world) {})
	n.decide("set1", 1, ledger.Reject)
	n.want("the disk", n.disk("a.go"), capitals(numbered(25), 20))
	n.want("the states", n.states("set1"), "partial: rejected accepted")
}

func TestAcceptedHunksAreFollowedAfterARestart(t *testing.T) {
	base := numbered(25)
	two := capitals(base, 3, 20)
	for _, c := range []struct {
		name, to string
		between  string // the document when the new process sees it; "" as it was left
		late     bool   // it is opened after the session was loaded
		do       func(w *world)
		text     string
		want     string
	}{
		{name: "and stay accepted", to: two, do: func(*world) {}, text: two, want: "accepted: accepted accepted"},
		{name: "undone they are pending", to: two, do: func(w *world) { w.typed("a.go", "LINE 3\n", "line 3\n") }, text: capitals(base, 20), want: "pending: pending accepted"},
		{name: "and redone accepted", to: two, do: func(w *world) {
			w.typed("a.go", "LINE 3\n", "line 3\n")
			w.e.Undo()
		}, text: two, want: "accepted: accepted accepted"},
		{name: "an undone one is rejected without a change of the text", to: two, do: func(w *world) {
			w.typed("a.go", "LINE 3\n", "line 3\n")
			w.decide("set1", 1, ledger.Reject)
		}, text: capitals(base, 20), want: "partial: rejected accepted"},
		{name: "and rejecting undoes them", to: two, do: func(w *world) { w.decide("set1", 0, ledger.Reject) }, text: base, want: "rejected: rejected rejected"},
		{name: "where their text has moved to", to: two, between: "more\n" + two, do: func(w *world) { w.typed("a.go", "LINE 20\n", "line 20\n") }, text: "more\n" + capitals(base, 3), want: "pending: accepted pending"},
		{name: "in a document that is opened later", to: two, late: true, do: func(w *world) { w.typed("a.go", "LINE 3\n", "line 3\n") }, text: capitals(base, 20), want: "pending: pending accepted"},
		{name: "typed into they are edited", to: two, do: func(w *world) { w.typed("a.go", "LINE 3\n", "mine\n") }, text: replaceOnce(capitals(base, 20), "line 3\n", "mine\n"), want: "accepted: accepted edited accepted"},
		{name: "text that stands twice is left decided", to: two, between: two + "LINE 3\n", do: func(w *world) { w.typed("a.go", "line 2\nLINE 3\n", "line 2\nline 3\n") }, text: capitals(base, 20) + "LINE 3\n", want: "accepted: accepted accepted"},
		{name: "and so is text that is gone", to: two, between: base, do: func(w *world) { w.typed("a.go", "line 3\n", "x\n") }, text: replaceOnce(base, "line 3\n", "x\n"), want: "accepted: accepted accepted"},
		{name: "a deletion is found by the lines around it", to: replaceOnce(base, "line 9\n", ""), do: func(w *world) { w.e.Type(w.uri("a.go"), 56, 56, "line 9\n") }, text: base, want: "pending: pending"},
		{name: "an insertion", to: replaceOnce(base, "line 9\n", "line 9\nadded\n"), do: func(w *world) { w.typed("a.go", "added\n", "") }, text: base, want: "pending: pending"},
	} {
		t.Run(c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				w := newWorld(t)
				w.open("a.go", base)
				w.propose("a.go", c.to)
				w.decide("set1", 0, ledger.Accept)
				if c.between == "" {
					c.between = w.text("a.go")
				}
				n := newWorldIn(t, w.dir)
				if !c.late {
					n.open("a.go", c.between)
				}
				if err := n.l.Restore(t.Context(), w.l.List("", "", "")); err != nil {
					t.Fatal(err)
				}
				if c.late {
					n.open("a.go", c.between)
				}
				c.do(n)
				n.e.Wait()
				n.want("the text", n.text("a.go"), c.text)
				n.want("the states", n.states("set1"), c.want)
			})
		})
	}
}

func TestReplacedFileIsNotRemoved(t *testing.T) {
	for _, c := range []struct{ name, now, want, states string }{
		{name: "as it was made", now: "new\n", want: "missing", states: "rejected: rejected"},
		{name: "changed since", now: "new\nmine\n", want: "new\nmine\n", states: "accepted: accepted edited"},
		{name: "removed", now: "missing", want: "missing", states: "rejected: rejected"},
	} {
		t.Run(c.name, func(t *testing.T) {
			w := newWorld(t)
			w.whole("n.go", ledger.Create, "new\n", "")
			w.decide("set1", 0, ledger.Accept)
			n := restored(t, w, func(w *world) {
				if c.now == "missing" {
					os.Remove(w.path("n.go"))
				} else {
					w.write("n.go", c.now)
				}
			})
			n.decide("set1", 0, ledger.Reject)
			n.want("the disk", n.disk("n.go"), c.want)
			n.want("the states", n.states("set1"), c.states)
		})
	}
}

func TestForgettingASessionKeepsTheOthers(t *testing.T) {
	w := newWorld(t)
	w.open("a.go", numbered(25))
	w.propose("a.go", capitals(numbered(25), 3, 20))
	w.decide("set1", 1, ledger.Accept)
	f, err := w.l.View(t.Context(), "other", "a.go")
	if err != nil {
		t.Fatal(err)
	}
	cs, err := w.l.Propose(t.Context(), ledger.Proposal{SessionID: "other", Files: []ledger.Proposed{{
		Path: w.path("a.go"), Op: ledger.Modify, Base: f, New: capitals(w.text("a.go"), 9, 20),
	}}})
	if err != nil {
		t.Fatal(err)
	}
	var seen []string
	w.l.Watch(func(cs ledger.ChangeSet, _ bool) {
		seen = append(seen, fmt.Sprintf("%s %s %t", cs.ID, cs.State, cs.Gone))
	})
	if err := w.l.Forget(t.Context(), "s"); err != nil {
		t.Fatal(err)
	}
	w.want("the notifications", strings.Join(seen, ", "), "set1 partial false, set1  true")
	if l := w.l.List("", "", ""); len(l) != 1 || l[0].ID != cs.ID {
		t.Errorf("left: %+v", l)
	}
	if _, _, err := w.l.Decided(t.Context(), "set1"); !errors.Is(err, ledger.ErrUnknown) {
		t.Errorf("its change set: %v", err)
	}
	w.decide(cs.ID, 0, ledger.Accept)
	w.want("the text", w.text("a.go"), capitals(numbered(25), 3, 9, 20))
}

func TestOldDecidedHunksStay(t *testing.T) {
	w := newWorld(t)
	w.e.Open("untitled:a", numbered(5))
	for i := range 1100 {
		w.propose("untitled:a", fmt.Sprintf("line 1\nline 2\nv%d\nline 4\nline 5\n", i))
		w.decide(fmt.Sprintf("set%d", i+1), 0, ledger.Reject)
	}
	w.e.Type("untitled:a", 0, 0, "moved\n")
	line := func(id string) uint32 {
		cs, err := w.l.Get(id)
		if err != nil {
			t.Fatal(err)
		}
		return cs.Files[0].Hunks[0].Range.Start.Line
	}
	if first, last := line("set1"), line("set1100"); first != 2 || last != 3 {
		t.Errorf("the first is at line %d, the last at %d", first, last)
	}
}
