package ide

import (
	"context"

	"github.com/emendo-dev/emendo/ide/disk"
)

// Snapshot is an unchanging view of the open documents over the disk as it is
// when it is read. Open text wins.
type Snapshot struct {
	tree *disk.Tree
	open documents
}

// File is what a path holds: the editor's text if it is open there, else the
// disk's.
type File struct {
	Path     string    // absolute, links resolved; empty of a document that is no file
	Document *Document // nil when no editor has it open
	Text     *Text     // decoded
	Format   disk.Format
	Hash     disk.Hash // of the bytes on disk; zero when open
}

// Tree is the folders of the workspace.
func (s *Snapshot) Tree() *disk.Tree { return s.tree }

// Within is the same view over other folders.
func (s *Snapshot) Within(t *disk.Tree) *Snapshot {
	v := *s
	v.tree = t
	return &v
}

// Document is the open document of that URI, or nil.
func (s *Snapshot) Document(u URI) *Document { return s.open.get(u) }

// DocumentAt is the open document of the file at that absolute path, links
// resolved, or nil.
func (s *Snapshot) DocumentAt(path string) *Document { return s.open.get(s.open.paths[path]) }

// Documents are the open documents, ordered by URI.
func (s *Snapshot) Documents() []*Document { return s.open.all() }

// Read gives the text of a file of the workspace, or of an open document that
// is no file. name is a path, absolute or relative to the first folder, or a
// URI. Its errors are package disk's: what is open does not make a path outside
// the workspace one inside.
func (s *Snapshot) Read(ctx context.Context, name string) (File, error) {
	if u := ParseURI(name); u.Path() != "" {
		name = u.Path()
	} else if d := s.Document(u); d != nil {
		return File{Path: d.Path, Document: d, Text: d.Text}, nil
	}
	p, err := s.tree.Resolve(name)
	if err != nil {
		return File{}, err
	}
	if d := s.DocumentAt(p.Abs); d != nil {
		return File{Path: p.Abs, Document: d, Text: d.Text}, nil
	}
	f, err := s.tree.ReadText(ctx, p)
	if err != nil {
		return File{}, err
	}
	return File{Path: p.Abs, Text: NewText(f.Text), Format: f.Format, Hash: f.Hash}, nil
}
