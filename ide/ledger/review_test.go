package ledger_test

import (
	"cmp"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/emendo-dev/emendo/ide/ledger"
)

func TestReview(t *testing.T) {
	base := numbered(25)
	for _, c := range []struct {
		name string
		do   func(w *world)
		text string // "" is the base
		want string // the states
	}{
		{name: "proposed hunks are pending and change nothing", do: func(*world) {}, want: "pending: pending pending pending pending"},
		{
			name: "an accepted hunk is in the text", do: func(w *world) { w.decide("set1", 2, ledger.Accept) },
			text: capitals(base, 9), want: "pending: pending accepted pending pending",
		},
		{
			name: "a rejected one is not", do: func(w *world) { w.decide("set1", 2, ledger.Reject) },
			want: "pending: pending rejected pending pending",
		},
		{
			name: "a reopened one is pending again", do: func(w *world) {
				w.decide("set1", 2, ledger.Reject)
				w.decide("set1", 2, ledger.Reopen)
			},
			want: "pending: pending pending pending pending",
		},
		{
			name: "accepting the set accepts what is pending", do: func(w *world) {
				w.decide("set1", 2, ledger.Reject)
				w.decide("set1", 0, ledger.Accept)
			},
			text: capitals(base, 3, 15, 21), want: "partial: accepted rejected accepted accepted",
		},
		{
			name: "rejecting an accepted hunk undoes exactly that", do: func(w *world) {
				w.decide("set1", 0, ledger.Accept)
				w.decide("set1", 2, ledger.Reject)
			},
			text: capitals(base, 3, 15, 21), want: "partial: accepted rejected accepted accepted",
		},
		{
			name: "reopening an accepted hunk undoes it and makes it pending", do: func(w *world) {
				w.decide("set1", 0, ledger.Accept)
				w.decide("set1", 2, ledger.Reopen)
			},
			text: capitals(base, 3, 15, 21), want: "pending: accepted pending accepted accepted",
		},
		{
			name: "rejecting a set without pending hunks undoes the accepted ones", do: func(w *world) {
				w.decide("set1", 0, ledger.Accept)
				w.decide("set1", 0, ledger.Reject)
			},
			want: "rejected: rejected rejected rejected rejected",
		},
		{
			name: "typing elsewhere leaves hunks alone", do: func(w *world) {
				w.typed("a.go", "line 1\n", "typed\nline 1\n")
				w.decide("set1", 1, ledger.Accept)
			},
			text: "typed\n" + capitals(base, 3), want: "pending: accepted pending pending pending",
		},
		{
			name: "typing inside a pending hunk is a conflict", do: func(w *world) {
				w.typed("a.go", "line 9", "line nine")
				w.decide("set1", 0, ledger.Accept)
				w.typed("a.go", "line nine", "line 9")
			},
			text: capitals(base, 3, 15, 21), want: "pending: accepted pending accepted accepted",
		},
		{
			name: "deleted lines with a hunk in them come back pending by undo", do: func(w *world) {
				text := w.text("a.go")
				w.e.Type(w.uri("a.go"), 14, len(text)-20, "")
				w.want("right after the deletion", w.states("set1"), "pending: pending pending pending pending")
				w.pause()
				w.want("after the deletion", w.states("set1"), "conflicted: conflicted conflicted conflicted conflicted")
				w.e.Undo()
			},
			want: "pending: pending pending pending pending",
		},
		{
			name: "undo after accept makes pending, redo accepted", do: func(w *world) {
				w.decide("set1", 0, ledger.Accept)
				w.e.Undo()
				w.want("after undo", w.states("set1"), "pending: pending pending pending pending")
				w.e.Redo()
			},
			text: capitals(base, 3, 9, 15, 21), want: "accepted: accepted accepted accepted accepted",
		},
		{
			name: "the new text typed by hand is accepted", do: func(w *world) { w.typed("a.go", "line 9", "LINE 9") },
			text: capitals(base, 9), want: "pending: pending accepted pending pending",
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				w := newWorld(t)
				w.open("a.go", base)
				w.propose("a.go", capitals(base, 3, 9, 15, 21))
				c.do(w)
				if c.text == "" {
					c.text = base
				}
				w.want("the text", w.text("a.go"), c.text)
				w.want("the states", w.states("set1"), c.want)
				w.want("the disk", w.disk("a.go"), base)
			})
		})
	}
}

func TestModelChangeIsNotAUserEdit(t *testing.T) {
	first := capitals(numbered(9), 4, 5)
	for _, c := range []struct {
		name, second string
		session      string // of the second change; "" is the first's
		do           func(w *world)
		want         string // of the first
		reason       string // why it cannot be undone
	}{
		{name: "in its text", second: replaceOnce(first, "LINE 5\n", "five\n"), want: "accepted: accepted"},
		{name: "over its edge", second: replaceOnce(first, "LINE 5\nline 6\n", "five\nsix\n"), want: "accepted: accepted"},
		{name: "all of it", second: replaceOnce(first, "LINE 4\nLINE 5\n", ""), want: "accepted: accepted"},
		{name: "by another session", session: "other", second: replaceOnce(first, "LINE 5\n", "five\n"), want: "accepted: accepted edited", reason: "it was edited"},
		{name: "and by the user too", second: replaceOnce(first, "LINE 5\n", "five\n"), do: func(w *world) { w.typed("a.go", "LINE 4\n", "mine\n") }, want: "accepted: accepted edited", reason: "it was edited"},
		{name: "and that by the user", second: replaceOnce(first, "LINE 5\n", "five\n"), do: func(w *world) { w.typed("a.go", "five\n", "5\n") }, want: "accepted: accepted edited", reason: "it was edited"},
		{name: "twice", second: replaceOnce(first, "LINE 5\n", "five\n"), do: func(w *world) {
			w.propose("a.go", replaceOnce(w.text("a.go"), "five\n", "5\n"))
			w.decide("set3", 0, ledger.Accept)
		}, want: "accepted: accepted"},
		{name: "and takes that back", second: replaceOnce(first, "LINE 5\n", "five\n"), do: func(w *world) { w.decide("set2", 0, ledger.Reject) }, want: "accepted: accepted"},
	} {
		t.Run(c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				w := newWorld(t)
				w.open("a.go", numbered(9))
				seen := map[string]bool{}
				w.l.Watch(func(cs ledger.ChangeSet, _ bool) { seen[cs.ID] = cs.Files[0].Hunks[0].Edited })
				w.propose("a.go", first)
				w.decide("set1", 0, ledger.Accept)
				p := ledger.Proposal{SessionID: cmp.Or(c.session, "s"), Files: []ledger.Proposed{{Path: w.path("a.go"), Op: ledger.Modify, Base: w.view("a.go"), New: c.second}}}
				if _, err := w.l.Propose(t.Context(), p); err != nil {
					t.Fatal(err)
				}
				w.decide("set2", 0, ledger.Accept)
				if c.do != nil {
					c.do(w)
					w.e.Wait()
				}
				w.want("the states", w.states("set1"), c.want)
				if seen["set1"] != strings.HasSuffix(c.want, "edited") {
					t.Errorf("reported as edited: %v", seen["set1"])
				}
				r := w.decide("set1", 0, ledger.Reject)
				var reason string
				if len(r.Conflicts) > 0 {
					reason = r.Conflicts[0].Reason
				}
				if !strings.HasPrefix(reason, c.reason) || c.reason == "" && reason != "" {
					t.Errorf("the reason against undoing is %q, want %q", reason, c.reason)
				}
				if c.reason == "" {
					w.want("the text without it", w.text("a.go"), numbered(9))
				}
			})
		})
	}
}

func TestFileRewrittenByTheModelIsNotAUserEdit(t *testing.T) {
	w := newWorld(t)
	w.whole("n.go", ledger.Create, "a\nb\nc\n", "")
	w.decide("set1", 0, ledger.Accept)
	w.propose("n.go", "a\nB\nc\n")
	w.decide("set2", 0, ledger.Accept)
	w.want("the states", w.states("set1"), "accepted: accepted")
	w.decide("set1", 0, ledger.Reject)
	w.want("what was changed in it", w.states("set2"), "rejected: rejected")
	w.want("the disk", w.disk("n.go"), "missing")
}
