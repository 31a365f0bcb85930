package disk

import (
	"context"
	"crypto/sha256"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
)

func hash(s string) *Hash {
	h := Hash(sha256.Sum256([]byte(s)))
	return &h
}

// checkNoTemp fails when a folder holds what a write left behind.
func checkNoTemp(t *testing.T, folder string) {
	t.Helper()
	err := filepath.WalkDir(folder, func(path string, _ fs.DirEntry, _ error) error {
		if strings.Contains(path, ".tmp") {
			t.Errorf("left behind: %s", path)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

func TestWriteReplacesOnlyWhatWasExpected(t *testing.T) {
	for _, c := range []struct {
		name string
		old  string // "" is none
		o    WriteOptions
		want error
	}{
		{"a new file", "", WriteOptions{}, nil},
		{"a new file that may not exist and does not", "", WriteOptions{Expect: &Hash{}}, nil},
		{"a new file that exists already", "old", WriteOptions{Expect: &Hash{}}, ErrChanged},
		{"any old text", "old", WriteOptions{}, nil},
		{"the expected text", "old", WriteOptions{Expect: hash("old")}, nil},
		{"another text", "other", WriteOptions{Expect: hash("old")}, ErrChanged},
		{"a file that is gone", "", WriteOptions{Expect: hash("old")}, ErrChanged},
	} {
		t.Run(c.name, func(t *testing.T) {
			tree, inside, _ := newTree(t, nil)
			path := filepath.Join(inside, "f")
			if c.old != "" {
				write(t, path, c.old)
			}
			err := tree.Write(t.Context(), at(t, tree, "f"), []byte("new"), c.o)
			if !errors.Is(err, c.want) {
				t.Fatalf("got %v, want %v", err, c.want)
			}
			want := "new"
			if c.want != nil {
				want = c.old
			}
			got, _ := os.ReadFile(path)
			if string(got) != want {
				t.Errorf("holds %q, want %q", got, want)
			}
			checkNoTemp(t, inside)
		})
	}
}

func TestWriteMakesTheFoldersOfANewFile(t *testing.T) {
	tree, inside, _ := newTree(t, nil)
	if err := tree.Write(t.Context(), at(t, tree, "a/b/c.txt"), []byte("x"), WriteOptions{}); err != nil {
		t.Fatal(err)
	}
	if got := content(t, filepath.Join(inside, "a/b/c.txt")); got != "x" {
		t.Errorf("got %q", got)
	}
}

func TestWriteThroughALinkReplacesItsTarget(t *testing.T) {
	if runtime.GOOS == "windows" {
		return
	}
	tree, inside, _ := newTree(t, map[string]string{"dir/target": "old", "link": "->IN/dir/target"})
	if err := tree.Write(t.Context(), at(t, tree, "link"), []byte("new"), WriteOptions{}); err != nil {
		t.Fatal(err)
	}
	if fi, err := os.Lstat(filepath.Join(inside, "link")); err != nil || fi.Mode()&fs.ModeSymlink == 0 {
		t.Errorf("the link is one no more: %v, %v", fi, err)
	}
	if got := content(t, filepath.Join(inside, "dir/target")); got != "new" {
		t.Errorf("the target holds %q", got)
	}
}

func TestWriteStopsWhenCancelled(t *testing.T) {
	tree, inside, _ := newTree(t, map[string]string{"f": "old"})
	ctx, cancel := context.WithCancelCause(t.Context())
	stop := errors.New("stop")
	cancel(stop)
	if err := tree.Write(ctx, at(t, tree, "f"), []byte("new"), WriteOptions{}); !errors.Is(err, stop) {
		t.Errorf("got %v", err)
	}
	if got := content(t, filepath.Join(inside, "f")); got != "old" {
		t.Errorf("holds %q", got)
	}
	checkNoTemp(t, inside)
}

func TestRemoveTakesOnlyWhatWasExpected(t *testing.T) {
	tree, inside, _ := newTree(t, map[string]string{"f": "text", "dir/x": ""})
	if err := tree.Remove(t.Context(), at(t, tree, "f"), hash("other")); !errors.Is(err, ErrChanged) {
		t.Errorf("another text: %v", err)
	}
	if err := tree.Remove(t.Context(), at(t, tree, "dir"), nil); !errors.Is(err, ErrIsDir) {
		t.Errorf("a folder: %v", err)
	}
	if err := tree.Remove(t.Context(), at(t, tree, "f"), hash("text")); err != nil {
		t.Error(err)
	}
	if err := tree.Remove(t.Context(), at(t, tree, "f"), nil); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("a file that is gone: %v", err)
	}
	if _, err := os.Lstat(filepath.Join(inside, "f")); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("still there: %v", err)
	}
}

func TestRenameNeverReplacesAFile(t *testing.T) {
	tree, inside, _ := newTree(t, map[string]string{"a": "a", "b": "b"})
	if err := tree.Rename(t.Context(), at(t, tree, "a"), at(t, tree, "b")); !errors.Is(err, fs.ErrExist) {
		t.Errorf("onto a file: %v", err)
	}
	if err := tree.Rename(t.Context(), at(t, tree, "a"), at(t, tree, "new/place")); err != nil {
		t.Error(err)
	}
	if got := content(t, filepath.Join(inside, "new/place")); got != "a" {
		t.Errorf("got %q", got)
	}
	if err := tree.Rename(t.Context(), at(t, tree, "a"), at(t, tree, "c")); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("what is gone: %v", err)
	}
}
