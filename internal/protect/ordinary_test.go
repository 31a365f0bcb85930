package protect_test

import (
	"io/fs"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/emendo-dev/emendo/internal/protect"
)

// Names of protected files are rare among those that belong to no user: a guarded one asks
// in every mode.
func TestFewOrdinaryFilesAreGuarded(t *testing.T) {
	goroot, err := exec.Command("go", "env", "GOROOT").Output()
	if err != nil {
		t.Fatal(err)
	}
	all, guarded := 0, []string{}
	for _, tree := range []string{strings.TrimSpace(string(goroot)), "/usr/lib/python3", "/usr/lib/node_modules"} {
		_ = filepath.WalkDir(tree, func(path string, e fs.DirEntry, err error) error { // what cannot be read or is not there is left out
			if err != nil || e.IsDir() {
				return nil //nolint:nilerr // left out
			}
			all++
			if rel, _ := filepath.Rel(tree, path); protect.Of(rel) >= protect.Guarded {
				guarded = append(guarded, path)
			}
			return nil
		})
	}
	if all < 5000 || len(guarded)*5000 > all {
		t.Errorf("%d of %d: %q", len(guarded), all, guarded)
	}
}
