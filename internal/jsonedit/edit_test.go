package jsonedit

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/tailscale/hujson"
)

func add(path string, value any) func(hujson.Value) ([]Patch, error) {
	return func(hujson.Value) ([]Patch, error) { return []Patch{{"add", path, value}}, nil }
}

func write(t *testing.T, path, text string) {
	t.Helper()
	if err := os.WriteFile(path, []byte(text), 0o640); err != nil {
		t.Fatal(err)
	}
}

func wantText(t *testing.T, path, want string) {
	t.Helper()
	if b, err := os.ReadFile(path); err != nil || string(b) != want {
		t.Errorf("%s has %q (%v), want %q", filepath.Base(path), b, err, want)
	}
}

func TestTheRestStays(t *testing.T) {
	path := filepath.Join(t.TempDir(), "settings.json")
	write(t, path, "{\n   // mine\n   \"b\": 1,   \"a\": [2,3]\n}")
	if err := ChangeFile(path, add("/c", true)); err != nil {
		t.Fatal(err)
	}
	wantText(t, path, "{\n   // mine\n   \"b\": 1,   \"a\": [2,3],\"c\":true\n}")
	if info, err := os.Stat(path); err != nil || info.Mode().Perm() != 0o640 {
		t.Errorf("mode %v, %v", info.Mode(), err)
	}
}

func TestAMissingFileIsCreated(t *testing.T) {
	path := filepath.Join(t.TempDir(), "new", "settings.json")
	if err := ChangeFile(path, add("/c", map[string]any{"d": 1})); err != nil {
		t.Fatal(err)
	}
	wantText(t, path, "{\"c\": {\"d\": 1}}\n")
	if info, err := os.Stat(path); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("mode %v, %v", info.Mode(), err)
	}
}

func TestWithoutPatchesNothingIsWritten(t *testing.T) {
	path := filepath.Join(t.TempDir(), "settings.json")
	if err := ChangeFile(path, func(hujson.Value) ([]Patch, error) { return nil, nil }); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(path); err == nil {
		t.Error("the file was created")
	}
}

// Users keep their settings in a repository and link to them.
func TestALinkStays(t *testing.T) {
	dir := t.TempDir()
	mine, link := filepath.Join(dir, "dotfiles.json"), filepath.Join(dir, "settings.json")
	write(t, mine, "{}")
	if err := os.Symlink(mine, link); err != nil {
		t.Fatal(err)
	}
	if err := ChangeFile(link, add("/a", 1)); err != nil {
		t.Fatal(err)
	}
	wantText(t, mine, `{"a":1}`)
	if to, err := os.Readlink(link); err != nil || to != mine {
		t.Errorf("the link leads to %q, %v", to, err)
	}
	if err := os.Remove(mine); err != nil {
		t.Fatal(err)
	}
	if err := ChangeFile(link, add("/a", 1)); err == nil || !strings.Contains(err.Error(), "symbolic link") {
		t.Errorf("a link to nothing: %v", err)
	}
}

func TestMistakesNameTheFile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "settings.json")
	write(t, path, "{,}")
	if err := ChangeFile(path, add("/a", 1)); err == nil || !strings.Contains(err.Error(), path+": invalid JSON: line 1") {
		t.Errorf("invalid JSON: %v", err)
	}
	write(t, path, "[]")
	if err := ChangeFile(path, add("/a/b", 1)); err == nil || !strings.Contains(err.Error(), "change "+path) {
		t.Errorf("a patch that does not apply: %v", err)
	}
	wantText(t, path, "[]")
}
