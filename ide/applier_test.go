package ide_test

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/emendo-dev/emendo/ide"
	"github.com/emendo-dev/emendo/ide/idetest"
)

// The result shows whether an edit may be sent again. One that may have been made is
// never sent again.
func TestEditEndsWhenItsTextArrives(t *testing.T) {
	const uri = "untitled:a"
	typed := func(e *idetest.Editor, a int) func() { return func() { e.Type(uri, a, a, "x") } }
	for _, c := range []struct {
		name   string
		answer func(e *idetest.Editor) idetest.Answer
		want   error
		took   time.Duration
	}{
		{"reported, then answered", func(*idetest.Editor) idetest.Answer { return idetest.Answer{} }, nil, 0},
		{"answered, then reported", func(*idetest.Editor) idetest.Answer { return idetest.Answer{Echo: time.Second} }, nil, time.Second},
		{"reported in pieces", func(*idetest.Editor) idetest.Answer { return idetest.Answer{Pieces: time.Second} }, nil, time.Second},
		{"reported and never answered", func(*idetest.Editor) idetest.Answer { return idetest.Answer{Never: true} }, nil, 2 * time.Second},
		{"refused", func(*idetest.Editor) idetest.Answer { return idetest.Answer{Refuse: ide.ErrRefused} }, ide.ErrRefused, 250 * time.Millisecond},
		{"refused, for the user typed elsewhere", func(e *idetest.Editor) idetest.Answer { return idetest.Answer{Before: typed(e, 0)} }, ide.ErrRefused, 0},
		{"refused, for the user typed there", func(e *idetest.Editor) idetest.Answer { return idetest.Answer{Before: typed(e, 12)} }, ide.ErrUnseen, 250 * time.Millisecond},
		{"refused and made", func(e *idetest.Editor) idetest.Answer {
			return idetest.Answer{Before: func() { e.Type(uri, 12, 13, "G") }, Refuse: ide.ErrRefused}
		}, nil, 0},
		{"answered and not made", func(*idetest.Editor) idetest.Answer { return idetest.Answer{Lie: true} }, ide.ErrUnseen, 2 * time.Second},
		{"answered and not made, for the user typed elsewhere", func(e *idetest.Editor) idetest.Answer { return idetest.Answer{Lie: true, Before: typed(e, 0)} }, ide.ErrRefused, 2 * time.Second},
		{"half made", func(e *idetest.Editor) idetest.Answer {
			return idetest.Answer{Lie: true, Before: func() { e.Type(uri, 12, 13, "") }}
		}, ide.ErrUnseen, 2 * time.Second},
		{"made where the user typed elsewhere before", func(e *idetest.Editor) idetest.Answer {
			return idetest.Answer{Lie: true, Before: func() { e.Type(uri, 0, 0, "x\n"); e.Type(uri, 14, 15, "G") }}
		}, nil, 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				w := ide.NewWorkspace(nil, ide.UTF16)
				e := idetest.New(w)
				a := ide.NewApplier(w, e)
				e.OnEdit = func(int, ide.Edit) idetest.Answer { return c.answer(e) }
				e.Open(uri, "a\nb\nc\nd\ne\nf\ng\n")
				d := w.Snapshot().Document(uri)
				began := time.Now()
				err := a.Apply(t.Context(), ide.Edit{Files: []ide.FileEdit{{Document: d, Splices: []ide.Splice{{A: 12, B: 13, Text: "G"}}}}})
				if !errors.Is(err, c.want) {
					t.Errorf("got %v, want %v", err, c.want)
				}
				if took := time.Since(began); took != c.took {
					t.Errorf("it took %v, want %v", took, c.took)
				}
				e.Wait()
			})
		})
	}
}

func TestEditsAreAppliedOneAtATime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := ide.NewWorkspace(nil, ide.UTF16)
		e := idetest.New(w)
		a := ide.NewApplier(w, e)
		e.OnEdit = func(int, ide.Edit) idetest.Answer { return idetest.Answer{Echo: time.Second} }
		uris := []string{"untitled:a", "untitled:b", "untitled:c"}
		for _, uri := range uris {
			e.Open(uri, "a\n") // before any edit: notifications are held back for a second
		}
		began := time.Now()
		done := make(chan error)
		for _, uri := range uris {
			d := w.Snapshot().Document(ide.URI(uri))
			go func() {
				done <- a.Apply(t.Context(), ide.Edit{Files: []ide.FileEdit{{Document: d, Splices: []ide.Splice{{A: 0, B: 1, Text: "b"}}}}})
			}()
		}
		for i := range uris {
			if err := <-done; err != nil {
				t.Error(err)
			}
			if took := time.Since(began); took != time.Duration(i+1)*time.Second {
				t.Errorf("edit %d was done after %v", i+1, took)
			}
		}
		e.Wait()
	})
}

func TestWaitingEditCanBeCancelled(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := ide.NewWorkspace(nil, ide.UTF16)
		e := idetest.New(w)
		a := ide.NewApplier(w, e)
		e.OnEdit = func(int, ide.Edit) idetest.Answer { return idetest.Answer{Never: true, Lie: true} }
		e.Open("untitled:a", "a\n")
		edit := ide.Edit{Files: []ide.FileEdit{{Document: w.Snapshot().Document("untitled:a"), Splices: []ide.Splice{{A: 0, B: 1, Text: "b"}}}}}
		first := make(chan error)
		ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
		defer cancel()
		go func() { first <- a.Apply(ctx, edit) }()
		synctest.Wait()
		short, stop := context.WithTimeout(t.Context(), time.Second)
		defer stop()
		if err := a.Apply(short, edit); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("got %v", err)
		}
		if n := len(e.Edits()); n != 1 {
			t.Errorf("%d edits reached the editor, want 1", n)
		}
		cancel()
		<-first
		e.Wait()
	})
}
