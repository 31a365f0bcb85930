package git

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// Filters cannot be switched off by name if a command can change the settings
// meanwhile.
func TestSettingsThatCommandsCanChange(t *testing.T) {
	elsewhere := t.TempDir()
	for _, c := range []struct {
		name   string
		config string
		open   bool
	}{
		{"a file of the work tree", "[include]\npath = ../settings", true},
		{"one that is not there yet", "[include]\npath = ../sub/to/come", true},
		{"one for some folders", "[includeIf \"gitdir:/never\"]\npath = ../settings", true},
		{"one through a link", "[include]\npath = ../link/settings", true},
		{"one through a link in .git", "[include]\npath = out/settings", true},
		{"one that a file in .git includes", "[include]\npath = further", true},
		{"a file in .git", "[include]\npath = settings", false},
		{"a file of another folder of the workspace", "[include]\npath = OTHER/settings", true},
		{"a file elsewhere", "[include]\npath = " + elsewhere + "/settings", false},
		{"a file at home", "[include]\npath = ~/settings", false},
	} {
		t.Run(c.name, func(t *testing.T) {
			p := here(t)
			other := t.TempDir()
			p.folders = []string{other}
			dir := t.TempDir()
			p.must(t, dir, "init", "-q")
			write(t, filepath.Join(dir, ".git", "further"), "[include]\npath = ../settings\n", 0o644)
			if err := errors.Join(os.Symlink(elsewhere, filepath.Join(dir, "link")), os.Symlink(dir, filepath.Join(dir, ".git", "out"))); err != nil {
				t.Fatal(err)
			}
			config := filepath.Join(dir, ".git", "config")
			before, err := os.ReadFile(config)
			if err != nil {
				t.Fatal(err)
			}
			write(t, config, string(before)+strings.ReplaceAll(c.config, "OTHER", other)+"\n", 0o644)
			if _, err := p.WithoutFilters(t.Context(), dir); errors.Is(err, ErrOpenSettings) != c.open || err != nil && !c.open {
				t.Errorf("got %v", err)
			}
		})
	}
}
