package ledger_test

import (
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
			name: "rejecting a set without pending hunks takes back the accepted ones", do: func(w *world) {
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
