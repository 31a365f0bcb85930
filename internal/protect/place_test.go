package protect_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/emendo-dev/emendo/ide/disk"
	"github.com/emendo-dev/emendo/internal/protect"
)

func TestWhatGitUsesIsSealedWhereverItLies(t *testing.T) {
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	for name, text := range map[string]string{
		"main.go": "", "sub/x.go": "",
		"bare/HEAD": "ref: refs/heads/main", "bare/objects/x": "", "bare/refs/x": "", "bare/config": "",
		"half/HEAD": "", "half/config": "",
		"tree/.git": "gitdir: ../elsewhere\n", "elsewhere/config": "",
		"linked/x": "", "deep/tree/.git": "gitdir: " + filepath.Join(dir, "far"), "far/config": "",
		"work/HEAD": "", "work/commondir": "..", "work/config.worktree": "",
		"config/emendo/settings.json": "",
	} {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Symlink("linked", filepath.Join(dir, ".git")); err != nil {
		t.Fatal(err)
	}
	tree, err := disk.NewTree([]string{dir})
	if err != nil {
		t.Fatal(err)
	}
	defer tree.Close()
	place := protect.Place{Tree: tree, Own: []string{filepath.Join(dir, "config", "emendo")}}
	for _, c := range []struct {
		name string
		want protect.Level
		path string
	}{
		{"a file", protect.Open, "main.go"},
		{"a file of a folder", protect.Open, "sub/x.go"},
		{"a file of a folder that is not there", protect.Open, "none/x.go"},
		{"a name that is protected", protect.Sealed, "none/.git/config"},
		{"a bare repository", protect.Sealed, "bare/config"},
		{"a hook of it that is not there", protect.Sealed, "bare/hooks/post-commit"},
		{"a folder that lacks some of it", protect.Open, "half/config"},
		{"the file that would make it one", protect.Guarded, "sub/HEAD"},
		{"what the link .git leads to", protect.Sealed, "linked/config"},
		{"a work tree's folder", protect.Sealed, "work/config.worktree"},
		{"emendo's own folder", protect.Sealed, "config/emendo/settings.json"},
		{"one of emendo's own that is not there", protect.Sealed, "config/emendo/policies/x.toml"},
		{"beside it", protect.Open, "config/x"},
	} {
		if got := place.At(filepath.Join(dir, c.path)); got != c.want {
			t.Errorf("%s: the level of %s is %d, want %d", c.name, c.path, got, c.want)
		}
	}
	// A .git file seals its target for paths in the same directory or below:
	// otherwise the way from there to the directory is not known.
	inner, err := disk.NewTree([]string{filepath.Join(dir, "tree")})
	if err != nil {
		t.Fatal(err)
	}
	defer inner.Close()
	if got := (protect.Place{Tree: inner}).At(filepath.Join(dir, "tree", ".git")); got != protect.Sealed {
		t.Errorf("the file .git is at %d", got)
	}
}

func TestTheTargetOfAGitFileIsSealed(t *testing.T) {
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	for name, to := range map[string]string{"relative": "data", "absolute": filepath.Join(dir, "data")} {
		t.Run(name, func(t *testing.T) {
			if err := os.WriteFile(filepath.Join(dir, ".git"), []byte("gitdir: "+to+"\n"), 0o644); err != nil {
				t.Fatal(err)
			}
			tree, err := disk.NewTree([]string{dir})
			if err != nil {
				t.Fatal(err)
			}
			defer tree.Close()
			place := protect.Place{Tree: tree}
			if got := place.At(filepath.Join(dir, "data", "config")); got != protect.Sealed {
				t.Errorf("what .git names is at %d", got)
			}
			if got := place.At(filepath.Join(dir, "database")); got != protect.Open {
				t.Errorf("another file is at %d", got)
			}
		})
	}
}

// Files that a repository's settings make git run or read are sealed anywhere
// in the work tree, whether they exist or not.
func TestFilesNamedInGitSettingsAreSealed(t *testing.T) {
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	settings := "[core]\n\thooksPath = tools/hooks\n\tattributesFile = conf/attributes\n\tfsmonitor = tools/monitor\n[include]\n\tpath = ../conf/git.inc\n[includeIf \"gitdir:/\"]\n\tpath = ~/x\n"
	for name, text := range map[string]string{"sub/.git/HEAD": "", "sub/.git/objects/x": "", "sub/.git/refs/x": "", "sub/.git/config": settings, "sub/tools/hooks/x": ""} {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	tree, err := disk.NewTree([]string{dir})
	if err != nil {
		t.Fatal(err)
	}
	defer tree.Close()
	for name, want := range map[string]protect.Level{
		"sub/tools/hooks/x": protect.Sealed, "sub/tools/hooks/pre-commit": protect.Sealed, "sub/conf/attributes": protect.Sealed, "sub/tools/monitor": protect.Sealed,
		"sub/conf/git.inc": protect.Sealed, "sub/conf/other": protect.Open, "sub/tools/x": protect.Open, "tools/hooks/x": protect.Open, "x": protect.Open,
	} {
		if got := (protect.Place{Tree: tree}).At(filepath.Join(dir, name)); got != want {
			t.Errorf("%s is at %d, want %d", name, got, want)
		}
	}
}
