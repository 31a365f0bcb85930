// Package definition reads the files in which users and projects define things for
// emendo: commands, skills and agents. It finds and reads the files of a folder, and has
// the skills; what those of commands and agents say is known to the packages that use
// them. It does not know trust, which its callers check first.
package definition

import (
	"context"
	"errors"
	"fmt"
	"io"
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
	names, err := r.folder.list(dir)
	if err != nil {
		if !errors.Is(err, fs.ErrNotExist) && !errors.Is(err, disk.ErrNotDir) {
			r.files = append(r.files, File{Folder: r.folder, Name: dir, Path: r.folder.path(dir), Err: err})
		}
		return
	}
	slices.Sort(names)
	for _, base := range names {
		if r.entries++; r.entries > maxEntries || len(r.files) >= maxFiles || ctx.Err() != nil {
			return
		}
		name := path.Join(dir, base)
		mode, err := r.folder.mode(name)
		switch {
		case err != nil:
			if r.wanted(name) {
				r.files = append(r.files, File{Folder: r.folder, Name: name, Path: r.folder.path(name), Err: err})
			}
		case mode.IsDir():
			if depth < maxDepth && r.enter != nil && r.enter(name) {
				r.read(ctx, name, depth+1)
			}
		case mode.IsRegular() && r.wanted(name):
			file := File{Folder: r.folder, Name: name, Path: r.folder.path(name)}
			if !r.named {
				file.Text, file.Err = r.folder.text(ctx, name)
			}
			r.files = append(r.files, file)
		}
	}
}

func (f Folder) path(name string) string { return filepath.Join(f.Path, filepath.FromSlash(name)) }

func (f Folder) list(name string) (names []string, err error) {
	var entries []fs.DirEntry
	if f.Tree == nil {
		entries, err = os.ReadDir(f.path(name))
	} else {
		var p disk.Path
		if p, err = f.Tree.Resolve(f.path(name)); err == nil {
			entries, err = f.Tree.ReadDir(p)
		}
	}
	for _, e := range entries {
		names = append(names, e.Name())
	}
	return names, err
}

// mode returns the mode of a file, or of what a link leads to.
func (f Folder) mode(name string) (fs.FileMode, error) {
	if f.Tree == nil {
		i, err := os.Stat(f.path(name))
		if err != nil {
			return 0, err
		}
		return i.Mode(), nil
	}
	p, err := f.Tree.Resolve(f.path(name))
	if err != nil {
		return 0, err
	}
	i, err := f.Tree.Stat(p)
	if err != nil {
		return 0, err
	}
	return i.Mode(), nil
}

func (f Folder) text(ctx context.Context, name string) (string, error) {
	if f.Tree != nil {
		p, err := f.Tree.Resolve(f.path(name))
		if err != nil {
			return "", err
		}
		t, err := f.Tree.ReadTextLimit(ctx, p, maxFile)
		return t.Text, err
	}
	file, err := os.Open(f.path(name))
	if err != nil {
		return "", err
	}
	defer file.Close()
	data, err := io.ReadAll(io.LimitReader(file, maxFile+1))
	if err != nil {
		return "", err
	}
	if len(data) > maxFile {
		return "", fmt.Errorf("read %s: %w: more than %d KiB", f.path(name), disk.ErrTooLarge, maxFile>>10)
	}
	text, _, err := disk.Decode(data)
	if err != nil {
		return "", fmt.Errorf("read %s: %w", f.path(name), err)
	}
	return text, nil
}
