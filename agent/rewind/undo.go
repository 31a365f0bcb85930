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

// begin stores the plan, which is about to be carried out, unless it changes nothing.
func (r *Rewinder) begin(p *plan, req Request) (attempt, error) {
	a := attempt{Turn: req.Turn, Conversation: req.Scope != Files}
	if len(p.changes) == 0 {
		return a, nil
	}
	for _, c := range p.changes {
		f := attemptedFile{Name: c.Name, Open: c.Open, Disk: c.disk}
		var err error
		if f.Was, err = r.store(c.Before); err == nil {
			f.Want, err = r.store(c.After)
		}
		if err != nil {
			return a, err
		}
		a.Files = append(a.Files, f)
	}
	b, err := json.Marshal(a)
	if err == nil {
		err = writeAtomically(r.o.Journal.attempt(), b)
	}
	if err != nil {
		return a, fmt.Errorf("storing a rewind: %w", err)
	}
	return a, nil
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

// UndoInterrupted undoes a rewind that a killed process left unfinished. forgotten reports
// whether the session has forgotten a turn, which makes a rewind complete. The caller holds the
// session's log, so no rewind is under way.
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
	case a.Conversation && done:
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
		was, want, err := r.o.Journal.contents(f.Was, f.Want)
		if err != nil {
			return err
		}
		now, err := r.current(ctx, snap, f.Name)
		if f.Disk {
			now, err = r.onDisk(ctx, f.Name)
		}
		holds := now.content.Same(want)
		if f.Open && want.Exists { // the disk was not changed, and the editor may have ended the last line
			holds = now.doc != nil && ide.SameButEnd(now.content.Text, want.Text)
		}
		if err != nil || !holds {
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
