package gitdir

import (
	"path/filepath"
	"slices"
	"strings"
)

// Launches returns the first setting of a repository's own that makes git run a program, other
// than Git LFS, when it reads or changes the index or makes a branch, and that no environment
// switches off; "" if there is none. The user's own settings do not count.
func (r Repository) Launches() string {
	files := []string{filepath.Join(r.Common, "config"), filepath.Join(r.Git, "config.worktree")}
	s := search{tree: r.Tree}
	for n := 0; n < len(files) && n < mostSettings; n++ {
		for _, e := range Settings(files[n]) {
			if launches(e) && e.Value != "" && !strings.HasPrefix(e.Value, "git-lfs ") {
				return e.Name()
			}
		}
		for _, more := range s.read(files[n]) {
			if !slices.Contains(files, more) {
				files = append(files, more)
			}
		}
	}
	return ""
}

func launches(e Setting) bool {
	switch e.Section {
	case "filter", "diff":
		return runs(e)
	case "hook", "trailer", "tar", "man", "browser":
		return e.Key == "command" || e.Key == "cmd" || e.Key == "path"
	}
	return false
}
