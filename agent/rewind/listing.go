package rewind

import (
	"context"
	"errors"
	"io/fs"
	"iter"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/emendo-dev/emendo/ide/disk"
	"github.com/emendo-dev/emendo/ide/ignore"
	"github.com/emendo-dev/emendo/ide/walk"
	"github.com/emendo-dev/emendo/internal/builds"
	"github.com/emendo-dev/emendo/internal/paths"
)

// A listing has the files of a workspace folder as they are now, by slash-separated paths
// relative to it.
type listing struct {
	// names are the files that git does not have: they differ from the commit, or are
	// untracked. Without a repository they are all that no rule ignores.
	names []string
	// ignored are the other files that are copied: ignored ones outside the folders of
	// dependencies and builds.
	ignored []string
	partial bool // some of ignored are missing
	// present are all files with their types, those of nested repositories included, except for
	// .git and for what is remade; nil when there are too many.
	present map[string]fs.FileMode

	repo    bool
	remade  map[string]bool // ignored files and folders that are in, or are, folders of dependencies and builds
	ignores map[string]bool // the other ignored folders
}

// list lists a folder. Of more than [maxNames] names some may be missing. most is how many
// files to keep in memory.
func list(ctx context.Context, tree *disk.Tree, dir disk.Path, repo *repository, most int) (*listing, error) {
	l := &listing{repo: repo != nil, remade: map[string]bool{}, ignores: map[string]bool{}}
	var err error
	if l.repo {
		err = repo.status(ctx, l)
	} else {
		err = l.walked(ctx, tree, dir)
	}
	if err != nil {
		return nil, err
	}
	if l.present, err = l.presentFiles(ctx, tree, dir, most); err != nil {
		return nil, err
	}
	l.addIgnored()
	return l, nil
}

// walked lists the files that no rule ignores.
func (l *listing) walked(ctx context.Context, tree *disk.Tree, dir disk.Path) error {
	rules, err := ignore.Load(ctx, tree, dir, ignore.Options{})
	if err != nil {
		return err
	}
	for f, err := range walk.Files(ctx, tree, dir, walk.Options{Rules: rules, Exclude: walk.DefaultExclude}) {
		var gap *walk.Gap
		switch {
		case errors.As(err, &gap): // a command is unlikely to change what cannot be read
		case err != nil:
			return err
		case len(l.names) > maxNames:
			return nil
		default:
			l.names = append(l.names, f.Rel)
		}
	}
	return nil
}

// presentFiles returns the files that are present.
func (l *listing) presentFiles(ctx context.Context, tree *disk.Tree, dir disk.Path, most int) (map[string]fs.FileMode, error) {
	all := map[string]fs.FileMode{}
	for f, err := range walk.Files(ctx, tree, dir, walk.Options{Exclude: []string{".git"}, Skip: l.skips}) {
		var gap *walk.Gap
		switch {
		case errors.As(err, &gap): // a command is unlikely to move what cannot be listed
		case err != nil:
			return nil, err
		case l.remade[f.Rel]:
		case len(all) == most:
			return nil, nil
		default:
			all[f.Rel] = f.Type
		}
	}
	return all, nil
}

// addIgnored adds the files of ignored folders.
func (l *listing) addIgnored() {
	l.partial = l.present == nil
	add := func(rel string) {
		if len(l.ignored) == maxNames {
			l.partial = true
			return
		}
		l.ignored = append(l.ignored, rel)
	}
	defer func() { slices.Sort(l.ignored) }()
	if l.repo && len(l.ignores) == 0 {
		return
	}
	listed := make(map[string]bool, len(l.names))
	for _, rel := range l.names {
		listed[rel] = true
	}
	for rel := range l.present {
		if l.repo && l.inIgnored(rel) || !l.repo && !listed[rel] {
			add(rel)
		}
	}
}

// add adds a path that git ignores.
func (l *listing) add(rel string) {
	dir, isDir := strings.CutSuffix(rel, "/")
	switch {
	case isDir && builds.Within(dir), !isDir && builds.Within(path.Dir(rel)):
		l.remade[dir] = true
	case isDir:
		l.ignores[dir] = true
	case len(l.ignored) == maxNames:
		l.partial = true
	default:
		l.ignored = append(l.ignored, rel)
	}
}

// copied yields the files that are copied, each with the size that it adds to.
func (l *listing) copied(all *sizes) iter.Seq2[string, *int64] {
	return func(yield func(string, *int64) bool) {
		for _, rel := range l.names {
			if !yield(rel, &all.files) {
				return
			}
		}
		for _, rel := range l.ignored {
			if !yield(rel, &all.ignored) {
				return
			}
		}
	}
}

// skips reports whether a folder, which is in no other such folder, holds dependencies or
// builds that nobody keeps: git ignores it, or there is no git.
func (l *listing) skips(dir string) bool {
	if l.repo {
		return l.remade[dir] || builds.Folder(path.Base(dir)) && l.inIgnored(dir)
	}
	return builds.Folder(path.Base(dir))
}

// isRemade reports whether a file or folder is made again by tools: it is ignored, and is or is
// in a folder of dependencies and builds.
func (l *listing) isRemade(rel string, isDir bool) bool {
	if l.remade[rel] || isDir && l.skips(rel) {
		return true
	}
	for dir := path.Dir(rel); dir != "."; dir = path.Dir(dir) {
		if l.skips(dir) {
			return true
		}
	}
	return false
}

// has reports whether a file was there, as far as all files are known. folder is that of the
// listing.
func (l *listing) has(folder disk.Path, name string) bool {
	_, there := l.present[relative(folder, name)]
	return there
}

// relative returns the path of a file relative to a folder that it is in, with slashes.
func relative(folder disk.Path, name string) string {
	rel, _ := paths.CutFolder(name, folder.Abs)
	return filepath.ToSlash(rel)
}

// inIgnored reports whether a path is in one of the ignored folders.
func (l *listing) inIgnored(rel string) bool {
	if l.ignores["."] {
		return true
	}
	for dir := path.Dir(rel); dir != "."; dir = path.Dir(dir) {
		if l.ignores[dir] {
			return true
		}
	}
	return false
}
