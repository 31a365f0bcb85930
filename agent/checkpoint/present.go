package checkpoint

import (
	"context"
	"errors"
	"io/fs"
	"maps"
	"path/filepath"
	"slices"

	"github.com/emendo-dev/emendo/ide/disk"
	"github.com/emendo-dev/emendo/ide/walk"
)

// maxPresent is how many names of a folder are kept in memory while a command runs.
const maxPresent = 200_000

// maxGone is how many of the files that a command removed are named.
const maxGone = 10

const (
	gapGone     = "a command moved, deleted or replaced it, and there is no copy of it"
	gapGoneMore = "a command moved, deleted or replaced more files of which there is no copy"
	gapPresent  = "a command ran in a folder with more than 200,000 files: whether it removed files of which there is no copy is not known"
)

// present returns every file below a folder with its type, ignored files and those
// of nested repositories included, except for .git; nil when there are too many.
func (w *Watch) present(ctx context.Context, dir disk.Path) (map[string]fs.FileMode, error) {
	all := map[string]fs.FileMode{}
	for f, err := range walk.Files(ctx, w.tree, dir, walk.Options{Exclude: []string{".git"}}) {
		var gap *walk.Gap
		switch {
		case errors.As(err, &gap): // a command is unlikely to move what cannot be listed
		case err != nil:
			return nil, err
		case len(all) == w.most:
			return nil, nil
		default:
			all[f.Rel] = f.Type
		}
	}
	return all, nil
}

// gone adds to the changes of a folder the files that a command removed and that
// are in no other entry. Files that existed before it are not new.
func (w *Watch) gone(ctx context.Context, r rootView, l []Entry) ([]Entry, error) {
	listed := map[string]bool{}
	made := false
	for i, e := range l {
		listed[e.Name] = true
		if e.Gap != "" || e.Before.Hash != "" {
			continue
		}
		rel, err := filepath.Rel(r.dir.Abs, e.Name)
		if err != nil {
			return nil, err
		}
		if _, there := r.present[filepath.ToSlash(rel)]; there {
			l[i] = Entry{Turn: e.Turn, Name: e.Name, Gap: gapNew}
			continue
		}
		made = true
	}
	var now map[string]fs.FileMode
	if r.present != nil {
		var err error
		if now, err = w.present(ctx, r.dir); err != nil {
			return nil, err
		}
	}
	if now == nil {
		if made {
			l = append(l, Entry{Turn: w.turn, Name: r.dir.Abs, Gap: gapPresent, Lost: true})
		}
		return l, nil
	}
	var names []string
	for _, rel := range slices.Sorted(maps.Keys(r.present)) {
		name := r.dir.Join(rel).Abs
		if t, there := now[rel]; there && t == r.present[rel] || listed[name] || w.recorded[gapOf{name, true}] {
			continue
		}
		names = append(names, name)
	}
	for i, name := range names {
		if i == maxGone {
			l = append(l, Entry{Turn: w.turn, Name: r.dir.Abs, Gap: gapGoneMore, Lost: true})
			break
		}
		l = append(l, Entry{Turn: w.turn, Name: name, Gap: gapGone, Lost: true})
	}
	return l, nil
}
