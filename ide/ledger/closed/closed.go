// Package closed reads and writes the files that no editor has open, for the ledger.
package closed

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"strings"
	"unicode/utf8"

	"github.com/emendo-dev/emendo/ide"
	"github.com/emendo-dev/emendo/ide/disk"
)

// Files are the files of a workspace.
type Files struct{ *ide.Workspace }

// State is the content of a path on the disk.
type State struct {
	Text   *ide.Text
	Exists bool
	Format disk.Format
	Hash   disk.Hash
	Mode   fs.FileMode // the permissions
}

// None is the state of a path without a file.
func None() State { return State{Text: ide.NewText("")} }

// Change is a change of a file: of its text, or one of the others.
type Change struct {
	Path    string
	Base    *ide.Text // that the splices are for
	Format  disk.Format
	Hash    disk.Hash
	Mode    fs.FileMode // of a new file
	Splices []ide.Splice
	Text    *string     // of a new file
	Chmod   fs.FileMode // if not zero, the permissions from then on
	Remove  bool
	From,
	To string // the paths of a rename
}

// LoadAny is Load for a file that counts as missing if it cannot be read.
func (w Files) LoadAny(ctx context.Context, path string) State {
	s, err := w.Load(ctx, path)
	if err != nil {
		return None()
	}
	return s
}

// Load reads a file of the workspace. Missing files, and paths that have become
// links, are empty.
func (w Files) Load(ctx context.Context, path string) (State, error) {
	none := None()
	if path == "" {
		return none, nil
	}
	tree := w.Snapshot().Tree()
	p, err := tree.At(path)
	if err != nil {
		return none, err
	}
	t, err := tree.ReadText(ctx, p)
	if d := w.Snapshot().DocumentAt(path); err == nil && t.Format.Guessed() && d != nil && !d.Unsaved && d.Text.String() != t.Text {
		if data, err := tree.ReadBytes(ctx, p, disk.ReadLimit); err == nil {
			disk.Learn(path, data, d.Text.String())
		}
		t, err = tree.ReadText(ctx, p)
	}
	switch {
	case errors.Is(err, fs.ErrNotExist), errors.Is(err, disk.ErrMoved):
		return none, nil
	case err != nil:
		return none, err
	}
	return State{ide.NewText(t.Text), true, t.Format, t.Hash, t.Mode}, nil
}

// Read returns the live text of a path, or of a document that is not a file by its
// URI. For a missing file it returns the path and an empty text with the error.
func (w Files) Read(ctx context.Context, name string) (ide.File, error) {
	s := w.Snapshot()
	if d := s.Document(ide.ParseURI(name)); d != nil {
		return ide.File{Path: d.Path, Document: d, Text: d.Text}, nil
	}
	f, err := s.Read(ctx, name)
	if errors.Is(err, fs.ErrNotExist) {
		if p, rerr := s.Tree().Resolve(name); rerr == nil {
			return ide.File{Path: p.Abs, Text: ide.NewText("")}, err
		}
	}
	return f, err
}

// DiffName returns the name in a diff of a file, or of a document that is not a file by its
// URI. side is a or b.
func (w Files) DiffName(path string, uri ide.URI, side string) string {
	if path == "" {
		return string(uri)
	}
	if p, err := w.Snapshot().Tree().Resolve(path); err == nil {
		return side + "/" + p.Rel
	}
	return side + filepath.ToSlash(path)
}

// IsStale reports whether an error means that the file has changed on disk.
func IsStale(err error) bool {
	return errors.Is(err, disk.ErrChanged) || errors.Is(err, fs.ErrExist) || errors.Is(err, fs.ErrNotExist)
}

// Make carries out a change. It only changes the exact file that was decided about.
func (ws Files) Make(ctx context.Context, w Change) error {
	text, format, hash := w.Base, w.Format, w.Hash
	tree := ws.Snapshot().Tree()
	path, err := tree.At(w.Path)
	if err != nil {
		return err
	}
	from := ws.Source()
	// Another program may not keep an encoding, so only we write such a file, and only
	// we remove and rename.
	written := !w.Remove && w.To == "" && format.Plain()
	if from != nil && !written && from.Document(ctx, path.Abs) != nil {
		return fmt.Errorf("the file was opened: %w", disk.ErrChanged)
	}
	was, before := text, text
	switch {
	case w.Remove:
		return tree.Remove(ctx, path, &hash)
	case w.To != "":
		from, err := tree.At(w.From)
		if err != nil {
			return err
		}
		to, err := tree.At(w.To)
		if err != nil {
			return err
		}
		return tree.Rename(ctx, from, to)
	case w.Text != nil:
		text, hash, before = ide.NewText(*w.Text), disk.Hash{}, nil
	default:
		text = text.Replace(w.Splices)
	}
	if from != nil && written {
		done, err := from.Write(ctx, path.Abs, before, text)
		if done && err == nil && before == nil && w.Mode != 0 {
			err = tree.Chmod(path, w.Mode) // the editor knows nothing of the file that was there
		}
		if done || err != nil {
			return err
		}
	}
	data, err := disk.Encode(text.String(), format)
	if errors.Is(err, disk.ErrEncoding) && IsASCII(was) { // ASCII does not need the old encoding
		data, err = disk.Encode(text.String(), disk.Format{})
	}
	if err != nil {
		return err
	}
	if err := tree.Write(ctx, path, data, disk.WriteOptions{Expect: &hash, Mode: w.Mode}); err != nil || w.Chmod == 0 {
		return err
	}
	return tree.Chmod(path, w.Chmod)
}

// IsASCII reports whether a text has ASCII characters only.
func IsASCII(t *ide.Text) bool {
	return !strings.ContainsFunc(t.String(), func(r rune) bool { return r >= utf8.RuneSelf })
}
