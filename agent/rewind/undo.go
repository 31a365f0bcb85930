package rewind

import (
	"context"
	"errors"
	"fmt"
	"io/fs"

	"github.com/emendo-dev/emendo/agent/checkpoint"
	"github.com/emendo-dev/emendo/ide"
	"github.com/emendo-dev/emendo/ide/disk"
)

// attempt returns the plan as the journal holds it while it is carried out.
func (r *Rewinder) attempt(p *plan, req Request) (checkpoint.Attempt, error) {
	a := checkpoint.Attempt{Turn: req.Turn, Conversation: req.Scope != Files}
	for _, c := range p.changes {
		f := checkpoint.AttemptedFile{Name: c.name, Open: c.open, Disk: c.disk}
		var err error
		if f.Was, err = r.store(c.was); err == nil {
			f.Want, err = r.store(c.want)
		}
		if err != nil {
			return a, err
		}
		a.Files = append(a.Files, f)
	}
	return a, nil
}

// Interrupted reports whether a rewind was begun and has not ended.
func (r *Rewinder) Interrupted() bool {
	if r.o.Journal == nil {
		return false
	}
	a, err := r.o.Journal.Interrupted()
	return a != nil || err != nil
}

// UndoInterrupted undoes a rewind that a killed process left unfinished: a file
// that holds what the rewind made of it gets its content from before, in the
// editor where it is open. forgotten reports whether the session has forgotten a
// turn, which makes a rewind complete. The caller holds the session's log, so no
// rewind is under way.
func (r *Rewinder) UndoInterrupted(ctx context.Context, forgotten func(turn string) (bool, error)) {
	if r.o.Journal == nil {
		return
	}
	a, err := r.o.Journal.Interrupted()
	if a != nil {
		err = r.undo(ctx, *a, forgotten)
	}
	if err != nil { // the next use of the session tries again
		r.o.Log.Error("undoing an unfinished rewind", "session", r.o.SessionID, "err", err)
	}
}

func (r *Rewinder) undo(ctx context.Context, a checkpoint.Attempt, forgotten func(turn string) (bool, error)) error {
	done, err := forgotten(a.Turn)
	if err != nil {
		return err
	}
	if a.Conversation && done {
		return r.o.Journal.End()
	}
	p := &plan{edit: ide.Edit{Label: "emendo: undo rewind"}}
	snap := r.o.Workspace.Snapshot()
	for _, f := range a.Files {
		was, err := r.o.Journal.Content(f.Was)
		if err != nil {
			return err
		}
		want, err := r.o.Journal.Content(f.Want)
		if err != nil {
			return err
		}
		now, err := r.current(ctx, snap, f.Name)
		if f.Disk {
			now, err = r.onDisk(ctx, f.Name)
		}
		inDocument := f.Open && f.Want.Hash != "" // the disk was not changed
		if err != nil || !now.content.Same(want) || inDocument && now.doc == nil {
			continue // the rewind did not get that far, or the user has edited the file since
		}
		if err := p.add(f.Name, now, was); err != nil {
			return err
		}
	}
	undo, err := checkpoint.Restore(ctx, r.o.Folders(), p.steps)
	if err != nil {
		return err
	}
	if err := r.o.Ledger.Apply(ctx, p.edit); err != nil {
		return errors.Join(err, undo())
	}
	return r.o.Journal.End()
}

// undoEdit undoes what the editor has applied of an edit. deleted are the
// files that it was to delete.
func (r *Rewinder) undoEdit(ctx context.Context, before *ide.Snapshot, e ide.Edit, deleted map[ide.URI]deletedFile) error {
	ctx = context.WithoutCancel(ctx) // a cancelled rewind is undone completely too
	back := ide.Edit{Label: "emendo: undo rewind"}
	now := r.o.Workspace.Snapshot()
	var errs []error
	for _, f := range e.Files {
		d := now.Document(f.Document.URI)
		switch {
		case f.Delete && d == nil:
			errs = append(errs, r.undelete(ctx, f.Document, deleted[f.Document.URI]))
			continue
		case f.Delete || d == nil || before.Document(f.Document.URI) == nil:
			continue
		}
		if want := f.Document.Text.Replace(f.Splices); !ide.SameButEnd(d.Text.String(), want.String()) {
			continue // it was not applied, or the user has typed since
		}
		back.Files = append(back.Files, ide.FileEdit{Document: d, Splices: []ide.Splice{{A: 0, B: d.Text.Len(), Text: f.Document.Text.String()}}})
	}
	return errors.Join(append(errs, r.o.Ledger.Apply(ctx, back))...)
}

// deletedFile is a file that the editor is to delete.
type deletedFile struct {
	data []byte
	mode fs.FileMode // the permissions; zero if it is not on disk
}

// undelete writes a file that the editor has deleted.
func (r *Rewinder) undelete(ctx context.Context, d *ide.Document, was deletedFile) error {
	p, err := r.o.Folders().At(d.Path)
	if err != nil {
		return fmt.Errorf("restoring a deleted file: %w", err)
	}
	err = r.o.Folders().Write(ctx, p, was.data, disk.WriteOptions{Expect: &disk.Hash{}, Mode: was.mode})
	if err != nil && !errors.Is(err, disk.ErrChanged) { // it exists: the editor has only closed it
		return fmt.Errorf("restoring a deleted file: %w", err)
	}
	return nil
}
