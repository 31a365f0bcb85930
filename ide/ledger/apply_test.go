package ledger_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/emendo-dev/emendo/ide"
	"github.com/emendo-dev/emendo/ide/idetest"
	"github.com/emendo-dev/emendo/ide/ledger"
)

// script answers the nth edit with the nth answer, and applies later edits.
func script(l ...idetest.Answer) func(int, ide.Edit) idetest.Answer {
	return func(n int, _ ide.Edit) idetest.Answer {
		if n < len(l) {
			return l[n]
		}
		return idetest.Answer{}
	}
}

// typesOn returns n answers of an editor whose user types on: each comes
// after a time, and refuses the edit since a line has another text than before.
func typesOn(w *world, n int, each time.Duration) []idetest.Answer {
	var l []idetest.Answer
	from, to := "line 2\n", "line two\n"
	for range n {
		now, next := from, to
		l = append(l, idetest.Answer{Before: func() {
			<-time.After(each)
			w.typed("a.go", now, next)
		}})
		from, to = to, from
	}
	return l
}

func TestInvalidAnswerIsIgnored(t *testing.T) {
	base := numbered(25)
	done := capitals(base, 9)
	const unseen = "the editor reported the edit as done, but its text does not show it; try again"
	refuse, lie := idetest.Answer{Refuse: ide.ErrRefused}, idetest.Answer{Lie: true}
	for _, c := range []struct {
		name     string
		answers  func(w *world) []idetest.Answer
		text     string
		state    string
		edits    int
		conflict string
		within   time.Duration
	}{
		{name: "an edit that comes back is done", text: done, state: "accepted", edits: 1},
		{
			name: "text before the answer", answers: func(*world) []idetest.Answer { return []idetest.Answer{{}} },
			text: done, state: "accepted", edits: 1,
		},
		{
			name: "text after the answer", answers: func(*world) []idetest.Answer { return []idetest.Answer{{Echo: time.Second}} },
			text: done, state: "accepted", edits: 1, within: 2 * time.Second,
		},
		{
			name: "made after the answer", answers: func(*world) []idetest.Answer { return []idetest.Answer{{Late: time.Second}} },
			text: done, state: "accepted", edits: 1, within: 2 * time.Second,
		},
		{
			name: "made long after it was given up: not made twice, and accepted then", answers: func(*world) []idetest.Answer {
				return []idetest.Answer{{Late: 3 * time.Second}}
			},
			text: done, state: "accepted", edits: 1, within: 3 * time.Second, conflict: unseen,
		},
		{
			name: "refused once and twice", answers: func(*world) []idetest.Answer { return []idetest.Answer{refuse, refuse} },
			text: done, state: "accepted", edits: 3, within: time.Second,
		},
		{
			name: "refused three times", answers: func(*world) []idetest.Answer { return []idetest.Answer{refuse, refuse, refuse} },
			text: base, state: "conflicted", edits: 3, conflict: "the edit was not made: the editor refused the edit; try again", within: time.Second,
		},
		{
			name: "skipped and called done: not made a second time", answers: func(*world) []idetest.Answer { return []idetest.Answer{lie} },
			text: base, state: "conflicted", edits: 1, conflict: unseen, within: 3 * time.Second,
		},
		{
			name: "skipped and called done because the user typed elsewhere", answers: func(w *world) []idetest.Answer {
				return []idetest.Answer{{Before: func() { w.typed("a.go", "line 2\n", "line two\n") }, Lie: true}}
			},
			text: strings.Replace(done, "line 2\n", "line two\n", 1), state: "accepted", edits: 2, within: 3 * time.Second,
		},
		{
			name: "reported in pieces", answers: func(*world) []idetest.Answer { return []idetest.Answer{{Pieces: time.Second}} },
			text: done, state: "accepted", edits: 1, within: 2 * time.Second,
		},
		{
			name: "reported in pieces, the last too late: not repeated", answers: func(*world) []idetest.Answer { return []idetest.Answer{{Pieces: 3 * time.Second}} },
			text: done, state: "accepted", edits: 1, within: 3 * time.Second, conflict: "its text was changed in the editor; propose it again from the current text",
		},
		{
			name: "typing elsewhere on the way", answers: func(w *world) []idetest.Answer {
				return []idetest.Answer{{Before: func() { w.typed("a.go", "line 2\n", "line two\n") }}}
			},
			text: strings.Replace(done, "line 2\n", "line two\n", 1), state: "accepted", edits: 2, within: time.Second,
		},
		{
			name: "typing elsewhere on the way of many attempts", answers: func(w *world) []idetest.Answer {
				return typesOn(w, 12, 300*time.Millisecond)
			},
			text: done, state: "accepted", edits: 13, within: 4 * time.Second,
		},
		{
			name: "typing elsewhere without an end", answers: func(w *world) []idetest.Answer {
				return typesOn(w, 200, 300*time.Millisecond)
			},
			text: base, state: "conflicted", edits: 36,
			conflict: "the text of the file changed each time before the edit came; try again", within: 11 * time.Second,
		},
		{
			name: "typing inside on the way", answers: func(w *world) []idetest.Answer {
				return []idetest.Answer{{Before: func() { w.typed("a.go", "line 9\n", "line nine\n") }}}
			},
			text: strings.Replace(base, "line 9\n", "line nine\n", 1), state: "conflicted", edits: 1,
			conflict: "its text was changed in the editor; propose it again from the current text", within: time.Second,
		},
		{
			name: "typing after the text and before the answer", answers: func(w *world) []idetest.Answer {
				return []idetest.Answer{{AfterEcho: func() { w.typed("a.go", "LINE 9\n", "LINE nine\n") }}}
			},
			text: strings.Replace(done, "LINE 9\n", "LINE nine\n", 1), state: "accepted edited", edits: 1,
		},
		{
			name: "never answered", answers: func(*world) []idetest.Answer { return []idetest.Answer{{Never: true}} },
			text: done, state: "accepted", edits: 1, within: 3 * time.Second,
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				w := newWorld(t)
				w.open("a.go", base)
				w.propose("a.go", capitals(base, 9))
				if c.answers != nil {
					w.e.OnEdit = script(c.answers(w)...)
				}
				begin := time.Now()
				r := w.decide("set1", 1, ledger.Accept)
				if d := time.Since(begin); d > c.within {
					t.Errorf("the decision took %v, want at most %v", d, c.within)
				}
				w.e.Wait()
				w.want("the text", w.text("a.go"), c.text)
				w.want("the state", strings.SplitN(w.states("set1"), " ", 2)[1], c.state)
				if n := len(w.e.Edits()); n != c.edits {
					t.Errorf("%d edits, want %d", n, c.edits)
				}
				conflict, applied := "", 0
				if len(r.Conflicts) > 0 {
					conflict = r.Conflicts[0].Reason
					if r.Conflicts[0].Nearest == nil && r.Conflicts[0].Reason == unseen {
						t.Errorf("the conflict has no nearest passage")
					}
				} else {
					applied = 1
				}
				w.want("the conflict", conflict, c.conflict)
				if len(r.Applied) != applied {
					t.Errorf("applied %v", r.Applied)
				}
			})
		})
	}
}

func TestOneGroupIsOneEditAndOneUndoStep(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t)
		base := numbered(25)
		w.open("a.go", base)
		w.open("b.go", base)
		w.write("c.go", base)
		var files []ledger.Proposed
		for _, name := range []string{"a.go", "b.go", "c.go"} {
			f := w.view(name)
			files = append(files, ledger.Proposed{Path: f.Path, Op: ledger.Modify, Base: f, New: capitals(base, 3, 20)})
		}
		w.proposeFile(files...)
		r := w.decide("set1", 0, ledger.Accept)
		if len(r.Applied) != 6 || len(r.Conflicts) != 0 || len(w.e.Edits()) != 1 {
			t.Errorf("applied %v, conflicts %v, %d edits", r.Applied, r.Conflicts, len(w.e.Edits()))
		}
		w.want("the label", w.e.Edits()[0].Label, "emendo: Change it")
		w.want("the closed file", w.disk("c.go"), capitals(base, 3, 20))
		w.want("the open file on disk", w.disk("a.go"), base)
		w.want("the undo step", w.e.Undo(), "emendo: Change it")
		w.want("a.go after undo", w.text("a.go"), base)
		w.want("b.go after undo", w.text("b.go"), base)
		w.want("the states", w.states("set1"), "pending: pending pending pending pending accepted accepted")
	})
}

func TestCancellingEndsTheWait(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t)
		w.open("a.go", numbered(9))
		w.propose("a.go", capitals(numbered(9), 5))
		w.e.OnEdit = script(idetest.Answer{Refuse: ide.ErrRefused}, idetest.Answer{Lie: true})
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		_, err := w.l.Resolve(ctx, []ledger.Decision{{ChangeSetID: "set1", Action: ledger.Accept}}, "")
		if !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("got %v", err)
		}
		w.want("the states", w.states("set1"), "pending: pending")
	})
}

func TestConcurrentDecisionsAreBothApplied(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t)
		w.open("a.go", numbered(25))
		w.propose("a.go", capitals(numbered(25), 3, 20))
		w.e.OnEdit = func(int, ide.Edit) idetest.Answer { return idetest.Answer{Echo: time.Second} }
		done := make(chan ledger.Resolution)
		for _, id := range []string{"set1.1", "set1.2"} {
			go func() {
				r, _ := w.l.Resolve(t.Context(), []ledger.Decision{{ChangeSetID: "set1", HunkID: id, Action: ledger.Accept}}, "")
				done <- r
			}()
		}
		for range 2 {
			if r := <-done; len(r.Applied) != 1 {
				t.Errorf("got %+v", r)
			}
		}
		w.e.Wait()
		w.want("the text", w.text("a.go"), capitals(numbered(25), 3, 20))
		if n := len(w.e.Edits()); n != 2 {
			t.Errorf("%d edits, want 2", n)
		}
	})
}
