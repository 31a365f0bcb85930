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
	"github.com/emendo-dev/emendo/ide/disk"
)

// attempt is a rewind that is being carried out. The journal holds it until the
// rewind ends, so that one that a killed process left unfinished can be undone.
type attempt struct {
	Turn         string          `json:"turn"`                   // the first that is reverted
	Conversation bool            `json:"conversation,omitempty"` // the session forgets the turns too, and then the rewind is complete
	Files        []attemptedFile `json:"files"`
}

// attemptedFile is the stored form of a [Change] by a rewind.
type attemptedFile struct {
	Name      string `json:"name"`
	Open      bool   `json:"open,omitempty"`
	Disk      bool   `json:"disk,omitempty"`
	Was, Want State
}

func (j *Journal) attempt() string { return filepath.Join(j.dir, "rewind.json") }

// begin stores the plan, which is about to be carried out.
func (r *Rewinder) begin(p *plan, req Request) error {
	a := attempt{Turn: req.Turn, Conversation: req.Scope != Files}
	for _, c := range p.changes {
		f := attemptedFile{Name: c.Name, Open: c.Open, Disk: c.disk}
		var err error
		if f.Was, err = r.store(c.Before); err == nil {
			f.Want, err = r.store(c.After)
		}
		if err != nil {
			return err
		}
		a.Files = append(a.Files, f)
	}
	b, err := json.Marshal(a)
	if err == nil {
		err = put(r.o.Journal.attempt(), b)
	}
	if err != nil {
		return fmt.Errorf("storing a rewind: %w", err)
	}
	return nil
}

// end removes the stored rewind.
func (j *Journal) end() error {
	if err := os.Remove(j.attempt()); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("removing a stored rewind: %w", err)
	}
	return nil
}

// Interrupted reports whether a rewind was begun and has not ended.
func (r *Rewinder) Interrupted() bool {
	_, err := os.Stat(r.o.Journal.attempt())
	return !errors.Is(err, fs.ErrNotExist)
}

// UndoInterrupted undoes a rewind that a killed process left unfinished: a file
// that holds what the rewind made of it gets its content from before, in the
// editor where it is open. forgotten reports whether the session has forgotten a
// turn, which makes a rewind complete. The caller holds the session's log, so no
// rewind is under way.
func (r *Rewinder) UndoInterrupted(ctx context.Context, forgotten func(turn string) (bool, error)) {
	b, err := os.ReadFile(r.o.Journal.attempt())
	if errors.Is(err, fs.ErrNotExist) {
		return
	}
	var a attempt
	if err == nil {
		err = json.Unmarshal(b, &a)
	}
	if err == nil {
		err = r.undo(ctx, a, forgotten)
	}
	if err != nil { // the next use of the session tries again
		r.o.Log.Error("undoing an unfinished rewind", "session", r.o.SessionID, "err", err)
	}
}

func (r *Rewinder) undo(ctx context.Context, a attempt, forgotten func(turn string) (bool, error)) error {
	done, err := forgotten(a.Turn)
	if err != nil {
		return err
	}
	if a.Conversation && done {
		return r.o.Journal.end()
	}
	p := &plan{edit: ide.Edit{Label: "emendo: undo rewind"}}
	snap := r.o.Workspace.Snapshot()
	for _, f := range a.Files {
		was, want, err := r.o.Journal.contents(f.Was, f.Want)
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
	undo, err := restore(ctx, r.o.Place.Tree(), p.steps)
	if err != nil {
		return err
	}
	if err := r.o.Ledger.Apply(ctx, p.edit); err != nil {
		return errors.Join(err, undo())
	}
	return r.o.Journal.end()
}

// undoEdit undoes what the editor has applied of an edit. deleted are the
// files that it was to delete.
func (r *Rewinder) undoEdit(ctx context.Context, before *ide.Snapshot, e ide.Edit, deleted map[ide.URI]current) error {
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

// undelete writes a file that the editor has deleted.
func (r *Rewinder) undelete(ctx context.Context, d *ide.Document, was current) error {
	p, err := r.o.Place.Tree().At(d.Path)
	if err != nil {
		return fmt.Errorf("restoring a deleted file: %w", err)
	}
	err = r.o.Place.Tree().Write(ctx, p, was.data, disk.WriteOptions{Expect: &disk.Hash{}, Mode: was.content.Mode})
	if err != nil && !errors.Is(err, disk.ErrChanged) { // it exists: the editor has only closed it
		return fmt.Errorf("restoring a deleted file: %w", err)
	}
	return nil
}
