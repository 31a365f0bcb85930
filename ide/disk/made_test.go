package disk_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/emendo-dev/emendo/ide/disk"
)

// What this process has written is known as its own, with the folders that it made, until
// somebody changes it or puts something else there.
func TestMade(t *testing.T) {
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	tree, err := disk.NewTree([]string{dir})
	if err != nil {
		t.Fatal(err)
	}
	defer tree.Close()
	at := func(name string) string { return filepath.Join(dir, name) }
	p, err := tree.Resolve(at("a/b/AGENTS.md"))
	if err != nil {
		t.Fatal(err)
	}
	if err := tree.Write(t.Context(), p, []byte("x"), disk.WriteOptions{}); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(at("a/other"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]bool{"a": true, "a/b": true, "a/b/AGENTS.md": true, "a/other": false, "none": false} {
		if got := disk.Made(at(name)); got != want {
			t.Errorf("%s: %v", name, got)
		}
	}
	if err := os.WriteFile(at("a/b/new"), []byte("y"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Rename(at("a/b/new"), p.Abs); err != nil {
		t.Fatal(err)
	}
	if disk.Made(p.Abs) {
		t.Error("it is another's by now")
	}
}
