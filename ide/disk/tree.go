package disk

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/emendo-dev/emendo/internal/paths"
)

// Errors about paths and files.
var (
	ErrOutside  = errors.New("the path is outside the workspace")
	ErrIsDir    = errors.New("the path is a folder")
	ErrNotDir   = errors.New("a part of the path is not a folder")
	ErrNotFile  = errors.New("not a regular file")
	ErrBinary   = errors.New("the file is binary")
	ErrEncoding = errors.New("invalid text encoding")
	ErrTooLarge = errors.New("the file is too large")
	ErrChanged  = errors.New("the file has changed on disk since it was read")
	ErrMoved    = errors.New("the path leads elsewhere since it was resolved")
	ErrName     = errors.New("invalid path")
)

// Tree provides access to the folders of a workspace. It is safe for concurrent use. A
// nil Tree has no folders.
type Tree struct {
	roots  []root
	copies func() (folder, error) // opens the folder of copies of files that are written in place
}

// root is one folder of the workspace.
type root struct {
	path   string // absolute, links resolved
	dir    folder
	direct *direct // a faster way to read, or nil
}

// Path is a place in the tree.
type Path struct {
	Abs  string // absolute, links resolved
	Root string // the folder it is in, links resolved
	Rel  string // slash-separated, relative to Root; "." is Root itself
}

// Join returns the path of name below p. name is slash-separated and free of links.
func (p Path) Join(name string) Path {
	// A fast path for the many names of a walk, which are clean.
	if p.Rel == "." && !os.IsPathSeparator(p.Abs[len(p.Abs)-1]) && path.Clean(name) == name && name[0] != '/' && name[0] != '.' {
		return Path{Abs: p.Abs + string(filepath.Separator) + filepath.FromSlash(name), Root: p.Root, Rel: name}
	}
	return Path{Abs: filepath.Join(p.Abs, filepath.FromSlash(name)), Root: p.Root, Rel: path.Join(p.Rel, name)}
}

// Hash is a hash of a file's bytes. The zero Hash means that there is no file.
type Hash [sha256.Size]byte

// NewTree opens the folders, which must exist. Relative names are relative to the
// first one.
func NewTree(folders []string) (*Tree, error) {
	t := &Tree{copies: openCopies}
	for _, name := range folders {
		if err := t.add(name); err != nil {
			t.Close()
			return nil, fmt.Errorf("open workspace folder %s: %w", name, reason(err))
		}
	}
	return t, nil
}

func (t *Tree) add(name string) error {
	real, err := filepath.Abs(name)
	if err != nil {
		return err
	}
	if real, err = filepath.EvalSymlinks(real); err != nil {
		return err
	}
	if slices.Contains(t.Folders(), real) {
		return nil
	}
	dir, err := os.OpenRoot(real)
	if err != nil {
		return err
	}
	t.roots = append(t.roots, root{real, rootFolder{dir}, newDirect(dir)})
	return nil
}

// Close closes the folders. The tree cannot be used afterwards.
func (t *Tree) Close() error {
	var errs []error
	for _, r := range t.roots {
		errs = append(errs, r.direct.Close(), r.dir.Close())
	}
	return errors.Join(errs...)
}

// Folders returns the absolute paths of the folders, links resolved.
func (t *Tree) Folders() []string {
	if t == nil {
		return nil
	}
	l := make([]string, len(t.roots))
	for i, r := range t.roots {
		l[i] = r.path
	}
	return l
}

// Contains reports whether an absolute path, links resolved, is in the tree.
func (t *Tree) Contains(path string) bool {
	_, err := t.At(path)
	return err == nil
}

// At returns the Path of an absolute path whose links were resolved before. No link
// is followed now: reading and writing reach the file that was decided about, and
// fail with ErrMoved if a link is in the way since.
func (t *Tree) At(path string) (Path, error) {
	p, ok := t.place(filepath.Clean(path))
	if !ok {
		return Path{}, t.outside(path)
	}
	return p, nil
}

// outside returns the error for a path that leads out of the tree.
func (t *Tree) outside(path string) error {
	return fmt.Errorf("%q: %w, whose folders are %s", path, ErrOutside, strings.Join(t.Folders(), ", "))
}

// place maps an absolute path to the innermost folder that contains it.
func (t *Tree) place(path string) (Path, bool) {
	var best Path
	for _, folder := range t.Folders() {
		rel, ok := paths.CutFolder(path, folder)
		if ok && len(folder) >= len(best.Root) {
			best = Path{Abs: path, Root: folder, Rel: filepath.ToSlash(rel)}
		}
	}
	return best, best.Root != ""
}

// root returns the opened folder that p is in.
func (t *Tree) root(p Path) (*root, error) {
	if t != nil && path.Clean(p.Rel) == p.Rel && filepath.IsLocal(filepath.FromSlash(p.Rel)) {
		for i := range t.roots {
			if t.roots[i].path == p.Root {
				return &t.roots[i], nil
			}
		}
	}
	return nil, ErrOutside
}
