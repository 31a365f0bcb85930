package briefing

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/emendo-dev/emendo/ide/disk"
	"github.com/emendo-dev/emendo/ide/ignore"
	"github.com/emendo-dev/emendo/ide/walk"
	"github.com/emendo-dev/emendo/internal/secret"
)

// defaultNames are the default names of context files.
var defaultNames = []string{"AGENTS.md", "GEMINI.md", "CLAUDE.md"}

// ContextNames returns the names of context files where the settings name further ones.
func ContextNames(further []string) []string { return slices.Concat(defaultNames, further) }

// maxContextFile bounds a context file with all its imports, in bytes. The rest is left out,
// and the text says so. A longer file does not help a model.
const maxContextFile = 64 << 10

// maxFiles bounds the files that a look returns.
const maxFiles = 20

// OfExtension is the scope of a context file of an installed extension.
const OfExtension = "extension"

// File is something written down for the model.
type File struct {
	Scope string // whose it is: user, [OfExtension], project, saved
	Name  string // as the model reads it
	Path  string // absolute
	Text  string // with imports inserted
	// Imports are the paths of the files that the text has parts of, in order of
	// appearance: absolute, or as the user reads them once the file has a name.
	Imports []string
}

// A lookup describes which context files to look for, and where. It reads only files of
// the folders that it is given, and knows nothing of trust.
type lookup struct {
	Tree  *disk.Tree
	Names []string // of context files; nil means [defaultNames]
	// Left reports whether to leave a file out, by its absolute path; nil keeps all.
	Left func(path string) bool
	// Have are the absolute paths of files that are already known.
	Have []string
	// Rules exclude files from models. Git's rules do not apply: a file that is not
	// committed can still be for this user's model.
	Rules ignore.Options
}

// roots returns the context files in the tree's folders themselves.
func (l lookup) roots(ctx context.Context) []File {
	var found []File
	for _, r := range l.Tree.Folders() {
		l.folder(ctx, disk.Path{Abs: r, Root: r, Rel: "."}, &found)
	}
	return found
}

// file returns the context file of that name, which may be in a folder below the
// tree's; none if there is no such file.
func (l lookup) file(ctx context.Context, name string) (found []File) {
	l.Names = []string{filepath.Base(name)}
	if dir, err := l.Tree.Resolve(filepath.Dir(name)); err == nil {
		l.folder(ctx, dir, &found)
	}
	return found
}

// above returns the context files of the folders between the workspace's folder and
// a place that a tool touched, the farthest first. It skips ignored folders and
// those of dependencies, whose context files do not apply here.
func (l lookup) above(ctx context.Context, place string) []File {
	p, err := l.Tree.Resolve(place)
	if err != nil {
		return nil
	}
	if i, err := l.Tree.Stat(p); err != nil || !i.IsDir() {
		p = parent(p)
	}
	if p.Rel == "." {
		return nil
	}
	if ignored, err := ignore.Ignored(ctx, l.Tree, p, true, ignore.Options{}); err != nil || ignored {
		return nil
	}
	var found []File
	at := disk.Path{Abs: p.Root, Root: p.Root, Rel: "."}
	for name := range strings.SplitSeq(p.Rel, "/") {
		if slices.Contains(walk.DefaultExclude, name) {
			break
		}
		at = at.Join(name)
		l.folder(ctx, at, &found)
	}
	return found
}

// folder adds the context files of one folder. It skips unreadable files, about
// which the model can do nothing.
func (l lookup) folder(ctx context.Context, dir disk.Path, found *[]File) {
	names := l.Names
	if names == nil {
		names = defaultNames
	}
	for _, name := range names {
		if filepath.Base(name) != name || secret.Named(name) {
			continue // a name from settings that would reach another folder
		}
		p, err := l.Tree.Resolve(dir.Join(name).Abs)
		if err != nil || len(*found) == maxFiles || l.Left != nil && l.Left(p.Abs) {
			continue
		}
		if secret.Named(p.Abs) || l.isExcluded(ctx, p) || l.isExcluded(ctx, dir.Join(name)) { // a link has two names
			continue
		}
		info, err := l.Tree.Stat(p)
		if err != nil || !info.Mode().IsRegular() || l.known(info, p, *found) {
			continue
		}
		f := l.read(ctx, p)
		same := func(o File) bool { // a copy for another agent, or imported there
			return o.Text == f.Text || slices.Contains(o.Imports, p.Abs)
		}
		if strings.TrimSpace(f.Text) != "" && !slices.ContainsFunc(*found, same) {
			// What it imports is in it.
			*found = append(slices.DeleteFunc(*found, func(o File) bool { return slices.Contains(f.Imports, o.Path) }), f)
		}
	}
}

// isExcluded reports whether a file is kept from models, also if that is uncertain.
func (l lookup) isExcluded(ctx context.Context, p disk.Path) bool {
	o := l.Rules
	o.NoGit = true
	ignored, err := ignore.Ignored(ctx, l.Tree, p, false, o)
	return err != nil || ignored
}

// known reports whether a file was already found, under any name.
func (l lookup) known(info disk.Info, p disk.Path, found []File) bool {
	same := func(other disk.Path) bool {
		if other.Abs == p.Abs {
			return true
		}
		i, err := l.Tree.Stat(other)
		return err == nil && os.SameFile(i.FileInfo, info.FileInfo)
	}
	paths := slices.Clone(l.Have)
	for _, f := range found {
		paths = append(paths, f.Path)
	}
	return slices.ContainsFunc(paths, func(path string) bool {
		other, err := l.Tree.Resolve(path)
		return err == nil && same(other)
	})
}

// parent returns the folder of p, or the root itself.
func parent(p disk.Path) disk.Path {
	root := disk.Path{Abs: p.Root, Root: p.Root, Rel: "."}
	i := strings.LastIndexByte(p.Rel, '/')
	if i < 0 {
		return root
	}
	return root.Join(p.Rel[:i])
}

// reasonOf returns the reason of an error in a few words.
func reasonOf(err error) string {
	switch {
	case errors.Is(err, disk.ErrOutside):
		return "it is outside the workspace"
	case errors.Is(err, fs.ErrNotExist), errors.Is(err, disk.ErrNotDir):
		return "no such file"
	case errors.Is(err, disk.ErrIsDir):
		return "it is a folder"
	case errors.Is(err, disk.ErrTooLarge):
		return "it is too large"
	case errors.Is(err, disk.ErrBinary), errors.Is(err, disk.ErrEncoding):
		return "it is not text"
	}
	return "it cannot be read"
}
