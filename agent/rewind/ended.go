package rewind

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"path/filepath"

	"github.com/emendo-dev/emendo/agent/checkpoint"
	"github.com/emendo-dev/emendo/ide"
	"github.com/emendo-dev/emendo/ide/ledger"
	"github.com/emendo-dev/emendo/internal/builds"
)

// Ended describes what a command did.
type Ended struct {
	Removed

	r     *Rewinder
	found checkpoint.Changes
	own   window // what the editor saved and emendo wrote meanwhile

	before string
}

// Before returns what is to be told to the model of a command in the background, which was
// looked at before this one.
func (e Ended) Before() string { return e.before }

// Changed is a file that a command changed.
type Changed struct {
	Path          string // absolute
	Before, After checkpoint.Content

	entry checkpoint.Entry
}

// Runs returns the changes of what tools of the project run by themselves.
func (e Ended) Runs() []Changed {
	var l []Changed
	for _, entry := range e.found.Known {
		if !builds.Listed(filepath.ToSlash(entry.Name)) {
			continue
		}
		before, after, known := e.contents(entry.Name, entry.Before, *entry.After)
		if known && builds.Runs(filepath.ToSlash(entry.Name), before.Text, after.Text) {
			l = append(l, Changed{entry.Name, before, after, entry})
		}
	}
	return l
}

// contents returns what a file held before and after the command, and whether that is known.
func (e Ended) contents(name string, was, is checkpoint.State) (before, after checkpoint.Content, known bool) {
	before, err := e.r.o.Journal.Content(was)
	after, err2 := e.r.o.Journal.Content(is)
	if err = errors.Join(err, err2); err != nil {
		e.r.o.Log.Warn("reading what a command changed", "session", e.r.o.SessionID, "file", name, "err", err)
	}
	return before, after, err == nil
}

// Exchange replaces the bytes of a file with those of a stored version, if it has those of
// another.
func (r *Rewinder) Exchange(ctx context.Context, path string, from, to ledger.Version) error {
	if !r.records() {
		return errNoCopies
	}
	now, err := r.onDisk(ctx, path)
	if err != nil {
		return fmt.Errorf("exchanging the bytes of a file: %w", err)
	}
	if now.content.Exists != (from.Hash != "") || from.Hash != "" && checkpoint.Hash(now.data) != from.Hash {
		return errChangedSince
	}
	c, err := r.o.Journal.Content(checkpoint.State{Hash: to.Hash, Mode: to.Mode})
	if err != nil {
		return fmt.Errorf("exchanging the bytes of a file: %w", err)
	}
	want, err := c.Bytes()
	if err != nil {
		return fmt.Errorf("exchanging the bytes of a file: %w", err)
	}
	step := checkpoint.Step{Path: now.path, Was: now.data, Want: want, WasMode: now.content.Mode, Mode: c.Mode}
	if _, err = checkpoint.Restore(ctx, r.o.Folders(), []checkpoint.Step{step}); err != nil {
		return fmt.Errorf("exchanging the bytes of a file: %w", err)
	}
	return nil
}

var (
	errNoCopies     = errors.New("no copies of files are kept in this session")
	errChangedSince = errors.New("the file was changed again since")
)

// PutBack gives files that a command changed on disk their bytes from before it, all or none.
// It leaves out those that have changed again since, and returns the others.
func (e Ended) PutBack(ctx context.Context, l []Changed) ([]Changed, error) {
	var steps []checkpoint.Step
	var back []Changed
	var entries []checkpoint.Entry
	for _, c := range l {
		now, err := e.r.onDisk(ctx, c.Path)
		if err != nil {
			return nil, fmt.Errorf("putting back what a command changed: %w", err)
		}
		want, err := c.Before.Bytes()
		if err != nil {
			return nil, fmt.Errorf("putting back what a command changed: %w", err)
		}
		if is, err := c.After.Bytes(); err != nil || !bytes.Equal(is, now.data) {
			continue
		}
		steps = append(steps, checkpoint.Step{Path: now.path, Was: now.data, Want: want, WasMode: now.content.Mode, Mode: c.Before.Mode})
		back = append(back, c)
		before := c.entry.Before
		entries = append(entries, checkpoint.Entry{Turn: c.entry.Turn, Name: c.Path, Before: *c.entry.After, After: &before, Command: true})
	}
	if len(steps) == 0 {
		return nil, nil
	}
	undo, err := checkpoint.Restore(ctx, e.r.o.Folders(), steps)
	if err != nil {
		return nil, fmt.Errorf("putting back what a command changed: %w", err)
	}
	if err := e.r.o.Journal.Add(entries...); err != nil { // a rewind would not know of it
		return nil, errors.Join(err, undo())
	}
	return back, nil
}

// Propose proposes changes that were put back, to be decided by the user.
func (e Ended) Propose(ctx context.Context, c Call, changed []Changed) (ledger.ChangeSet, error) {
	e.r.o.Workspace.Refresh(ctx)
	snap := e.r.o.Workspace.Snapshot()
	p := ledger.Proposal{SessionID: e.r.o.SessionID, TurnID: c.TurnID, CallID: c.ID, Title: c.Title, Origin: ledger.OfCommand}
	for _, x := range changed {
		if x.Before.Binary || x.After.Binary {
			return ledger.ChangeSet{}, fmt.Errorf("%s is no text", x.Path)
		}
		f := ledger.Proposed{Path: x.Path, URI: ide.FileURI(x.Path), Op: ledger.Modify, New: x.After.Text}
		if !x.Before.Exists {
			f.Op, f.Base = ledger.Create, ide.File{Path: x.Path, Text: ide.NewText(""), Format: x.After.Format, Mode: x.After.Mode}
			p.Files = append(p.Files, f)
			continue
		}
		base, err := snap.Read(ctx, x.Path)
		if err != nil {
			return ledger.ChangeSet{}, err
		}
		f.Base = base
		if base.Document != nil {
			f.URI = base.Document.URI
		}
		if !x.After.Exists {
			f.Op = ledger.Delete
		} else if text := base.Text.String(); text != x.Before.Text { // unsaved in the editor
			merged, ok := checkpoint.Merge(x.Before.Text, text, x.After.Text)
			if !ok {
				return ledger.ChangeSet{}, fmt.Errorf("%s has unsaved changes in the same lines", x.Path)
			}
			f.New = merged
		}
		p.Files = append(p.Files, f)
	}
	return e.r.o.Ledger.Propose(ctx, p)
}
