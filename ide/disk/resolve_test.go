package disk

import (
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
)

// newTree makes a folder "inside" with the files, beside an "outside" one with
// a secret, and opens it. Names that end in a slash are folders; a value that
// begins with "->" makes a link, "IN" and "OUT" in it are the two folders.
func newTree(t *testing.T, files map[string]string) (tree *Tree, inside, outside string) {
	t.Helper()
	top, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	inside, outside = filepath.Join(top, "inside"), filepath.Join(top, "outside")
	write(t, filepath.Join(outside, "secret"), "secret")
	if err := os.Mkdir(inside, 0o755); err != nil {
		t.Fatal(err)
	}
	for name, content := range files {
		path := filepath.Join(inside, name)
		if target, ok := strings.CutPrefix(content, "->"); ok {
			if runtime.GOOS == "windows" {
				continue // links need a right there that few have
			}
			if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
				t.Fatal(err)
			}
			if err := os.Symlink(strings.NewReplacer("IN", inside, "OUT", outside).Replace(target), path); err != nil {
				t.Fatal(err)
			}
			continue
		}
		if strings.HasSuffix(name, "/") {
			if err := os.MkdirAll(path, 0o755); err != nil {
				t.Fatal(err)
			}
			continue
		}
		write(t, path, content)
	}
	tree, err = NewTree([]string{inside})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { tree.Close() })
	return tree, inside, outside
}

func write(t *testing.T, path, content string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(content), 0o644); err != nil {
		t.Fatal(err)
	}
}

func content(t *testing.T, path string) string {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

// at resolves a name that must be inside.
func at(t *testing.T, tree *Tree, name string) Path {
	t.Helper()
	p, err := tree.Resolve(name)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func TestResolveFollowsNamesAsTheSystemDoes(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Log("links are left out here")
		return
	}
	tree, inside, outside := newTree(t, map[string]string{
		"a.go":            "a",
		"dir/b.go":        "b",
		"dir/deep/c.go":   "c",
		"rel":             "->dir/b.go",
		"abs":             "->IN/dir/b.go",
		"abs-folder":      "->IN/dir/deep",
		"chain":           "->abs",
		"up":              "->../inside/a.go",
		"out":             "->OUT/secret",
		"out-folder":      "->OUT",
		"out-rel":         "->../outside/secret",
		"out-and-in":      "->OUT/back",
		"gone":            "->nowhere/at/all",
		"gone-out":        "->OUT/nothing",
		"loop":            "->loop2",
		"loop2":           "->loop",
		"dir/parent":      "->..",
		"dir/grandparent": "->../..",
	})
	if err := os.Symlink(inside, filepath.Join(outside, "back")); err != nil {
		t.Fatal(err)
	}
	other := filepath.Join(filepath.Dir(inside), "other-name")
	if err := os.Symlink(inside, other); err != nil {
		t.Fatal(err)
	}
	const beyond = "outside"
	for _, c := range []struct{ name, ask, want string }{
		{"a plain file", "a.go", "a.go"},
		{"the folder itself", ".", "."},
		{"an absolute name", inside + "/dir/b.go", "dir/b.go"},
		{"the folder by absolute name", inside, "."},
		{"the folder by another name", other + "/a.go", "a.go"},
		{"doubled slashes and dots", ".//dir/./b.go", "dir/b.go"},
		{"a file that does not exist", "new/folder/x.go", "new/folder/x.go"},
		{"a name below a file", "a.go/x", "a.go/x"},
		{"dots that stay inside", "dir/../a.go", "a.go"},
		{"dots in what does not exist", "new/../a.go", "a.go"},
		{"dots that leave and come back", "../inside/a.go", "a.go"},
		{"a relative link", "rel", "dir/b.go"},
		{"an absolute link that stays inside", "abs", "dir/b.go"},
		{"below an absolute link that stays inside", "abs-folder/c.go", "dir/deep/c.go"},
		{"a link to a link", "chain", "dir/b.go"},
		{"a link that leaves and comes back", "up", "a.go"},
		{"a link out to a link back in", "out-and-in/a.go", "a.go"},
		{"dots after a link belong to its target", "abs-folder/../b.go", "dir/b.go"},
		{"a link to the parent", "dir/parent/a.go", "a.go"},
		{"a link to what does not exist", "gone", "nowhere/at/all"},
		{"dots that leave", "../outside/secret", beyond},
		{"many dots", strings.Repeat("../", 50) + "etc/passwd", beyond},
		{"an absolute name outside", outside + "/secret", beyond},
		{"a folder whose name begins alike", inside + "-2/x", beyond},
		{"a link out", "out", beyond},
		{"below a link out", "out-folder/secret", beyond},
		{"a relative link out", "out-rel", beyond},
		{"a link out to what does not exist", "gone-out", beyond},
		{"a link above the folder", "dir/grandparent/outside/secret", beyond},
		{"the top", "/", beyond},
	} {
		t.Run(c.name, func(t *testing.T) {
			p, err := tree.Resolve(c.ask)
			if c.want == beyond {
				if !errors.Is(err, ErrOutside) || !strings.Contains(err.Error(), inside) {
					t.Fatalf("got %+v, %v; want an error that names the folders", p, err)
				}
				return
			}
			want := Path{filepath.Join(inside, c.want), inside, c.want}
			if err != nil || p != want {
				t.Fatalf("got  %+v, %v\nwant %+v", p, err, want)
			}
		})
	}
	if p, err := tree.Resolve("loop"); err == nil {
		t.Errorf("a looping link leads to %v", p)
	}
}

func TestResolveRejectsInvalidNames(t *testing.T) {
	tree, _, _ := newTree(t, nil)
	for _, name := range []string{"", "a\x00b", strings.Repeat("a/", 3000), strings.Repeat("n", 256)} {
		if p, err := tree.Resolve(name); !errors.Is(err, ErrName) {
			t.Errorf("%.20q: got %v, %v", name, p, err)
		}
	}
}

func TestInnermostFolderHoldsAPath(t *testing.T) {
	_, inside, _ := newTree(t, map[string]string{"sub/": "", "sub/a": "a"})
	tree, err := NewTree([]string{inside, filepath.Join(inside, "sub"), inside})
	if err != nil {
		t.Fatal(err)
	}
	defer tree.Close()
	if got := len(tree.Folders()); got != 2 {
		t.Errorf("%d folders, want the doubled one once", got)
	}
	if p := at(t, tree, "sub/a"); p.Rel != "a" || p.Root != filepath.Join(inside, "sub") {
		t.Errorf("got %+v", p)
	}
}

func TestTreeWithoutFoldersIsEmpty(t *testing.T) {
	empty, err := NewTree(nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, tree := range []*Tree{nil, empty} {
		for _, name := range []string{"a", "/", t.TempDir()} {
			if _, err := tree.Resolve(name); !errors.Is(err, ErrOutside) {
				t.Errorf("%s: %v", name, err)
			}
		}
	}
	if _, err := NewTree([]string{filepath.Join(t.TempDir(), "missing")}); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("a missing folder: %v", err)
	}
}
