//go:build unix

package gate

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/emendo-dev/emendo/ide/disk"
)

// A file with two names is looked up as far as the root, where that is the workspace.
func TestOtherNamesAreLookedForUpToTheRoot(t *testing.T) {
	dir := disk.RealPath(t.TempDir())
	for _, name := range []string{"a", ".env"} {
		if err := os.WriteFile(filepath.Join(dir, name+".txt"), nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for from, to := range map[string]string{"a.txt": "b.txt", ".env.txt": ".env"} {
		if err := os.Link(filepath.Join(dir, from), filepath.Join(dir, to)); err != nil {
			t.Fatal(err)
		}
	}
	tree, err := disk.NewTree([]string{"/"})
	if err != nil {
		t.Fatal(err)
	}
	defer tree.Close()
	l := files{facts: Facts{Folders: tree}}
	if l.toSecret(filepath.Join(dir, "a.txt")) {
		t.Error("a.txt has the name of a secret")
	}
	if !l.toSecret(filepath.Join(dir, ".env.txt")) {
		t.Error(".env.txt has no name of a secret")
	}
}
