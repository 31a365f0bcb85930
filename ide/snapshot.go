package ide

import (
	"cmp"
	"context"
	"fmt"
	"io/fs"
	"slices"

	"github.com/emendo-dev/emendo/ide/disk"
)

// Snapshot is an immutable view of the open documents on top of the disk, which is
// read on demand. Open text takes precedence. Where a [Source] has the open text, it is
// read on demand too. [Snapshot.With] puts proposed text on top of both.
type Snapshot struct {
	tree   *disk.Tree
	open   documents
	source Source // nil: the editor reports its documents
	over   overlay
}

// File is the content of a path: the editor's text if it is open there, otherwise
// the disk's.
type File struct {
	Path     string    // absolute, links resolved; empty if the document is not a file
	Document *Document // nil if the file is not open
	Text     *Text     // decoded
	Format   disk.Format
	Hash     disk.Hash   // of the bytes on disk; zero if open
	Mode     fs.FileMode // permissions on disk; zero if open
}

// Tree returns the folders of the workspace.
func (s *Snapshot) Tree() *disk.Tree { return s.tree }

// Within returns the same view of other folders.
func (s *Snapshot) Within(t *disk.Tree) *Snapshot {
	v := *s
	v.tree = t
	return &v
}

// Document returns the open document of that URI, or nil.
func (s *Snapshot) Document(u URI) *Document {
	if i, ok := s.open.byURI[u]; ok {
		return s.open.list[i]
	}
	return nil
}

// DocumentAt returns the open document of the file at that absolute path, links
// resolved, or nil. Of a file that is open under two names it is the one opened
// last.
func (s *Snapshot) DocumentAt(path string) *Document {
	if i, ok := s.open.byPath[path]; ok {
		return s.open.list[i]
	}
	return nil
}

// Current is [Snapshot.DocumentAt] for whoever needs the text that the file has in the
// editor now: an editor that does not report its documents is asked. Everything that
// reads a file uses it, and the disk only if it returns nil and the file is not gone.
func (s *Snapshot) Current(ctx context.Context, path string) *Document {
	if d := s.DocumentAt(path); d != nil && d.Proposed || s.Gone(path) {
		return d
	}
	if s.source != nil {
		return s.source.Document(ctx, path)
	}
	return s.DocumentAt(path)
}

// Documents returns the open documents, ordered by URI.
func (s *Snapshot) Documents() []*Document {
	return slices.SortedFunc(slices.Values(s.open.list), func(a, b *Document) int { return cmp.Compare(a.URI, b.URI) })
}

// documents are the open documents. They never change: the methods return
// others. The maps are shared until a document is opened or closed, so a
// keystroke copies the list alone.
type documents struct {
	list   []*Document // in the order they were opened
	byURI  map[URI]int
	byPath map[string]int // of open files, by absolute path with links resolved
}

func newDocuments(list []*Document) documents {
	s := documents{list, make(map[URI]int, len(list)), make(map[string]int, len(list))}
	for i, d := range list {
		s.byURI[d.URI] = i
		if d.Path != "" {
			s.byPath[d.Path] = i
		}
	}
	return s
}

// opened adds a document, or replaces the one with its URI.
func (s documents) opened(d *Document) documents { return newDocuments(append(s.without(d.URI), d)) }

// changed replaces a document by a later version.
func (s documents) changed(d *Document) documents {
	s.list = slices.Clone(s.list)
	s.list[s.byURI[d.URI]] = d
	return s
}

// closed removes a document.
func (s documents) closed(u URI) documents { return newDocuments(s.without(u)) }

func (s documents) without(u URI) []*Document {
	return slices.DeleteFunc(slices.Clone(s.list), func(d *Document) bool { return d.URI == u })
}

// Read returns the text of a file in the workspace, or of an open document that is
// not a file. name is a URI or a path, absolute or relative to the first folder.
// Its errors are those of package disk: a path outside of the workspace is an error
// even if it is open.
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
	if d := s.Current(ctx, p.Abs); d != nil {
		return File{Path: p.Abs, Document: d, Text: d.Text}, nil
	}
	if s.Gone(p.Abs) {
		return File{}, fmt.Errorf("read %s: a proposed change removes it: %w", name, fs.ErrNotExist)
	}
	f, err := s.tree.ReadText(ctx, p)
	if err != nil {
		return File{}, err
	}
	return File{Path: p.Abs, Text: NewText(f.Text), Format: f.Format, Hash: f.Hash, Mode: f.Mode}, nil
}
