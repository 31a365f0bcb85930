package rewind

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/emendo-dev/emendo/ide/disk"
)

// flaky fails its n-th change, from one.
type flaky struct {
	*disk.Tree
	fail, done int
}

var errFlaky = errors.New("the disk fails")

func (f *flaky) Write(ctx context.Context, p disk.Path, data []byte, o disk.WriteOptions) error {
	if f.done++; f.done == f.fail {
		return errFlaky
	}
	return f.Tree.Write(ctx, p, data, o)
}

func (f *flaky) Remove(ctx context.Context, p disk.Path, expect *disk.Hash) error {
	if f.done++; f.done == f.fail {
		return errFlaky
	}
	return f.Tree.Remove(ctx, p, expect)
}

// folder creates files and returns their tree.
func folder(t *testing.T, files map[string]string) *disk.Tree {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	for name, text := range files {
		write(t, filepath.Join(dir, name), text)
	}
	tree, err := disk.NewTree([]string{dir})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { tree.Close() })
	return tree
}

func write(t *testing.T, path, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

// files returns the files of a tree's folder, without its repository.
func files(t *testing.T, tree *disk.Tree) map[string]string {
	t.Helper()
	dir := tree.Folders()[0]
	m := map[string]string{}
	err := filepath.WalkDir(dir, func(path string, d os.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && d.Name() == ".git":
			return filepath.SkipDir
		case d.IsDir():
			return nil
		}
		b, err := os.ReadFile(path)
		rel, _ := filepath.Rel(dir, path)
		m[filepath.ToSlash(rel)] = string(b)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return m
}

func TestFailedRestoreChangesNothing(t *testing.T) {
	was := map[string]string{"a": "a2", "b": "b2", "made": "new", "e": ""}
	want := map[string]string{"a": "a1", "b": "b1", "gone": "old", "e": "e1"}
	for fail := range 6 { // 0: none fails
		t.Run(fmt.Sprintf("the change %d fails", fail), func(t *testing.T) {
			tree := folder(t, was)
			var steps []step
			for _, name := range []string{"a", "gone", "made", "e", "b"} {
				p, err := tree.Resolve(name)
				if err != nil {
					t.Fatal(err)
				}
				s := step{path: p}
				if text, ok := was[name]; ok {
					s.was = []byte(text)
				}
				if text, ok := want[name]; ok {
					s.want = []byte(text)
				}
				steps = append(steps, s)
			}
			undo, err := restore(t.Context(), &flaky{Tree: tree, fail: fail}, steps)
			if fail >= 1 && fail <= len(steps) {
				if !errors.Is(err, errFlaky) {
					t.Errorf("got error %v", err)
				}
				check(t, files(t, tree), was)
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			check(t, files(t, tree), want)
			if err := undo(); err != nil {
				t.Error(err)
			}
			check(t, files(t, tree), was)
		})
	}
}

func TestChangedFileStopsARestore(t *testing.T) {
	tree := folder(t, map[string]string{"a": "a2", "b": "typed"})
	var steps []step
	for _, name := range []string{"a", "b"} {
		p, err := tree.Resolve(name)
		if err != nil {
			t.Fatal(err)
		}
		steps = append(steps, step{path: p, was: []byte(name + "2"), want: []byte(name + "1")})
	}
	if _, err := restore(t.Context(), tree, steps); !errors.Is(err, disk.ErrChanged) {
		t.Errorf("got error %v", err)
	}
	check(t, files(t, tree), map[string]string{"a": "a2", "b": "typed"})
}

func check(t *testing.T, got, want map[string]string) {
	t.Helper()
	if fmt.Sprint(got) != fmt.Sprint(want) {
		t.Errorf("got %q, want %q", got, want)
	}
}
