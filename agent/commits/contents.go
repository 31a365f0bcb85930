package commits

import (
	"context"
	"path/filepath"

	"github.com/emendo-dev/emendo/agent/rewind"
	"github.com/emendo-dev/emendo/ide/disk"
	"github.com/emendo-dev/emendo/ide/ledger"
	"github.com/emendo-dev/emendo/internal/gitdir"
	"github.com/emendo-dev/emendo/internal/paths"
)

// contents returns what a commit has of the files of a repository. before is what HEAD was.
func contents(ctx context.Context, g rewind.Git, r *inRepository, commit *rewind.Commit, before string) ([]ledger.InCommit, error) {
	var names, gone []string
	open := map[string]bool{}
	nameOf := map[string]string{}
	for _, f := range r.files {
		for _, path := range []string{f.Path, f.NewPath} {
			if rel, ok := paths.CutFolder(path, r.Tree); ok && path != "" {
				nameOf[path] = filepath.ToSlash(rel)
				names = append(names, nameOf[path])
				open[nameOf[path]] = open[nameOf[path]] || f.Open
			}
		}
	}
	files, err := commit.Files(ctx, names, func(name string) bool { return open[name] })
	if err != nil {
		return nil, err
	}
	for _, name := range names {
		if files[name] == nil {
			gone = append(gone, name)
		}
	}
	removed, err := removed(ctx, g, r, commit, before, gone)
	if err != nil {
		return nil, err
	}
	var l []ledger.InCommit
	for _, f := range r.files {
		in, path := ledger.InCommit{ReviewFile: f, Removed: removed[nameOf[f.Path]]}, f.Path
		if f.NewPath != "" {
			path = f.NewPath
		}
		if is := files[nameOf[path]]; is != nil {
			in.Exists, in.Same, in.Loose = true, is.Same, is.Loose
			if is.Bytes != nil {
				if text, _, err := disk.DecodeFile(path, is.Bytes); err == nil {
					in.Text = &text
				}
			}
		}
		l = append(l, in)
	}
	return l, nil
}

// removed returns those files that a commit does not have, and the one before it had.
func removed(ctx context.Context, g rewind.Git, r *inRepository, commit *rewind.Commit, before string, names []string) (map[string]bool, error) {
	if len(names) == 0 {
		return nil, nil
	}
	if !gitdir.IsCommit(before) || before == commit.Hash {
		before = commit.Hash + "^"
	}
	was, err := rewind.CommitAt(ctx, g, r.Tree, before)
	if was == nil || err != nil {
		return nil, nil //nolint:nilerr // it is the first, or the one before is not here any longer
	}
	return was.Has(ctx, names)
}
