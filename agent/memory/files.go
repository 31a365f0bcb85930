// Package memory owns what the user and their projects have written down for
// the model: context files with their imports, and the facts that were saved on
// the user's word. It reads files of the folders that it is given and nothing
// else; it knows neither sessions nor trust, which its callers ask first.
package memory

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

// DefaultNames are what context files are called when nobody says otherwise.
var DefaultNames = []string{"AGENTS.md", "GEMINI.md", "CLAUDE.md"}

// MaxFile bounds a context file with everything that it imports, in bytes; the
// rest is left out, and the text says so. A longer one is no help to a model.
const MaxFile = 64 << 10

// maxFiles bounds how many files one look gives.
const maxFiles = 20

// File is a context file as the model reads it.
type File struct {
	Path disk.Path
	Text string // imports put in
	// Imports are the files that were put in, by absolute path, in the order in
	// which they stand.
	Imports []string
}

// Look says what to look for, and where.
type Look struct {
	Tree  *disk.Tree
	Names []string // of context files; nil: [DefaultNames]
	// Left says that a file is not wanted, by its absolute path; nil: all are.
	Left func(path string) bool
	// Have are files, by absolute path, that are known already.
	Have []string
	// Rules say which files are kept from models. Git's do not: what is not
	// committed can be for this user's model all the same.
	Rules ignore.Options
}

// Roots gives the context files of the tree's folders themselves.
func (l Look) Roots(ctx context.Context) []File {
	var found []File
	for _, r := range l.Tree.Folders() {
		l.folder(ctx, disk.Path{Abs: r, Root: r, Rel: "."}, &found)
	}
	return found
}

// Above gives the context files of the folders between the workspace's folder
// and the place that a tool touched, the farthest first. It looks into no
// folder that holds other people's files or is ignored: what came with a
// dependency has no say here.
func (l Look) Above(ctx context.Context, place string) []File {
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

// folder adds the context files of one folder. A file that cannot be read is
// left out: the model can do nothing about it.
func (l Look) folder(ctx context.Context, dir disk.Path, found *[]File) {
	names := l.Names
	if names == nil {
		names = DefaultNames
	}
	for _, name := range names {
		if filepath.Base(name) != name || secret.Named(name) {
			continue // it comes from settings, and may be meant to reach further
		}
		p, err := l.Tree.Resolve(dir.Join(name).Abs)
		if err != nil || len(*found) == maxFiles || l.Left != nil && l.Left(p.Abs) {
			continue
		}
		if secret.Named(p.Abs) || l.kept(ctx, p) || l.kept(ctx, dir.Join(name)) { // a link has two names
			continue
		}
		info, err := l.Tree.Stat(p)
		if err != nil || !info.Mode().IsRegular() || l.known(info, p, *found) {
			continue
		}
		f := l.read(ctx, p)
		same := func(o File) bool { return o.Text == f.Text } // a copy for another agent
		if strings.TrimSpace(f.Text) != "" && !slices.ContainsFunc(*found, same) {
			*found = append(*found, f)
		}
	}
}

// kept says whether a file is kept from models. It is where nobody can tell.
func (l Look) kept(ctx context.Context, p disk.Path) bool {
	o := l.Rules
	o.NoGit = true
	hides, err := ignore.Ignored(ctx, l.Tree, p, false, o)
	return err != nil || hides
}

// known says whether a file was found already, under whatever name.
func (l Look) known(info disk.Info, p disk.Path, found []File) bool {
	same := func(other disk.Path) bool {
		if other.Abs == p.Abs {
			return true
		}
		i, err := l.Tree.Stat(other)
		return err == nil && os.SameFile(i.FileInfo, info.FileInfo)
	}
	for _, f := range found {
		if same(f.Path) {
			return true
		}
	}
	for _, path := range l.Have {
		if other, err := l.Tree.Resolve(path); err == nil && same(other) {
			return true
		}
	}
	return false
}

// parent is the folder that p is in, or the root itself.
func parent(p disk.Path) disk.Path {
	root := disk.Path{Abs: p.Root, Root: p.Root, Rel: "."}
	i := strings.LastIndexByte(p.Rel, '/')
	if i < 0 {
		return root
	}
	return root.Join(p.Rel[:i])
}

// why puts the error of a file in a few words.
func why(err error) string {
	switch {
	case errors.Is(err, disk.ErrOutside):
		return "it is outside the workspace"
	case errors.Is(err, fs.ErrNotExist), errors.Is(err, disk.ErrNotDir):
		return "there is no such file"
	case errors.Is(err, disk.ErrIsDir):
		return "it is a folder"
	case errors.Is(err, disk.ErrTooLarge):
		return "it is too large"
	case errors.Is(err, disk.ErrBinary), errors.Is(err, disk.ErrEncoding):
		return "it is no text"
	}
	return "it cannot be read"
}
