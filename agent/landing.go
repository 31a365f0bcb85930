package agent

import (
	"context"
	"fmt"
	"time"

	"github.com/emendo-dev/emendo/ide"
)

// How long an edit of open documents is waited for.
const (
	editAnswer = 30 * time.Second // the editor's answer
	editEcho   = 2 * time.Second  // from one of answer and text to the other
)

// landing is an edit on its way into the editor and back.
type landing struct {
	wants map[ide.URI]string // the texts that have to come back
	gone  map[ide.URI]bool   // the documents that have to be closed
	done  chan struct{}      // closed when nothing is missing any more
}

func newLanding(e ide.Edit) *landing {
	l := &landing{wants: map[ide.URI]string{}, gone: map[ide.URI]bool{}, done: make(chan struct{})}
	for _, f := range e.Files {
		if f.Delete {
			l.gone[f.Document.URI] = true
			continue
		}
		l.wants[f.Document.URI] = spliced(f.Document.Text, f.Splices).String()
	}
	return l
}

func spliced(t *ide.Text, splices []ide.Splice) *ide.Text {
	for i := len(splices) - 1; i >= 0; i-- {
		t = t.Splice(splices[i].A, splices[i].B, splices[i].Text)
	}
	return t
}

// noteDocument looks whether the edit on its way has come back. The workspace
// calls it in order.
func (a *Agent) noteDocument(e ide.Event) {
	a.landingMu.Lock()
	defer a.landingMu.Unlock()
	l := a.landing
	if l == nil || len(l.wants)+len(l.gone) == 0 {
		return
	}
	switch e.Kind {
	case ide.Changed, ide.Opened:
		if want, ok := l.wants[e.After.URI]; ok && e.After.Text.Len() == len(want) && e.After.Text.String() == want {
			delete(l.wants, e.After.URI)
		}
	case ide.Closed:
		delete(l.gone, e.Before.URI)
	case ide.Saved:
	}
	if len(l.wants)+len(l.gone) == 0 {
		close(l.done)
	}
}

// land has the editor make an edit and waits until it has come back: its answer
// is not believed. One edit is on its way at a time.
func (a *Agent) land(ctx context.Context, e ide.Edit) error {
	if len(e.Files) == 0 {
		return nil
	}
	if a.o.Editor == nil {
		return fmt.Errorf("there is no editor: %w", ide.ErrRefused)
	}
	a.landings.Lock()
	defer a.landings.Unlock()
	l := newLanding(e)
	a.setLanding(l)
	defer a.setLanding(nil)

	call, cancel := context.WithCancel(ctx)
	answer := make(chan error, 1)
	go func() { answer <- a.o.Editor.ApplyEdit(call, e) }()
	answered := false
	defer func() {
		cancel()
		if !answered {
			<-answer
		}
	}()
	landed, timer := l.done, time.After(editAnswer)
	for {
		select {
		case err := <-answer:
			answered = true
			if landed == nil || err != nil {
				return err
			}
			timer = time.After(editEcho)
		case <-landed:
			if answered {
				return nil
			}
			landed, timer = nil, time.After(editEcho)
		case <-timer:
			if landed == nil {
				return nil // it has come back; the answer is of no interest
			}
			return errNoEcho
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
}

var errNoEcho = fmt.Errorf("the edit has not come back from the editor: %w", ide.ErrRefused)

func (a *Agent) setLanding(l *landing) {
	a.landingMu.Lock()
	defer a.landingMu.Unlock()
	a.landing = l
}
