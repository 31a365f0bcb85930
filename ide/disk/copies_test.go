package disk

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"testing"
)

// copiesIn returns what opens a folder of copies that is empty at the end.
func copiesIn(t *testing.T) func() (folder, error) {
	t.Helper()
	path := t.TempDir()
	t.Cleanup(func() {
		if l, err := os.ReadDir(path); err != nil || len(l) > 0 {
			t.Errorf("copies left behind: %v, %v", l, err)
		}
	})
	return copiesAt(path)
}

func copiesAt(path string) func() (folder, error) {
	return func() (folder, error) {
		dir, err := os.OpenRoot(path)
		if err != nil {
			return nil, err
		}
		return rootFolder{dir}, nil
	}
}

// linked makes a tree with a file of two names, which is written in place.
func linked(t *testing.T, text string) (tree *Tree, path, copies string) {
	t.Helper()
	tree, inside, _ := newTree(t, map[string]string{"f": text})
	path = filepath.Join(inside, "f")
	if err := os.Link(path, filepath.Join(inside, "g")); err != nil {
		t.Fatal(err)
	}
	copies = filepath.Join(inside, "copies")
	if err := os.Mkdir(copies, 0o700); err != nil {
		t.Fatal(err)
	}
	tree.copies = copiesAt(copies)
	return tree, path, copies
}

// A write in place that is cut off after any of its steps is completed or taken
// back by the next start.
func TestWriteThatACrashInterruptsIsRecovered(t *testing.T) {
	if runtime.GOOS == "windows" {
		return // hard links are not known there
	}
	for _, text := range []string{"new", "new talk", "a new text that is longer than the old one", ""} {
		seen, restored := map[string]bool{}, 0
		for n := 1; ; n++ {
			tree, path, copies := linked(t, "old text")
			p := at(t, tree, "f")
			f := &fault{left: n, err: syscall.EIO, dead: true}
			healthy := tree.roots[0]
			tree.roots[0] = root{healthy.path, faultyFolder{healthy.dir, f}, nil}
			tree.copies = func() (folder, error) {
				dir, err := copiesAt(copies)()
				return faultyFolder{dir, f}, err
			}
			err := tree.Write(t.Context(), p, []byte(text), WriteOptions{Expect: hash("old text")})
			if f.failed == "" {
				if err != nil {
					t.Fatalf("nothing failed, and yet: %v", err)
				}
				break
			}
			seen[f.failed] = true
			torn := content(t, path)
			said, err := Recover(t.Context(), copies)
			if err != nil {
				t.Errorf("step %d, %s: %v", n, f.failed, err)
			}
			got := content(t, path)
			if got != "old text" && got != text {
				t.Errorf("to %q, step %d, %s: holds %q, and after the start %q", text, n, f.failed, torn, got)
			}
			if changed := got != torn; changed != (len(said) == 1) {
				t.Errorf("step %d, %s: %q became %q, and it said %q", n, f.failed, torn, got, said)
			} else if changed {
				restored++
			}
			if l, err := os.ReadDir(copies); err != nil || len(l) > 0 {
				t.Errorf("step %d, %s: copies are left: %v, %v", n, f.failed, l, err)
			}
			tree.roots[0], tree.copies = healthy, copiesAt(copies)
			if err := tree.Write(t.Context(), p, []byte("again"), WriteOptions{}); err != nil {
				t.Errorf("step %d, %s: no recovery: %v", n, f.failed, err)
			}
		}
		for _, step := range []string{"open file", "write", "sync file", "sync folder", "remove"} {
			if !seen[step] {
				t.Errorf("to %q: no %s was made to fail", text, step)
			}
		}
		if restored == 0 && text != "" { // cutting off is one step
			t.Errorf("to %q: nothing had to be restored, so nothing was tested", text)
		}
	}
}

func TestFailedWriteInPlaceRestoresTheOldText(t *testing.T) {
	if runtime.GOOS == "windows" {
		return
	}
	for _, text := range []string{"new", "a new text that is longer than the old one"} {
		failed := false
		for n := 1; ; n++ {
			tree, path, copies := linked(t, "old text")
			f := &fault{left: n, err: syscall.ENOSPC}
			p := at(t, tree, "f")
			tree.roots[0] = root{tree.roots[0].path, faultyFolder{tree.roots[0].dir, f}, nil}
			err := tree.Write(t.Context(), p, []byte(text), WriteOptions{})
			if f.failed == "" {
				break
			}
			if got := content(t, path); err == nil && got != text || err != nil && f.failed != "sync folder" && got != "old text" {
				t.Errorf("step %d, %s: %v, holds %q", n, f.failed, err, got)
			}
			failed = failed || f.failed == "write" && errors.Is(err, syscall.ENOSPC)
			if l, err := os.ReadDir(copies); err != nil || len(l) > 0 {
				t.Errorf("step %d, %s: copies are left: %v, %v", n, f.failed, l, err)
			}
		}
		if !failed {
			t.Error("no write failed")
		}
	}
}

// interruptedWrite leaves a file half written, with its copy.
func interruptedWrite(t *testing.T) (tree *Tree, path, copies string) {
	t.Helper()
	for n := 1; ; n++ {
		tree, path, copies = linked(t, "old text")
		f := &fault{left: n, err: syscall.EIO, dead: true}
		p := at(t, tree, "f")
		healthy := tree.roots[0]
		tree.roots[0] = root{healthy.path, faultyFolder{healthy.dir, f}, nil}
		if err := tree.Write(t.Context(), p, []byte("new words"), WriteOptions{}); err == nil {
			t.Fatal("it was never half written")
		}
		tree.roots[0] = healthy
		if got := content(t, path); got != "old text" && got != "new words" {
			return tree, path, copies
		}
	}
}

func TestRecoverNamesACopyOfWhatItCannotRestore(t *testing.T) {
	if runtime.GOOS == "windows" {
		return
	}
	for name, c := range map[string]struct {
		do  func(path string) error
		why string
	}{
		"a file that was changed since": {func(path string) error { return os.WriteFile(path, []byte("by hand"), 0o644) }, "it has been changed since"},
		"a longer one":                  {func(path string) error { return os.WriteFile(path, make([]byte, 1<<16), 0o644) }, "it has been changed since"},
		"a file that is gone":           {os.Remove, "it is gone"},
		"a folder that is gone": {func(path string) error {
			return os.Rename(filepath.Dir(path), filepath.Dir(path)+".moved")
		}, "its folder cannot be opened"},
		"a link that took its place": {func(path string) error {
			return errors.Join(os.Remove(path), os.Symlink("g", path))
		}, "it cannot be read"},
	} {
		t.Run(name, func(t *testing.T) {
			_, path, copies := interruptedWrite(t)
			elsewhere := filepath.Join(t.TempDir(), "copies")
			if err := os.Rename(copies, elsewhere); err != nil {
				t.Fatal(err)
			}
			if err := c.do(path); err != nil {
				t.Fatal(err)
			}
			before, _ := os.ReadFile(path)
			said, err := Recover(t.Context(), elsewhere)
			if err != nil || len(said) != 1 || !strings.Contains(said[0], path) || !strings.Contains(said[0], c.why) {
				t.Fatalf("it said %q, %v", said, err)
			}
			if after, _ := os.ReadFile(path); string(after) != string(before) {
				t.Errorf("%q became %q", before, after)
			}
			l, err := os.ReadDir(elsewhere)
			if err != nil || len(l) != 1 {
				t.Fatalf("there are %v, %v", l, err)
			}
			kept := filepath.Join(elsewhere, l[0].Name())
			if !strings.Contains(said[0], kept) || content(t, kept) != "old text" {
				t.Errorf("%q holds %q, and it said %q", kept, content(t, kept), said[0])
			}
			if again, err := Recover(t.Context(), elsewhere); err != nil || len(again) > 0 {
				t.Errorf("again it said %q, %v", again, err)
			}
		})
	}
}

func TestRecoverLeavesWritesThatGoOn(t *testing.T) {
	if runtime.GOOS == "windows" {
		return
	}
	_, path, copies := linked(t, "old text")
	c, err := keepCopy(copiesAt(copies), path, 0o644, []byte("old text"), []byte("new text"))
	if err != nil {
		t.Fatal(err)
	}
	write(t, path, "new xext")
	write(t, path, "new text")
	if err := os.WriteFile(path, []byte("new told"), 0o644); err != nil {
		t.Fatal(err)
	}
	if said, err := Recover(t.Context(), copies); err != nil || len(said) > 0 {
		t.Errorf("it said %q, %v", said, err)
	}
	if got := content(t, path); got != "new told" {
		t.Errorf("holds %q", got)
	}
	if err := c.remove(); err != nil {
		t.Fatal(err)
	}
	if said, err := Recover(t.Context(), filepath.Join(copies, "none")); err != nil || said != nil {
		t.Errorf("without a folder it said %q, %v", said, err)
	}
}

func TestCancelledWriteInPlaceChangesNothing(t *testing.T) {
	if runtime.GOOS == "windows" {
		return
	}
	tree, path, copies := linked(t, "old text")
	ctx, cancel := context.WithCancel(t.Context())
	open := tree.copies
	tree.copies = func() (folder, error) { cancel(); return open() }
	if err := tree.Write(ctx, at(t, tree, "f"), []byte("new"), WriteOptions{}); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
	if got := content(t, path); got != "old text" {
		t.Errorf("holds %q", got)
	}
	if l, err := os.ReadDir(copies); err != nil || len(l) > 0 {
		t.Errorf("copies are left: %v, %v", l, err)
	}
	if fi, err := os.Stat(path); err != nil || fi.Mode() != fs.FileMode(0o644) {
		t.Errorf("it has the mode %v, %v", fi.Mode(), err)
	}
}
