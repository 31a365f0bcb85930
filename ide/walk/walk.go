// Package walk lists the files below a folder of the workspace, several
// folders at once and yet in one order. It leaves out what rules of package
// ignore say and follows no link. It knows nothing of what is in the files.
package walk

import (
	"context"
	"fmt"
	"io/fs"
	"iter"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"github.com/emendo-dev/emendo/ide/disk"
	"github.com/emendo-dev/emendo/ide/ignore"
)

// DefaultExclude are folders of other people's files and of version control,
// which searches leave out whatever the rules say.
var DefaultExclude = []string{"node_modules", ".git", "bower_components", ".svn", ".hg"}

// Options of [Files]. With the zero value all is listed but .git.
type Options struct {
	Rules      *ignore.Rules // those for the entries of the folder that is walked
	Exclude    []string      // names of folders that are left out wherever they are
	SkipHidden bool          // leaves out names that begin with a dot
	Folders    bool          // lists folders too, each before what it holds
	Workers    int           // folders read at once; 0 is one for each processor
}

// File is a file that was found, or a folder if the options ask for these. A
// link is a file whatever it leads to.
type File struct {
	Rel  string      // slash-separated, from the folder that is walked
	Type fs.FileMode // the bits of its type only
}

// Gap is the error of a part of the tree that could not be listed, or of rules
// that could not be read and so do not hold.
type Gap struct {
	Rel string // the folder, "." for the one that is walked
	Err error
}

// Error says what is missing.
func (g *Gap) Error() string { return fmt.Sprintf("%s is not listed in full: %v", g.Rel, g.Err) }

// Unwrap gives the reason.
func (g *Gap) Unwrap() error { return g.Err }

// Files goes through the files below dir, ordered by the names of each folder,
// as [fs.WalkDir] does. An error that is a [*Gap] tells of something missing,
// and the walk goes on; when ctx ends, its cause is the last error. What is in
// memory at a time does not grow with the tree, only with its largest folder.
func Files(ctx context.Context, tree *disk.Tree, dir disk.Path, o Options) iter.Seq2[File, error] {
	return func(yield func(File, error) bool) {
		w := newWalker(ctx, tree, dir, o)
		defer w.helpers.Wait() // nothing outlives the walk
		defer w.stop()
		for range w.workers() - 1 {
			w.helpers.Go(w.help)
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

// emit yields a folder and all below it, and says whether more is wanted.
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

// list reads a folder and keeps what is to be yielded.
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
		if w.leftOut(e.Name, isDir) || f.rules.Ignored(e.Name, isDir) {
			continue
		}
		rel := e.Name
		if f.above != nil {
			rel = f.rel + "/" + e.Name
		}
		kept := entry{File: File{rel, e.Type}}
		if isDir {
			kept.below = &folder{rel: rel, above: f, done: make(chan struct{})}
		}
		f.entries = append(f.entries, kept)
	}
	// All begin with the folder's own path, so whole paths order as names do.
	slices.SortFunc(f.entries, func(a, b entry) int { return strings.Compare(a.Rel, b.Rel) })
	w.offer(f)
}

func (w *walker) leftOut(name string, isDir bool) bool {
	return w.o.SkipHidden && name[0] == '.' || isDir && slices.Contains(w.o.Exclude, name)
}

// gitignore is the text of a folder's .gitignore.
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

// path is where a folder of the walk is.
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
