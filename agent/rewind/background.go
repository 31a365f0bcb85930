package rewind

import (
	"context"
	"sync"
	"sync/atomic"
)

// background finds what a command in the background changes, by looking now and then. The
// zero value follows none.
type background struct {
	mu     sync.Mutex
	watch  *Watch          // of the command's turn; nil: no command is followed
	over   <-chan struct{} // closed when the command has ended
	report func(e Ended, doubted bool) string
	notes  string // for the model, of what was reported at its end

	doubted atomic.Bool // content from outside came before it, or has come since

	view *view // as the folders last were; nil while another command runs
	own  *window

	closed bool
	ends   sync.WaitGroup
	stop   chan struct{} // closed with the session
}

// Follow looks for what a command changes from its call's end on, since it continues in the
// background until over is closed: when the next command begins and ends, when
// [Rewinder.Look] is called, and at its own end. report is called with what was found, perhaps
// on another goroutine, and returns a note for the model; doubted means that content from
// outside came before the command, as the argument of that name says, or since. Of several
// such commands the changes count as the last one's.
func (w *Watch) Follow(ctx context.Context, e Ended, over <-chan struct{}, doubted bool, report func(e Ended, doubted bool) string) {
	r, b := w.r, &w.r.background
	if e.r == nil {
		return
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.closed {
		return
	}
	b.forget(r)
	b.watch, b.over, b.report = w, over, report
	b.doubted.Store(doubted)
	b.keepView(ctx, r, e.found)
	if b.stop == nil {
		b.stop = make(chan struct{})
	}
	stop := b.stop
	b.ends.Go(func() {
		select {
		case <-over:
			r.Look(context.Background())
		case <-stop:
		}
	})
}

// keepView keeps what was found as the view to compare with. b.mu is held.
func (b *background) keepView(ctx context.Context, r *Rewinder, c changes) {
	v, err := c.view(context.WithoutCancel(ctx), nil)
	if err != nil {
		r.o.Log.Warn("recording what a command in the background may change", "session", r.o.SessionID, "err", err)
		b.forget(r)
		return
	}
	b.view, b.own = v, r.o.Meanwhile.begin()
}

// forget ends the looking. b.mu is held.
func (b *background) forget(r *Rewinder) {
	if b.view != nil {
		r.o.Meanwhile.end(b.own)
	}
	b.watch, b.view = nil, nil
}

func (b *background) isOver() bool {
	select {
	case <-b.over:
		return true
	default:
		return false
	}
}

// look reports what has changed since the last view. b.mu is held, and there is a view.
func (b *background) look(ctx context.Context, r *Rewinder) changes {
	e := b.watch.ended(ctx, b.view, r.o.Meanwhile.end(b.own))
	b.view = nil
	b.notes += b.report(e, b.doubted.Load())
	return e.found
}

// Doubt notes that content from outside came. Whatever a command in the background changes
// from now on may come of it, whichever turn runs.
func (r *Rewinder) Doubt() { r.background.doubted.Store(true) }

// Look reports what a command in the background has changed since it was last looked for.
// It returns what is to be told to the model.
func (r *Rewinder) Look(ctx context.Context) (note string) {
	b := &r.background
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.closed {
		return ""
	}
	if b.view != nil {
		over := b.isOver() // before the look, which then sees all
		found := b.look(ctx, r)
		if over {
			b.forget(r)
		} else {
			b.keepView(ctx, r, found)
		}
	}
	note, b.notes = b.notes, ""
	return note
}

// pause reports what the command has changed, and returns the present view for the command
// that begins now; nil if none is followed.
func (b *background) pause(ctx context.Context, r *Rewinder, w *Watch) (*view, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.view == nil {
		return nil, nil
	}
	over := b.isOver()
	found := b.look(ctx, r)
	if over {
		b.forget(r)
	}
	return found.view(ctx, w)
}

// resume goes on looking after another command has ended. It returns what is to be told to the
// model.
func (b *background) resume(ctx context.Context, r *Rewinder, e Ended) (note string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	switch {
	case b.watch == nil || b.view != nil:
	case b.closed, b.isOver():
		b.forget(r)
	default:
		b.keepView(ctx, r, e.found)
	}
	note, b.notes = b.notes, ""
	return note
}

// Close ends the looking for what commands in the background change. Call it before they are
// ended with the session.
func (r *Rewinder) Close() {
	b := &r.background
	b.mu.Lock()
	if !b.closed && b.stop != nil {
		close(b.stop)
	}
	b.closed = true
	b.forget(r)
	b.mu.Unlock()
	b.ends.Wait()
}
