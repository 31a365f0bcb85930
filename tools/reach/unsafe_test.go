package reach

import (
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
)

// No command runs unasked where the workspace contains what decides what runs elsewhere.
func TestWorkspacesWithWhatDecidesElsewhereAreUnsafe(t *testing.T) {
	base, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	at := func(name string) string { return filepath.Join(base, filepath.FromSlash(name)) }
	for _, dir := range []string{"home/work/bin", "home/work/node_modules/.bin", "home/programs/bin", "home/.config/nvim/lua", "home/settings", "state/sessions"} {
		if err := os.MkdirAll(at(dir), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	if runtime.GOOS != "windows" {
		if err := os.Symlink(at("home/settings"), at("home/.vim")); err != nil {
			t.Fatal(err)
		}
	}
	path := []string{at("home/programs/bin"), at("home/work/node_modules/.bin")}
	n := Neighbourhood{Home: at("home"), Own: []string{at("state"), at("config")}, Environ: []string{"PATH=" + strings.Join(path, string(os.PathListSeparator))}}
	for _, c := range []struct{ folder, says string }{
		{"home/work", ""}, // also with programs of the project's own in PATH
		{"home/work/bin", ""},
		{"home", "your home folder"},
		{".", "your home folder"},
		{"state", "a folder of emendo's own"},
		{"config", "a folder of emendo's own"}, // though it is not there yet
		{"home/programs", "a folder of programs in PATH"},
		{"home/programs/bin", "a folder of programs in PATH"},
		{"home/.config", "the settings of an editor"},
		{"home/.config/nvim", "the settings of an editor"},
		{"home/.config/nvim/lua", "the settings of an editor"},
		{"home/settings", "the settings of an editor"}, // by a link
	} {
		if c.folder == "home/settings" && runtime.GOOS == "windows" {
			continue
		}
		for _, folders := range [][]string{{at(c.folder)}, {at("home/work"), at(c.folder)}} {
			if why := n.Unsafe(folders); (why == "") != (c.says == "") || !strings.Contains(why, c.says) {
				t.Errorf("%v: %q, want %q", folders, why, c.says)
			}
		}
	}
}
