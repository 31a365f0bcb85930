// Package walk lists the files below a folder of the workspace. It reads folders
// concurrently and yields them in order. It skips what the rules of package ignore
// exclude and the folder of chat documents, and follows no links. It does not look into
// files.
package walk

import (
	"context"
	"fmt"
	"io/fs"
	"iter"
	"path"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"github.com/emendo-dev/emendo/ide/disk"
	"github.com/emendo-dev/emendo/ide/ignore"
	"github.com/emendo-dev/emendo/internal/own"
)

// Dependencies are folders that hold nothing but what package managers installed.
var Dependencies = []string{"node_modules", "bower_components"}

// DefaultExclude are folders of dependencies and of version control, which searches
// skip whatever the rules say.
var DefaultExclude = append([]string{".git", ".svn", ".hg"}, Dependencies...)

// Options are options of [Files]. The zero value lists everything but .git.
type Options struct {
	Rules      *ignore.Rules // for the entries of the walked folder
	Exclude    []string      // names of folders to skip at any depth
	SkipHidden bool          // skip names that begin with a dot
	Folders    bool          // list folders too, each before its entries
	// Skip reports whether to skip a folder, by its path relative to the walked one; nil: none.
	// It is called concurrently.
	Skip    func(rel string) bool
	Workers int // folders that are read concurrently; 0: one for each processor
}

// File is a file that was found, or a folder if the options ask for folders. A link
// counts as a file, whatever it leads to.
type File struct {
	Rel  string      // slash-separated, relative to the walked folder
	Type fs.FileMode // the bits of its type only
}

// Gap is the error for a part of the tree that could not be listed, or for rules
// that could not be read and are not applied.
type Gap struct {
	Rel string // the folder, "." for the walked one
	Err error
}

// Error describes the gap.
func (g *Gap) Error() string { return fmt.Sprintf("%s: incomplete listing: %v", g.Rel, g.Err) }

// Unwrap returns the reason.
func (g *Gap) Unwrap() error { return g.Err }

// Files yields the files below dir in the order of [fs.WalkDir]. After a [*Gap]
// error the walk continues. When ctx ends, its cause is the last error. Memory use
// does not grow with the tree, only with its largest folder.
func Files(ctx context.Context, tree *disk.Tree, dir disk.Path, o Options) iter.Seq2[File, error] {
	return func(yield func(File, error) bool) {
		w := newWalker(ctx, tree, dir, o)
		defer w.helpers.Wait() // nothing outlives the walk
		defer w.stop()
		for range w.workers() - 1 {
			w.helpers.Go(w.readAhead)
		}
		top := &folder{rel: ".", rules: o.Rules, done: make(chan struct{})}
		if w.emit(top, yield) && ctx.Err() != nil {
			yield(File{}, context.Cause(ctx))
		}
	}
}

func (w *walker) workers() int {
	if w.o.Workers > 0 {
		return w.o.Workers
	}
	return runtime.GOMAXPROCS(0)
}

// emit yields a folder and everything below it, and reports whether the consumer
// wants more.
func (w *walker) emit(f *folder, yield func(File, error) bool) bool {
	w.await(f)
	if w.ctx.Err() != nil {
		return true
	}
	for _, err := range f.gaps {
		if !yield(File{}, err) {
			return false
		}
	}
	for i := range f.entries {
		e := &f.entries[i]
		if e.below == nil || w.o.Folders {
			if !yield(e.File, nil) {
				return false
			}
		}
		if e.below == nil {
			continue
		}
		if !w.emit(e.below, yield) {
			return false
		}
		e.below = nil // its entries are no longer needed
		if w.ctx.Err() != nil {
			return true
		}
	}
	w.forget(len(f.entries))
	return true
}

// list reads a folder and keeps the entries to yield.
func (w *walker) list(f *folder) {
	defer close(f.done)
	p := w.path(f.rel)
	found, err := w.tree.List(p)
	if err != nil {
		f.gaps = append(f.gaps, &Gap{f.rel, err})
		return
	}
	if f.above != nil {
		f.rules = f.above.rules.Enter(f.name(), w.gitignore(f, p, found))
	}
	f.entries = make([]entry, 0, len(found))
	for _, e := range found {
		isDir := e.Type.IsDir()
		if w.leftOut(e.Name, isDir) || isDir && e.Name == "chats" && path.Base(p.Rel) == own.Emendo || f.rules.Ignored(e.Name, isDir) {
			continue
		}
		rel := e.Name
		if f.above != nil {
			rel = f.rel + "/" + e.Name
		}
		if isDir && w.o.Skip != nil && w.o.Skip(rel) {
			continue
		}
		kept := entry{File: File{rel, e.Type}}
		if isDir {
			kept.below = &folder{rel: rel, above: f, done: make(chan struct{})}
		}
		f.entries = append(f.entries, kept)
	}
	// All paths begin with that of the folder, so they sort like the names.
	slices.SortFunc(f.entries, func(a, b entry) int { return strings.Compare(a.Rel, b.Rel) })
	w.offer(f)
}

func (w *walker) leftOut(name string, isDir bool) bool {
	return w.o.SkipHidden && name[0] == '.' || isDir && slices.Contains(w.o.Exclude, name)
}

// gitignore returns the text of a folder's .gitignore.
func (w *walker) gitignore(f *folder, p disk.Path, found []disk.Entry) string {
	const name = ".gitignore"
	if !f.above.rules.Git() || !slices.Contains(found, disk.Entry{Name: name}) {
		return ""
	}
	text, err := w.tree.ReadBytes(w.ctx, p.Join(name), ignore.Limit)
	if err != nil {
		f.gaps = append(f.gaps, &Gap{f.rel, err})
	}
	return string(text)
}

// path returns the path of a folder of the walk.
func (w *walker) path(rel string) disk.Path {
	if rel == "." {
		return w.dir
	}
	p := disk.Path{Abs: w.dir.Abs + string(filepath.Separator) + filepath.FromSlash(rel), Root: w.dir.Root, Rel: rel}
	if w.dir.Rel != "." {
		p.Rel = w.dir.Rel + "/" + rel
	}
	return p
}
