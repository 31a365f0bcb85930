package search

import (
	"context"
	"io/fs"
	"iter"
	"path/filepath"
	"slices"
	"strings"

	"github.com/emendo-dev/emendo/ide"
	"github.com/emendo-dev/emendo/ide/disk"
	"github.com/emendo-dev/emendo/ide/ignore"
	"github.com/emendo-dev/emendo/ide/walk"
	"github.com/emendo-dev/emendo/internal/paths"
)

// Files are the files below a folder as the user sees them: those on disk that
// the ignore rules do not exclude, and those that exist only in the editor or as a
// proposal.
type Files struct {
	Snapshot *ide.Snapshot
	Dir      disk.Path
	Rules    ignore.Options
	Exclude  []string              // names of folders to skip
	Match    func(rel string) bool // selects files by their path from Dir; nil selects all
}

// A File is one of the files below a folder.
type File struct {
	Rel  string // slash-separated, from the folder
	Path disk.Path
	Doc  *ide.Document // nil unless it is open in the editor
	Link bool
}

// All yields the files that exist only in the editor, then those on disk in
// order. If the rules exclude the folder itself, that is [ErrIgnored]. After a [*walk.Gap], which reports something left out, the iteration
// continues; any other error ends it.
func (f Files) All(ctx context.Context) iter.Seq2[File, error] {
	return func(yield func(File, error) bool) {
		tree := f.Snapshot.Tree()
		ignored, err := ignore.Ignored(ctx, tree, f.Dir, true, f.Rules)
		if ignored {
			err = ErrIgnored
		}
		var rules *ignore.Rules
		if err == nil {
			rules, err = ignore.Load(ctx, tree, f.Dir, f.Rules)
		}
		if err != nil {
			yield(File{}, err)
			return
		}
		open := OpenBelow(f.Snapshot, f.Dir)
		unsaved, err := f.unsaved(ctx, open)
		if err != nil {
			yield(File{}, err)
			return
		}
		for _, file := range unsaved {
			if !yield(file, nil) {
				return
			}
		}
		if len(unsaved) > 0 {
			if info, err := tree.Stat(f.Dir); err != nil || !info.IsDir() {
				return // the folder exists only in the editor, too
			}
		}
		for w, err := range walk.Files(ctx, tree, f.Dir, walk.Options{Rules: rules, Exclude: f.Exclude}) {
			if err != nil {
				if !yield(File{}, err) {
					return
				}
				continue
			}
			if f.Match != nil && !f.Match(w.Rel) {
				continue
			}
			if !w.Type.IsRegular() && w.Type&fs.ModeSymlink == 0 {
				continue // a pipe, a socket or a device holds no text
			}
			p := f.Dir.Join(w.Rel)
			if f.Snapshot.Gone(p.Abs) {
				continue
			}
			if !yield(File{w.Rel, p, open[w.Rel], !w.Type.IsRegular()}, nil) {
				return
			}
		}
	}
}

// unsaved returns the files that exist only in the editor and that the rules do
// not exclude, by path.
func (f Files) unsaved(ctx context.Context, open map[string]*ide.Document) ([]File, error) {
	var l []File
	for rel, d := range open {
		if onDisk(f.Snapshot.Tree(), d.Path) || f.Match != nil && !f.Match(rel) {
			continue
		}
		folders := strings.Split(rel, "/")
		if slices.ContainsFunc(folders[:len(folders)-1], func(name string) bool { return slices.Contains(f.Exclude, name) }) {
			continue
		}
		p := f.Dir.Join(rel)
		ignored, err := ignore.Ignored(ctx, f.Snapshot.Tree(), p, false, f.Rules)
		if err != nil {
			return nil, err
		}
		if !ignored {
			l = append(l, File{Rel: rel, Path: p, Doc: d})
		}
	}
	slices.SortFunc(l, func(a, b File) int { return strings.Compare(a.Rel, b.Rel) })
	return l, nil
}

// onDisk reports whether there is something on disk at an absolute path. A path
// that cannot be in the workspace counts as present.
func onDisk(tree *disk.Tree, path string) bool {
	p, err := tree.At(path)
	if err != nil {
		return true
	}
	_, err = tree.Stat(p)
	return err == nil
}

// OpenBelow returns the documents that are open in the editor for files below a
// folder, by their slash-separated paths from there.
func OpenBelow(s *ide.Snapshot, dir disk.Path) map[string]*ide.Document {
	docs := map[string]*ide.Document{}
	for _, d := range s.Documents() {
		if d.Path == "" || d.URI.IsChat() {
			continue
		}
		if rel, ok := paths.CutFolder(d.Path, dir.Abs); ok && rel != "." {
			docs[filepath.ToSlash(rel)] = d
		}
	}
	return docs
}
