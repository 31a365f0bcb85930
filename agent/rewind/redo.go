package rewind

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/emendo-dev/emendo/ide"
	"github.com/emendo-dev/emendo/ide/ledger"
)

// ErrNoRedo means that no rewind can be redone: there was none since the last prompt.
var ErrNoRedo = errors.New("nothing was rewound since the last prompt")

// ChangedError means that a rewind cannot be redone because a file is not as it left it.
type ChangedError struct{ Name string }

func (e *ChangedError) Error() string {
	return fmt.Sprintf("the rewind cannot be redone: %s has changed since", e.Name)
}

// A back is a rewind that can be redone. The journal keeps them, and all contents, until the
// session goes on.
type back struct {
	attempt
	Undone  []string            `json:"undone,omitempty"`  // the turns that an entry of the journal has so
	Applied []ledger.Remembered `json:"applied,omitempty"` // the hunks that were, before
	Waited  []ledger.Remembered `json:"waited,omitempty"`  // those that waited for the user, likewise
}

func (j *Journal) redoPath() string { return filepath.Join(j.dir, "redo.json") }

// backs returns the rewinds that can be redone, the last one last.
func (j *Journal) backs() (l []back, err error) {
	b, err := os.ReadFile(j.redoPath())
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err == nil {
		err = json.Unmarshal(b, &l)
	}
	if err != nil {
		return nil, fmt.Errorf("reading what can be redone: %w", err)
	}
	return l, nil
}

func (j *Journal) setBacks(l []back) error {
	if len(l) == 0 {
		if err := os.Remove(j.redoPath()); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return fmt.Errorf("removing what can be redone: %w", err)
		}
		return nil
	}
	b, err := json.Marshal(l)
	if err == nil {
		err = writeAtomically(j.redoPath(), b)
	}
	if err != nil {
		return fmt.Errorf("storing what can be redone: %w", err)
	}
	return nil
}

func (j *Journal) addBack(b back) error {
	l, err := j.backs()
	if err != nil {
		return errors.Join(err, j.setBacks(nil)) // an older one must not be taken for it
	}
	return j.setBacks(append(l, b))
}

// CanRedo reports whether there is a rewind that can be redone, unless a file has changed since.
func (r *Rewinder) CanRedo() bool {
	_, err := os.Stat(r.o.Journal.redoPath())
	return err == nil
}

// ForgetRedo says that the session goes on: what was rewound before cannot be redone any more, and
// its contents are deleted. No turn of the session may run.
func (r *Rewinder) ForgetRedo() {
	if !r.CanRedo() {
		return
	}
	err := r.o.Journal.setBacks(nil)
	if err == nil {
		err = r.o.Journal.Prune()
	}
	if err != nil {
		r.o.Log.Warn("deleting copies of files", "session", r.o.SessionID, "err", err)
	}
}

// Redo undoes the last rewind: the files are again as they were before it. If that rewound the
// conversation too, know makes the session know its turns again, from the one that it is called
// with; an error of it reverts the redo. After an error everything is as it was.
func (r *Rewinder) Redo(ctx context.Context, dryRun bool, know func(turn string) error) (Result, error) {
	l, err := r.o.Journal.backs()
	if err != nil {
		return Result{}, err
	}
	if len(l) == 0 {
		return Result{}, ErrNoRedo
	}
	last := l[len(l)-1]
	p, err := r.planRedo(ctx, last)
	switch {
	case err != nil:
		return Result{}, err
	case dryRun:
		p.result.Changes = p.changes
		return p.result, nil
	}
	a := attempt{Turn: last.Turn, Conversation: last.Conversation, Redo: true}
	err = r.perform(ctx, p, &a, func() error {
		if !last.Conversation {
			return nil
		}
		return know(last.Turn)
	})
	if err != nil {
		return Result{}, err
	}
	r.finishRedo(ctx, p, last)
	if err := r.o.Journal.setBacks(l[:len(l)-1]); err != nil {
		r.o.Log.Warn("recording that a rewind was redone", "session", r.o.SessionID, "err", err)
	}
	return p.result, nil
}

// planRedo plans what becomes of the files of a rewind when it is redone.
func (r *Rewinder) planRedo(ctx context.Context, b back) (*plan, error) {
	p := &plan{edit: ide.Edit{Label: "emendo: redo"}}
	snap := r.o.Workspace.Snapshot()
	for _, f := range b.Files {
		was, now, holds, err := r.compare(ctx, snap, f)
		switch {
		case err != nil:
			return nil, err
		case !holds:
			return nil, &ChangedError{f.Name}
		}
		if err := p.add(f.Name, now, was); err != nil {
			return nil, fmt.Errorf("the rewind cannot be redone: %s: %w", f.Name, err)
		}
		p.changes[len(p.changes)-1].disk = f.Disk
	}
	return p, nil
}

// finishRedo records that what a rewind reverted is there again, and has the edits wait
// for the user again that did.
func (r *Rewinder) finishRedo(ctx context.Context, p *plan, b back) {
	if len(b.Undone) > 0 {
		if err := r.o.Journal.Add(Entry{Redone: b.Undone}); err != nil {
			r.o.Log.Warn("recording the redo of a rewind of files", "session", r.o.SessionID, "err", err)
		}
	}
	r.readAgain(ctx, p)
	r.o.Ledger.Again(b.Applied)
	r.resolve(ctx, b.Waited, ledger.Reopen)
}
