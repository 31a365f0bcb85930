package confinement

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

// Ignored folders are determined by the current rules of the folder's repository, if any.
func TestIgnoredFolders(t *testing.T) {
	home := t.TempDir()
	dir := filepath.Join(home, "work")
	write := func(name, text string) {
		t.Helper()
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	write(".gitignore", "node_modules/\n/inner/build\n")
	write("inner/.git/HEAD", "ref: refs/heads/main\n")
	write("inner/.git/objects/x", "")
	write("inner/.git/refs/x", "")
	write("inner/.gitignore", "dist\n")
	write("../.config/git/ignore", "target\n")
	h := New(Options{Env: func(name string) string { return map[string]string{"HOME": home}[name] }})
	check := func(when string, want map[string]bool) {
		t.Helper()
		for name, ignored := range want {
			if got := h.ignored(filepath.Join(dir, name)); got != ignored {
				t.Errorf("%s, %s is ignored: %v", when, name, got)
			}
		}
	}
	check("without a repository", map[string]bool{"node_modules": true, "build": true, "inner/dist": true, "inner/build": false})
	if out, err := exec.CommandContext(t.Context(), "git", "init", "-q", dir).CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	check("in a repository", map[string]bool{"node_modules": true, "a/node_modules/b/build": true, "build": false, "target": true, "inner/dist": true, "inner/build": false})
	write(".gitignore", "")
	check("without rules", map[string]bool{"node_modules": false})
}
