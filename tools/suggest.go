package tools

import (
	"context"
	"io/fs"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/emendo-dev/emendo/ide/disk"
	"github.com/emendo-dev/emendo/ide/ignore"
	"github.com/emendo-dev/emendo/internal/search"
	"github.com/emendo-dev/emendo/internal/secret"
	"github.com/emendo-dev/emendo/internal/spelling"
)

// mostLooked bounds the files compared with a missing name.
const mostLooked = 20_000

// absent returns the error for a file or folder that does not exist. It suggests
// the path that was probably meant: one with a similar name in the same folder, or
// the only one with the same name elsewhere in the workspace.
func absent(ctx context.Context, env Env, doing, name string, p disk.Path) *Error {
	e := DiskError(doing, name, fs.ErrNotExist)
	if near := nearby(ctx, env, p); near != "" {
		e.Message = "cannot " + doing + " " + Shown(name) + ": no such file or folder (did you mean " + Shown(near) + "?)"
	}
	return e
}

// nearby returns the path that was probably meant, or "" if none or several could be.
// It suggests nothing that is ignored or may hold secrets.
func nearby(ctx context.Context, env Env, p disk.Path) string {
	base := path.Base(filepath.ToSlash(p.Abs))
	if near := beside(ctx, env, p, base); near != "" {
		return near
	}
	dirs, err := everywhere(env)
	if err != nil {
		return ""
	}
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	var found []string
	looked := 0
	for _, dir := range dirs {
		s := search.Files{Snapshot: env.Snapshot, Dir: dir, Rules: ignoreOptions(env, nil, nil), Exclude: excluded(base), Match: func(rel string) bool {
			if looked++; looked > mostLooked {
				stop()
			}
			return path.Base(rel) == base
		}}
		for f, err := range s.All(ctx) {
			if err == nil && !secret.Named(f.Path.Abs) {
				found = append(found, env.Near(f.Path.Abs))
			}
		}
	}
	if len(found) != 1 || looked > mostLooked {
		return ""
	}
	return found[0]
}

// beside returns the one entry of p's folder whose name is similar to base.
func beside(ctx context.Context, env Env, p disk.Path, base string) string {
	tree := env.Snapshot.Tree()
	dir, err := tree.Resolve(filepath.Dir(p.Abs))
	if err != nil {
		return ""
	}
	rules, err := ignore.Load(ctx, tree, dir, ignoreOptions(env, nil, nil))
	if err != nil {
		return ""
	}
	if ignored, err := ignore.Ignored(ctx, tree, dir, true, ignoreOptions(env, nil, nil)); ignored || err != nil {
		return ""
	}
	entries, err := tree.ReadDir(dir)
	if err != nil || len(entries) > mostLooked {
		return ""
	}
	var names []string
	for _, e := range entries {
		if !rules.Ignored(e.Name(), e.IsDir()) && !secret.Named(dir.Join(e.Name()).Abs) {
			names = append(names, e.Name())
		}
	}
	stem := strings.TrimSuffix(base, path.Ext(base))
	most := min(len(stem)/2, 3)
	names = slices.DeleteFunc(names, func(n string) bool {
		_, letters := spelling.Nearest(base, []string{n})
		return letters > most && (stem == "" || strings.TrimSuffix(n, path.Ext(n)) != stem)
	})
	slices.SortStableFunc(names, func(a, b string) int {
		_, x := spelling.Nearest(base, []string{a})
		_, y := spelling.Nearest(base, []string{b})
		return x - y
	})
	if len(names) == 0 {
		return ""
	}
	if len(names) > 1 {
		_, first := spelling.Nearest(base, names[:1])
		if _, second := spelling.Nearest(base, names[1:2]); first == second {
			return ""
		}
	}
	return env.Near(dir.Join(names[0]).Abs)
}
