package rewind

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strings"

	"github.com/emendo-dev/emendo/ide"
	"github.com/emendo-dev/emendo/ide/ledger"
	"github.com/emendo-dev/emendo/internal/builds"
	"github.com/emendo-dev/emendo/tools"
)

// Ended describes what a command did.
type Ended struct {
	r     *Rewinder
	found changes
	own   window // what the editor saved and emendo wrote meanwhile

	before string
}

// Before returns what is to be told to the model of a command in the background, which was
// looked at before this one.
func (e Ended) Before() string { return e.before }

// Note describes for the model the files that the command removed and of which there is no
// copy; empty if there are none. near returns a path as the model knows it.
func (e Ended) Note(near func(path string) string) string {
	if len(e.found.removed) == 0 {
		return ""
	}
	var names []string
	for _, f := range e.found.removed {
		names = append(names, tools.ShownLine(near(f), 200))
	}
	if e.found.more {
		names = append(names, "and others")
	}
	return "\nNote: the command removed files of which there is no copy, so they cannot be brought back: " + strings.Join(names, ", ") + "."
}

// Runs returns the changes of what tools of the project run by themselves.
func (e Ended) Runs() []Change {
	var l []Change
	for _, entry := range e.found.known {
		if !builds.Listed(filepath.ToSlash(entry.Name)) {
			continue
		}
		before, after, known := e.contents(entry.Name, entry.Before, *entry.After)
		if known && builds.Runs(filepath.ToSlash(entry.Name), before.Text, after.Text) {
			l = append(l, Change{Name: entry.Name, Before: before, After: after, entry: entry})
		}
	}
	return l
}

// contents returns what a file held before and after the command, and whether that is known.
func (e Ended) contents(name string, was, is State) (before, after Content, known bool) {
	before, after, err := e.r.o.Journal.contents(was, is)
	if err != nil {
		e.r.o.Log.Warn("reading what a command changed", "session", e.r.o.SessionID, "file", name, "err", err)
	}
	return before, after, err == nil
}

// Exchange replaces the bytes of a file with those of a stored version, if it has those of
// another.
func (r *Rewinder) Exchange(ctx context.Context, path string, from, to ledger.Version) error {
	now, err := r.onDisk(ctx, path)
	if err != nil {
		return fmt.Errorf("exchanging the bytes of a file: %w", err)
	}
	if now.content.Exists != (from.Hash != "") || from.Hash != "" && Hash(now.data) != from.Hash {
		return errChangedSince
	}
	c, err := r.o.Journal.Content(to)
	if err != nil {
		return fmt.Errorf("exchanging the bytes of a file: %w", err)
	}
	s, err := now.step(c)
	if err == nil {
		_, err = restore(ctx, r.o.Place.Tree(), []step{s})
	}
	if err != nil {
		return fmt.Errorf("exchanging the bytes of a file: %w", err)
	}
	return nil
}

var errChangedSince = errors.New("the file was changed again since")

// PutBack gives files that a command changed on disk their bytes from before it, all or none.
// It leaves out those that have changed again since, and returns the others.
func (e Ended) PutBack(ctx context.Context, l []Change) ([]Change, error) {
	var steps []step
	var back []Change
	var entries []Entry
	for _, c := range l {
		now, err := e.r.onDisk(ctx, c.Name)
		if err != nil {
			return nil, fmt.Errorf("putting back what a command changed: %w", err)
		}
		s, err := now.step(c.Before)
		if err != nil {
			return nil, fmt.Errorf("putting back what a command changed: %w", err)
		}
		if is, err := c.After.Bytes(); err != nil || !bytes.Equal(is, now.data) {
			continue
		}
		steps, back = append(steps, s), append(back, c)
		before := c.entry.Before
		entries = append(entries, Entry{Turn: c.entry.Turn, Name: c.Name, Before: *c.entry.After, After: &before, Command: true})
	}
	if len(steps) == 0 {
		return nil, nil
	}
	undo, err := restore(ctx, e.r.o.Place.Tree(), steps)
	if err != nil {
		return nil, fmt.Errorf("putting back what a command changed: %w", err)
	}
	if err := e.r.o.Journal.Add(entries...); err != nil { // a rewind would not know of it
		return nil, errors.Join(err, undo())
	}
	return back, nil
}

// Propose proposes changes that were put back, to be decided by the user.
func (e Ended) Propose(ctx context.Context, c Call, changed []Change) (ledger.ChangeSet, error) {
	e.r.o.Workspace.Refresh(ctx)
	snap := e.r.o.Workspace.Snapshot()
	p := ledger.Proposal{SessionID: e.r.o.SessionID, TurnID: c.TurnID, CallID: c.ID, Title: c.Title, Origin: ledger.OfCommand, Round: c.Round}
	for _, x := range changed {
		if x.Before.Binary || x.After.Binary {
			return ledger.ChangeSet{}, fmt.Errorf("%s is no text", x.Name)
		}
		f := ledger.Proposed{Path: x.Name, URI: ide.FileURI(x.Name), Op: ledger.Modify, New: x.After.Text}
		if !x.Before.Exists {
			f.Op, f.Base = ledger.Create, ide.File{Path: x.Name, Text: ide.NewText(""), Format: x.After.Format, Mode: x.After.Mode}
			p.Files = append(p.Files, f)
			continue
		}
		base, err := snap.Read(ctx, x.Name)
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
			merged, ok := Merge(x.Before.Text, text, x.After.Text)
			if !ok {
				return ledger.ChangeSet{}, fmt.Errorf("%s has unsaved changes in the same lines", x.Name)
			}
			f.New = merged
		}
		p.Files = append(p.Files, f)
	}
	return e.r.o.Ledger.Propose(ctx, p)
}
