package tools

import (
	"context"
	"errors"
	"io/fs"
	"iter"
	"slices"
	"strings"

	"github.com/emendo-dev/emendo/ide"
	"github.com/emendo-dev/emendo/ide/disk"
	"github.com/emendo-dev/emendo/ide/ignore"
	"github.com/emendo-dev/emendo/ide/walk"
)

// A sweep goes through the files below a folder as the user sees them: those
// on the disk that no rule hides, and those that only the editor has.
type sweep struct {
	env     Env
	dir     disk.Path
	rules   ignore.Options
	exclude []string              // names of folders that are left out
	takes   func(rel string) bool // the names that are wanted; nil: all
}

// swept is one file of a sweep.
type swept struct {
	rel  string // slash-separated, from the folder
	path disk.Path
	doc  *ide.Document // nil when no editor has it open
	link bool
}

// hides says whether the rules hide the folder itself, and so all in it.
func (s sweep) hides(ctx context.Context) (bool, error) {
	return ignore.Ignored(ctx, s.env.Snapshot.Tree(), s.dir, true, s.rules)
}

// files gives new files first, then those on the disk in order. An error that
// is a [*walk.Gap] tells of something missing; another one is the last.
func (s sweep) files(ctx context.Context) iter.Seq2[swept, error] {
	return func(yield func(swept, error) bool) {
		tree := s.env.Snapshot.Tree()
		rules, err := ignore.Load(ctx, tree, s.dir, s.rules)
		if err != nil {
			yield(swept{}, err)
			return
		}
		open := openBelow(s.env, s.dir)
		fresh, err := s.fresh(ctx, open)
		if err != nil {
			yield(swept{}, err)
			return
		}
		for _, f := range fresh {
			if !yield(f, nil) {
				return
			}
		}
		if len(fresh) > 0 && !folderOnDisk(tree, s.dir) {
			return
		}
		for f, err := range walk.Files(ctx, tree, s.dir, walk.Options{Rules: rules, Exclude: s.exclude}) {
			if err != nil {
				if !yield(swept{}, err) {
					return
				}
				continue
			}
			if s.takes != nil && !s.takes(f.Rel) {
				continue
			}
			if !f.Type.IsRegular() && f.Type&fs.ModeSymlink == 0 {
				continue // a pipe, a socket or a device holds no text
			}
			if !yield(swept{f.Rel, s.dir.Join(f.Rel), open[f.Rel], !f.Type.IsRegular()}, nil) {
				return
			}
		}
	}
}

func folderOnDisk(tree *disk.Tree, p disk.Path) bool {
	info, err := tree.Stat(p)
	return err == nil && info.IsDir()
}

// fresh is the files that only the editor has and no rule hides.
func (s sweep) fresh(ctx context.Context, open map[string]*ide.Document) ([]swept, error) {
	var l []swept
	for rel, d := range open {
		if !newFile(s.env, d) || s.takes != nil && !s.takes(rel) {
			continue
		}
		folders := strings.Split(rel, "/")
		if slices.ContainsFunc(folders[:len(folders)-1], func(name string) bool { return slices.Contains(s.exclude, name) }) {
			continue
		}
		p := s.dir.Join(rel)
		hides, err := ignore.Ignored(ctx, s.env.Snapshot.Tree(), p, false, s.rules)
		if err != nil {
			return nil, err
		}
		if !hides {
			l = append(l, swept{rel: rel, path: p, doc: d})
		}
	}
	slices.SortFunc(l, func(a, b swept) int { return strings.Compare(a.rel, b.rel) })
	return l, nil
}

// everywhere is the folders that a search without a folder goes through: the
// session's, and those of the workspace that it is not in and that are not in
// it.
func everywhere(env Env) ([]disk.Path, error) {
	at, err := env.Snapshot.Tree().Resolve(env.Dir)
	if err != nil {
		return nil, diskError("search", env.Dir, err)
	}
	dirs := []disk.Path{at}
	for _, name := range env.Snapshot.Tree().Folders() {
		p, err := env.Snapshot.Tree().Resolve(name)
		if err != nil {
			return nil, diskError("search", name, err)
		}
		if !slices.ContainsFunc(dirs, func(d disk.Path) bool { return below(d.Abs, p.Abs) || below(p.Abs, d.Abs) }) {
			dirs = append(dirs, p)
		}
	}
	return dirs, nil
}

// gapReason says in few words why something is missing.
func gapReason(gap *walk.Gap) string {
	for _, c := range diskErrors {
		if errors.Is(gap.Err, c.is) {
			return c.words
		}
	}
	return gap.Err.Error()
}
