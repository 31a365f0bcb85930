package ledger_test

import (
	"context"
	"errors"
	"os"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/emendo-dev/emendo/ide"
	"github.com/emendo-dev/emendo/ide/idetest"
	"github.com/emendo-dev/emendo/ide/ledger"
)

// noted collects the states in notifications, one string for each.
func (w *world) noted() *[]string {
	var l []string
	w.l.Watch(func(cs ledger.ChangeSet, rangesOnly bool) {
		if rangesOnly {
			return
		}
		var states []string
		for _, f := range cs.Files {
			for _, h := range f.Hunks {
				states = append(states, string(h.State))
			}
		}
		l = append(l, strings.Join(states, " "))
	})
	return &l
}

func TestStateIsStableDuringAnEdit(t *testing.T) {
	base := numbered(25)
	for _, c := range []struct {
		name   string
		to     string
		answer func(w *world) idetest.Answer
		want   string
	}{
		{"reported in pieces", capitals(base, 3, 20), func(*world) idetest.Answer { return idetest.Answer{Pieces: time.Second} }, "accepted accepted"},
		{"reported after the answer", capitals(base, 3, 20), func(*world) idetest.Answer { return idetest.Answer{Echo: time.Second} }, "accepted accepted"},
		{"a deletion at the end, in pieces", strings.TrimSuffix(base, "line 24\nline 25\n"), func(*world) idetest.Answer { return idetest.Answer{Pieces: time.Second} }, "accepted"},
		{"all reported except the answer, and the user types into a hunk", capitals(base, 3, 20), func(w *world) idetest.Answer {
			return idetest.Answer{AfterEcho: func() { w.typed("a.go", "LINE 3\n", "mine\n") }}
		}, "accepted accepted"},
	} {
		t.Run(c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				w := newWorld(t)
				w.open("a.go", base)
				w.propose("a.go", c.to)
				w.e.OnEdit = func(int, ide.Edit) idetest.Answer { return c.answer(w) }
				noted := w.noted()
				w.decide("set1", 0, ledger.Accept)
				if want := []string{c.want}; !slices.Equal(*noted, want) {
					t.Errorf("the updates are %q, want %q", *noted, want)
				}
			})
		})
	}
}

// An editor may add or remove a final line end.
func TestFinalLineEndBelongsToTheEditor(t *testing.T) {
	for _, c := range []struct {
		name, from, to, comes string
		want                  string
	}{
		{"appended, one more", "a\n", "a\nb\n", "a\nb\n\n", "accepted: accepted"},
		{"the only line, one more", "a\n", "b\n", "b\n\n", "accepted: accepted"},
		{"the last line without an end, one more", "a\nb", "a\nB", "a\nB\n", "accepted: accepted"},
		{"into an empty file, one more", "", "a\n", "a\n\n", "accepted: accepted"},
		{"one less", "a\nb\n", "a\nB\n", "a\nB", "accepted: accepted"},
		{"all deleted, a line stays", "a\nb\n", "", "\n", "accepted: accepted"},
		{"the last deleted, one less", "a\nb\n", "a\n", "a", "accepted: accepted"},
		{"carriage returns too", "a\r\n", "a\r\nb\r\n", "a\r\nb\r\n\r\n", "accepted: accepted"},
		{"two more are not", "a\n", "a\nb\n", "a\nb\n\n\n", "conflicted: conflicted"},
		{"another last line is not", "a\nb", "a\nB", "a\nBB", "conflicted: conflicted"},
		{"the line end that it is about is not there", "a\n", "a", "a\n ", "conflicted: conflicted"},
	} {
		t.Run(c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				w := newWorld(t)
				w.open("a.go", c.from)
				w.propose("a.go", c.to)
				w.e.OnEdit = func(int, ide.Edit) idetest.Answer {
					return idetest.Answer{Before: func() { w.e.Type(w.uri("a.go"), 0, len(c.from), c.comes) }, Lie: true}
				}
				w.decide("set1", 0, ledger.Accept)
				w.pause()
				w.want("the states", w.states("set1"), c.want)
				if n := len(w.e.Edits()); n != 1 {
					t.Errorf("%d edits, want 1", n)
				}
			})
		})
	}
}

func TestHalfTypedHunkIsDecidedWhenTheUserPauses(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t)
		w.open("a.go", numbered(9))
		w.propose("a.go", capitals(numbered(9), 5))
		noted := w.noted()
		decided := make(chan ledger.ChangeSet, 1)
		go func() {
			cs, _, _ := w.l.Decided(t.Context(), "set1")
			decided <- cs
		}()
		for _, letter := range "slowly" {
			w.typed("a.go", "line 5", string(letter)+"line 5")
			time.Sleep(time.Second)
			w.want("while the user types", w.states("set1"), "pending: pending")
		}
		if f := w.view("a.go"); !strings.Contains(f.Text.String(), "slowlyline 5\n") {
			t.Errorf("the model would edit %q", f.Text.String())
		}
		w.pause()
		w.want("after the pause", w.states("set1"), "conflicted: conflicted")
		if cs := <-decided; cs.State != ledger.Conflicted {
			t.Errorf("it was decided as %s", cs.State)
		}
		w.typed("a.go", "slowlyline 5", "line 5")
		w.want("undone", w.states("set1"), "pending: pending")
		w.typed("a.go", "line 5", "LINE 5")
		w.want("its new text typed", w.states("set1"), "accepted: accepted")
		if want := []string{"conflicted", "pending", "accepted"}; !slices.Equal(*noted, want) {
			t.Errorf("the updates are %q, want %q", *noted, want)
		}
	})
}

func TestAcceptingAHalfTypedHunkIsAConflict(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t)
		w.open("a.go", numbered(9))
		w.propose("a.go", capitals(numbered(9), 5))
		w.typed("a.go", "line 5", "my line 5")
		if r := w.decide("set1", 0, ledger.Accept); len(r.Conflicts) != 1 || len(w.e.Edits()) != 0 {
			t.Errorf("got %+v and %d edits", r, len(w.e.Edits()))
		}
		w.want("the states", w.states("set1"), "conflicted: conflicted")
	})
}

// Editors show a new file as one empty line or as no text.
func TestFileToBeCreatedCanBeOpened(t *testing.T) {
	for _, blank := range []string{"", "\n", "\r\n"} {
		synctest.Test(t, func(t *testing.T) {
			w := newWorld(t)
			w.whole("new.go", ledger.Create, "a\nb\n", "")
			uri := w.uri("new.go")
			w.e.Open(uri, blank)
			w.want("opened", w.states("set1"), "pending: pending")
			w.decide("set1", 0, ledger.Accept)
			w.want("accepted", w.states("set1"), "accepted: accepted")
			w.want("the buffer", w.text("new.go"), "a\nb\n")
			w.want("the disk", w.disk("new.go"), "missing")
			w.decide("set1", 0, ledger.Reject)
			w.want("rejected", w.states("set1"), "rejected: rejected")
			w.want("the buffer", w.text("new.go"), "")
			w.decide("set1", 0, ledger.Reopen)
			w.e.Close(uri)
			w.want("closed", w.states("set1"), "pending: pending")
			w.decide("set1", 0, ledger.Accept)
			w.want("the disk", w.disk("new.go"), "a\nb\n")
		})
	}
}

func TestFailedAcceptCanBeRepeated(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t)
		w.write("a.go", numbered(9))
		w.propose(w.path("a.go"), capitals(numbered(9), 5))
		if err := os.Chmod(w.path("a.go"), 0o444); err != nil {
			t.Fatal(err)
		}
		r := w.decide("set1", 0, ledger.Accept)
		if len(r.Conflicts) != 1 || r.Conflicts[0].Err == nil || !strings.Contains(r.Conflicts[0].Reason, "could not be written") {
			t.Fatalf("got %+v", r)
		}
		cs, _, err := w.l.Decided(t.Context(), "set1")
		if h := cs.Files[0].Hunks[0]; err != nil || h.State != ledger.Conflicted || h.Err == nil {
			t.Errorf("it was decided as %+v, %v", h, err)
		}
		if err := os.Chmod(w.path("a.go"), 0o644); err != nil {
			t.Fatal(err)
		}
		w.decide("set1", 0, ledger.Accept)
		w.want("accepted again", w.states("set1"), "accepted: accepted")
		w.want("the disk", w.disk("a.go"), capitals(numbered(9), 5))
	})
}

// A rewind and a decision do not edit at the same time. Hunks in the documents of a
// rewind are judged when it is over.
func TestOneEditAtATime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t)
		w.open("a.go", numbered(9))
		w.propose("a.go", capitals(numbered(9), 5))
		running, most := 0, 0
		w.e.OnEdit = func(int, ide.Edit) idetest.Answer {
			running++
			most = max(most, running)
			return idetest.Answer{Echo: time.Second, Before: func() { time.Sleep(time.Second); running-- }}
		}
		done := make(chan error)
		go func() {
			d := w.w.Snapshot().Documents()[0]
			done <- w.l.Apply(context.Background(), ide.Edit{Files: []ide.FileEdit{{Document: d, Splices: []ide.Splice{{A: 0, B: 0, Text: "first\n"}}}}})
		}()
		synctest.Wait()
		w.decide("set1", 0, ledger.Accept)
		if err := <-done; err != nil {
			t.Error(err)
		}
		w.e.Wait()
		w.want("the text", w.text("a.go"), "first\n"+capitals(numbered(9), 5))
		if most != 1 {
			t.Errorf("%d concurrent edits", most)
		}
		w.e.OnEdit = func(int, ide.Edit) idetest.Answer { return idetest.Answer{Refuse: ide.ErrRefused} }
		d := w.w.Snapshot().Documents()[0]
		err := w.l.Apply(t.Context(), ide.Edit{Files: []ide.FileEdit{{Document: d, Splices: []ide.Splice{{A: 0, B: 6}}}}})
		if !errors.Is(err, ide.ErrRefused) {
			t.Errorf("refused: got %v", err)
		}
	})
}
