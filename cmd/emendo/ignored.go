package main

import (
	"context"
	"path/filepath"

	"github.com/emendo-dev/emendo/ide/disk"
	"github.com/emendo-dev/emendo/ide/ignore"
	"github.com/emendo-dev/emendo/internal/gitdir"
)

// ignored reports whether git ignores a folder, as it is when nobody can tell: in no
// repository, nothing is added to one.
func (h *holding) ignored(path string) bool {
	r, ok := gitdir.Around(filepath.Dir(path), "")
	if !ok {
		return true
	}
	rel, err := filepath.Rel(r.Tree, path)
	if err != nil {
		return false
	}
	tree, err := disk.NewTree([]string{r.Tree})
	if err != nil {
		return false
	}
	defer tree.Close()
	at := disk.Path{Abs: path, Root: r.Tree, Rel: filepath.ToSlash(rel)}
	users, _ := ignore.UserExcludes(h.process.env("HOME"), h.process.env("XDG_CONFIG_HOME")) // without them more is looked at
	yes, err := ignore.Ignored(context.Background(), tree, at, true, ignore.Options{NoGemini: true, Global: users})
	return yes && err == nil
}
