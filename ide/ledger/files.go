package ledger

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"strings"
	"unicode/utf8"

	"github.com/emendo-dev/emendo/ide"
	"github.com/emendo-dev/emendo/ide/diff"
	"github.com/emendo-dev/emendo/ide/disk"
)

// files reads and writes the files of change sets that no editor has open.
type files struct{ workspace *ide.Workspace }

// onDisk is the content of a path on the disk.
type onDisk struct {
	text   *ide.Text
	exists bool
	stored
}

// stored describes the bytes of a file on disk.
type stored struct {
	format disk.Format // for new files too
	hash   disk.Hash   // zero if there is no file
	mode   fs.FileMode // its permissions, or its last ones; zero if it was never there
}

// noFile is the content of a path without a file.
func noFile() onDisk { return onDisk{text: ide.NewText("")} }

// document returns the open document of a place, or nil.
func (f files) document(p *place) *ide.Document {
	s := f.workspace.Snapshot()
	if p.path != "" {
		return s.DocumentAt(p.path)
	}
	return s.Document(p.uri)
}

// loadAny is load for a file that counts as missing if it cannot be read.
func (f files) loadAny(ctx context.Context, path string) onDisk {
	found, err := f.load(ctx, path)
	if err != nil {
		return noFile()
	}
	return found
}

// load reads a file of the workspace. Missing files, and paths that have become
// links, are empty.
func (f files) load(ctx context.Context, path string) (onDisk, error) {
	if path == "" {
		return noFile(), nil
	}
	now := f.workspace.Snapshot()
	p, err := now.Tree().At(path)
	if err != nil {
		return noFile(), err
	}
	t, err := now.Tree().ReadText(ctx, p)
	if d := now.DocumentAt(path); err == nil && t.Format.Guessed() && d != nil && !d.Unsaved && d.Text.String() != t.Text {
		if data, err := now.Tree().ReadBytes(ctx, p, disk.ReadLimit); err == nil {
			disk.Learn(path, data, d.Text.String())
		}
		t, err = now.Tree().ReadText(ctx, p)
	}
	switch {
	case errors.Is(err, fs.ErrNotExist), errors.Is(err, disk.ErrMoved):
		return noFile(), nil
	case err != nil:
		return noFile(), err
	}
	return onDisk{ide.NewText(t.Text), true, stored{t.Format, t.Hash, t.Mode}}, nil
}

// read returns the live text of a path, or of a document that is not a file by its
// URI. For a missing file it returns the path and an empty text with the error.
func (f files) read(ctx context.Context, name string) (ide.File, error) {
	s := f.workspace.Snapshot()
	if d := s.Document(ide.ParseURI(name)); d != nil {
		return ide.File{Path: d.Path, Document: d, Text: d.Text}, nil
	}
	found, err := s.Read(ctx, name)
	if errors.Is(err, fs.ErrNotExist) {
		if p, rerr := s.Tree().Resolve(name); rerr == nil {
			return ide.File{Path: p.Abs, Text: ide.NewText("")}, err
		}
	}
	return found, err
}

// diffName returns the name in a diff of a file, or of a document that is not a file by its
// URI. side is a or b.
func (f files) diffName(path string, uri ide.URI, side string) string {
	if path == "" {
		return string(uri)
	}
	if p, err := f.workspace.Snapshot().Tree().Resolve(path); err == nil {
		return side + "/" + p.Rel
	}
	return side + filepath.ToSlash(path)
}

// unified returns the diff of a file, which moves to newPath.
func (f files) unified(op Op, path, newPath string, uri ide.URI, before, after string) string {
	a, b := f.diffName(path, uri, "a"), f.diffName(newPath, uri, "b")
	if op == Create {
		a = devNull
	}
	if op == Delete {
		b = devNull
	}
	return diff.Unified(a, b, before, after)
}

// devNull is the name in a diff of a file that does not exist.
const devNull = "/dev/null"

// isStale reports whether an error means that the file has changed on disk.
func isStale(err error) bool {
	return errors.Is(err, disk.ErrChanged) || errors.Is(err, fs.ErrExist) || errors.Is(err, fs.ErrNotExist)
}

// carryOut makes a change on disk, of the exact file that was decided about only.
func (f files) carryOut(ctx context.Context, w *write) error {
	tree, from := f.workspace.Snapshot().Tree(), f.workspace.Source()
	path, err := tree.At(w.path)
	if err != nil {
		return err
	}
	// Another program may not keep an encoding, so only we write such a file, and only
	// we remove and rename.
	others := from != nil && !w.remove && w.to == "" && w.format.Plain()
	if from != nil && !others && from.Document(ctx, path.Abs) != nil {
		return fmt.Errorf("the file was opened: %w", disk.ErrChanged)
	}
	switch {
	case w.remove:
		return tree.Remove(ctx, path, &w.hash)
	case w.to != "":
		from, err := tree.At(w.from)
		if err != nil {
			return err
		}
		to, err := tree.At(w.to)
		if err != nil {
			return err
		}
		return tree.Rename(ctx, from, to)
	}
	text, hash, before := w.base.Replace(w.splices), w.hash, w.base
	if w.text != nil {
		text, hash, before = ide.NewText(*w.text), disk.Hash{}, nil
	}
	if others {
		done, err := from.Write(ctx, path.Abs, before, text)
		if done && err == nil && before == nil && w.mode != 0 {
			err = tree.Chmod(path, w.mode) // the editor knows nothing of the file that was there
		}
		if done || err != nil {
			return err
		}
	}
	data, err := disk.Encode(text.String(), w.format)
	if errors.Is(err, disk.ErrEncoding) && isASCII(w.base) { // ASCII does not need the old encoding
		data, err = disk.Encode(text.String(), disk.Format{})
	}
	if err != nil {
		return err
	}
	if err := tree.Write(ctx, path, data, disk.WriteOptions{Expect: &hash, Mode: w.mode}); err != nil || w.chmod == 0 {
		return err
	}
	return tree.Chmod(path, w.chmod)
}

// isASCII reports whether a text has ASCII characters only.
func isASCII(t *ide.Text) bool {
	return !strings.ContainsFunc(t.String(), func(r rune) bool { return r >= utf8.RuneSelf })
}
