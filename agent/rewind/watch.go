package rewind

import (
	"context"

	"github.com/emendo-dev/emendo/agent/checkpoint"
	"github.com/emendo-dev/emendo/ide/ledger"
)

// A Watch records what the commands of one turn change. They run one at a time.
type Watch struct {
	r     *Rewinder
	turn  string
	watch *checkpoint.Watch // nil before the first command
}

// Watch returns the Watch of a turn.
func (r *Rewinder) Watch(turn string) *Watch { return &Watch{r: r, turn: turn} }

// Command looks at the session's folders before a command runs; call over when
// it has ended. It returns what the command did. What a command in the background has changed
// until now is reported as its own, and until then what it changes counts as the command's.
func (w *Watch) Command(ctx context.Context) (over func() Ended) {
	r := w.r
	none := func() Ended { return Ended{} }
	if !r.records() {
		return none
	}
	if w.watch == nil {
		w.watch = r.o.Journal.Watch(w.turn, r.o.Folders())
	}
	view, err := r.background.pause(ctx, r, w.watch)
	if view == nil && err == nil {
		view, err = w.watch.Before(ctx)
	}
	if err != nil {
		if ctx.Err() == nil {
			r.o.Log.Warn("recording what a command may change", "session", r.o.SessionID, "err", err)
			r.gap(checkpoint.Entry{Turn: w.turn, Gap: "a command ran, and the files could not be recorded before it: " + err.Error(), Lost: true})
		}
		return none
	}
	own := r.o.Meanwhile.begin()
	return func() Ended {
		e := r.ended(ctx, w.watch, view, r.o.Meanwhile.end(own))
		e.before = r.background.resume(ctx, r, e)
		return e
	}
}

// ended compares the folders with what they were before a command.
func (r *Rewinder) ended(ctx context.Context, w *checkpoint.Watch, view *checkpoint.View, own window) Ended {
	// What a cancelled command has changed is recorded too.
	c, err := w.After(context.WithoutCancel(ctx), view)
	if err != nil {
		r.o.Log.Warn("recording what a command changed", "session", r.o.SessionID, "err", err)
	}
	return Ended{Removed: Removed{c.Removed, c.More}, r: r, found: c, own: own}
}

// wrote notes what decisions left in the closed files of a change set.
func (r *Rewinder) wrote(ctx context.Context, cs ledger.ChangeSet) {
	for _, f := range cs.Files {
		if f.Open || f.Path == "" {
			continue
		}
		for _, path := range []string{f.Path, f.NewPath} {
			if path == "" {
				continue
			}
			r.o.Meanwhile.note(path, func() *string {
				if now, err := r.onDisk(ctx, path); err == nil && now.content.Exists {
					return &now.content.Text
				}
				return nil
			})
		}
	}
}
