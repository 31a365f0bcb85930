package main

import (
	"path/filepath"
	"testing"
)

// Ignored folders are determined by the current rules of the folder's repository, if any.
func TestIgnoredFolders(t *testing.T) {
	w := newWorld(t)
	w.write(".gitignore", "node_modules/\n/inner/build\n")
	w.write("inner/.git/HEAD", "ref: refs/heads/main\n")
	w.write("inner/.git/objects/x", "")
	w.write("inner/.git/refs/x", "")
	w.write("inner/.gitignore", "dist\n")
	w.put(filepath.Join(filepath.Dir(w.dir), ".config/git/ignore"), "target\n")
	h := &confinement{process: process{env: lookup(w.env)}}
	check := func(when string, want map[string]bool) {
		t.Helper()
		for name, ignored := range want {
			if got := h.ignored(filepath.Join(w.dir, name)); got != ignored {
				t.Errorf("%s, %s is ignored: %v", when, name, got)
			}
		}
	}
	check("without a repository", map[string]bool{"node_modules": true, "build": true, "inner/dist": true, "inner/build": false})
	w.git("init", "-q")
	check("in a repository", map[string]bool{"node_modules": true, "a/node_modules/b/build": true, "build": false, "target": true, "inner/dist": true, "inner/build": false})
	w.write(".gitignore", "")
	check("without rules", map[string]bool{"node_modules": false})
}
