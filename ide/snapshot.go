package ide

import (
	"context"
	"maps"
	"slices"

	"github.com/emendo-dev/emendo/ide/disk"
)

// Snapshot is an unchanging view of the open documents over the disk as it is
// when it is read. Open text wins.
type Snapshot struct {
	tree  *disk.Tree
	open  map[URI]*Document
	paths map[string]URI // of open files, by absolute path with links resolved
}

// File is what a path holds: the editor's text if it is open there, else the
// disk's.
type File struct {
	Path     string    // absolute, links resolved
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
func (s *Snapshot) Document(u URI) *Document { return s.open[u] }

// DocumentAt is the open document of the file at that absolute path, links
// resolved, or nil.
func (s *Snapshot) DocumentAt(path string) *Document { return s.open[s.paths[path]] }

// Documents are the open documents, ordered by URI.
func (s *Snapshot) Documents() []*Document {
	l := make([]*Document, 0, len(s.open))
	for _, u := range slices.Sorted(maps.Keys(s.open)) {
		l = append(l, s.open[u])
	}
	return l
}

// Read gives the text of a file of the workspace. name is absolute or relative
// to the first folder. Its errors are package disk's.
func (s *Snapshot) Read(ctx context.Context, name string) (File, error) {
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
