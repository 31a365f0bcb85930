package langservertest

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/emendo-dev/emendo/internal/langserver"
)

// SearchPath returns a value for PATH with the folders and then the programs of this
// machine, except for language servers. A program under test gets it in place of the
// machine's own, so that what a developer has installed does not change a test.
func SearchPath(tb testing.TB, folders ...string) string {
	tb.Helper()
	var names []string
	for _, p := range langserver.Builtin() {
		names = append(names, p.Name, p.Name+".exe", p.Name+".cmd")
	}
	known := func(dir string) bool {
		return slices.ContainsFunc(names, func(n string) bool { _, err := os.Stat(filepath.Join(dir, n)); return err == nil })
	}
	dirs := slices.Clone(folders)
	for _, dir := range filepath.SplitList(os.Getenv("PATH")) {
		if known(dir) {
			dir = linked(tb, dir, names)
		}
		dirs = append(dirs, dir)
	}
	return strings.Join(dirs, string(os.PathListSeparator))
}

// linked returns a folder of links to all that dir has, except for the names.
func linked(tb testing.TB, dir string, except []string) string {
	tb.Helper()
	found, err := os.ReadDir(dir)
	if err != nil {
		tb.Fatal(err)
	}
	made := tb.TempDir()
	for _, f := range found {
		if slices.Contains(except, f.Name()) {
			continue
		}
		if err := os.Symlink(filepath.Join(dir, f.Name()), filepath.Join(made, f.Name())); err != nil {
			tb.Fatal(err)
		}
	}
	return made
}
