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
)

// attempt is a rewind, or the redo of one, that is being carried out. The journal holds it until
// that ends, so that one that a killed process left unfinished can be undone.
type attempt struct {
	Turn         string          `json:"turn"`                   // the first that is reverted
	Conversation bool            `json:"conversation,omitempty"` // the session forgets the turns too, and then the rewind is complete
	Redo         bool            `json:"redo,omitempty"`         // it knows them again, and then the redo is
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

// begin adds the files of a plan to an attempt and stores it, since it is about to be carried out,
// unless it changes none.
func (r *Rewinder) begin(p *plan, a *attempt) error {
	if len(p.changes) == 0 {
		return nil
	}
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
		err = writeAtomically(r.o.Journal.attempt(), b)
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

// UndoInterrupted undoes a rewind, or a redo, that a killed process left unfinished. forgotten
// reports whether the session has forgotten a turn, which makes a rewind complete, and a redo not.
// The caller holds the session's log, so neither is under way.
func (r *Rewinder) UndoInterrupted(ctx context.Context, forgotten func(turn string) (bool, error)) {
	b, err := os.ReadFile(r.o.Journal.attempt())
	if errors.Is(err, fs.ErrNotExist) {
		return
	}
	var a attempt
	if err == nil {
		err = json.Unmarshal(b, &a)
	}
	done := false
	if err == nil {
		done, err = forgotten(a.Turn)
	}
	switch {
	case err != nil:
	case a.Conversation && done != a.Redo:
		err = r.o.Journal.end()
	default:
		err = r.undo(ctx, a)
	}
	if err != nil { // the next use of the session tries again
		r.o.Log.Error("undoing an unfinished rewind", "session", r.o.SessionID, "err", err)
	}
}

// undo undoes what was done of a rewind: a file that holds what the rewind made of it gets its
// content from before, in the editor where it is open. After an error the attempt stays in the
// journal, so that the next use of the session undoes the rest.
func (r *Rewinder) undo(ctx context.Context, a attempt) error {
	p := &plan{edit: ide.Edit{Label: "emendo: undo rewind"}}
	snap := r.o.Workspace.Snapshot()
	for _, f := range a.Files {
		was, now, holds, err := r.compare(ctx, snap, f)
		if err != nil {
			return err
		}
		if !holds {
			continue // the rewind did not get that far, or the user has edited the file since
		}
		if err := p.add(f.Name, now, was); err != nil {
			return err
		}
	}
	if _, err := restore(ctx, r.o.Place.Tree(), p.steps); err != nil {
		return err
	}
	if err := r.o.Ledger.Apply(ctx, p.edit); err != nil {
		return err
	}
	return r.o.Journal.end()
}

// compare returns what a file held before an attempt, and what it holds now. holds reports whether
// that is what the attempt made of it.
func (r *Rewinder) compare(ctx context.Context, snap *ide.Snapshot, f attemptedFile) (was Content, now current, holds bool, err error) {
	was, want, err := r.o.Journal.contents(f.Was, f.Want)
	if err != nil {
		return was, now, false, err
	}
	read := func() (current, error) { return r.current(ctx, snap, f.Name) }
	if f.Disk {
		read = func() (current, error) { return r.onDisk(ctx, f.Name) }
	}
	if at, err := read(); err == nil { // else it holds something else
		now, holds = at, at.content.Same(want)
	}
	if f.Open && want.Exists { // the disk was not changed, and the editor may have ended the last line
		holds = now.doc != nil && ide.SameButEnd(now.content.Text, want.Text)
	}
	return was, now, holds, nil
}
