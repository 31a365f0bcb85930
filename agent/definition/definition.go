// Package definition reads the files in which users and projects define things for
// emendo: commands, skills and agents. It finds and reads the files of a folder, and has
// the skills; what those of commands and agents say is known to the packages that use
// them. It does not know trust, which its callers check first.
package definition

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/emendo-dev/emendo/ide/disk"
)

// Bounds of what is read from one folder.
const (
	maxFile    = 256 << 10 // bytes
	maxFiles   = 500
	maxEntries = 5000 // files and folders that are looked at
	maxDepth   = 8    // folders below the folder itself
)

// A Scope is whose definition it is.
type Scope string

// The scopes, the weakest first.
const (
	BuiltIn   Scope = "built in"
	Extension Scope = "extension"
	User      Scope = "user"
	Project   Scope = "project"
)

// With returns the scope with the name of the extension that a definition belongs to, if any.
func (s Scope) With(extension string) string { return strings.TrimSpace(string(s) + " " + extension) }

// A Folder holds definitions.
type Folder struct {
	Path  string // absolute
	Scope Scope
	// Extension is the name of the extension that it belongs to, if any.
	Extension string
	// Tree confines reading to the folders of a project. Nil, for the user's own
	// folders, follows links anywhere.
	Tree *disk.Tree
}

// A File is one file of a folder.
type File struct {
	Folder Folder
	Name   string // relative to the folder, slash-separated
	Path   string // absolute
	Text   string
	Err    error // why it could not be read; then Text is empty
}

// Read returns the files of a folder whose relative names wanted accepts, sorted
// by name. It enters the folders below that enter accepts; nil enters none.
// Links are followed. A folder that does not exist has no files.
func Read(ctx context.Context, f Folder, wanted, enter func(name string) bool) []File {
	r := reader{folder: f, wanted: wanted, enter: enter}
	r.read(ctx, ".", 0)
	slices.SortFunc(r.files, func(a, b File) int { return strings.Compare(a.Name, b.Name) })
	return r.files
}

// List returns the names of the files in a folder and below it, relative to it,
// slash-separated and sorted, without those of node_modules and .git.
func List(ctx context.Context, f Folder) []string {
	all := func(string) bool { return true }
	r := reader{folder: f, wanted: all, named: true, enter: func(name string) bool {
		return !slices.Contains([]string{"node_modules", ".git"}, path.Base(name))
	}}
	r.read(ctx, ".", 0)
	var names []string
	for _, file := range r.files {
		if file.Err == nil {
			names = append(names, file.Name)
		}
	}
	slices.Sort(names)
	return names
}

type reader struct {
	folder        Folder
	wanted, enter func(name string) bool
	named         bool // only names are wanted
	files         []File
	entries       int
}

func (r *reader) read(ctx context.Context, dir string, depth int) {
	add := func(name, text string, err error) {
		r.files = append(r.files, File{Folder: r.folder, Name: name, Path: r.folder.path(name), Text: text, Err: err})
	}
	entries, err := r.folder.list(dir)
	if err != nil {
		if !errors.Is(err, fs.ErrNotExist) && !errors.Is(err, disk.ErrNotDir) {
			add(dir, "", err)
		}
		return
	}
	slices.SortFunc(entries, func(a, b fs.DirEntry) int { return strings.Compare(a.Name(), b.Name()) })
	for _, e := range entries {
		if r.entries++; r.entries > maxEntries || len(r.files) >= maxFiles || ctx.Err() != nil {
			return
		}
		name := path.Join(dir, e.Name())
		info, err := r.folder.stat(name)
		switch {
		case err == nil && info.IsDir():
			if depth < maxDepth && r.enter != nil && r.enter(name) {
				r.read(ctx, name, depth+1)
			}
		case !r.wanted(name), err == nil && !info.Mode().IsRegular():
		case err != nil, r.named:
			add(name, "", err)
		default:
			text, err := r.folder.text(ctx, name)
			add(name, text, err)
		}
	}
}

func (f Folder) path(name string) string { return filepath.Join(f.Path, filepath.FromSlash(name)) }

func (f Folder) list(name string) ([]fs.DirEntry, error) {
	if f.Tree == nil {
		return os.ReadDir(f.path(name))
	}
	p, err := f.Tree.Resolve(f.path(name))
	if err != nil {
		return nil, err
	}
	return f.Tree.ReadDir(p)
}

// stat describes a file, or what a link leads to.
func (f Folder) stat(name string) (fs.FileInfo, error) {
	if f.Tree == nil {
		return os.Stat(f.path(name))
	}
	p, err := f.Tree.Resolve(f.path(name))
	if err != nil {
		return nil, err
	}
	return f.Tree.Stat(p)
}

func (f Folder) text(ctx context.Context, name string) (string, error) {
	at, tree := f.path(name), f.Tree
	if tree == nil { // confine the reading to the folder that a link leads to
		at = disk.RealPath(at)
		own, err := disk.NewTree([]string{filepath.Dir(at)})
		if err != nil {
			return "", err
		}
		defer own.Close()
		tree = own
	}
	p, err := tree.Resolve(at)
	if err != nil {
		return "", err
	}
	t, err := tree.ReadTextLimit(ctx, p, maxFile)
	return t.Text, err
}
