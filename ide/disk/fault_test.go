package disk

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// fault makes the step fail after which the counter reaches zero. A write that
// fails has written half.
type fault struct {
	left   int
	err    error
	failed string // what failed
	dead   bool   // every later step fails too, as after a crash
}

func (f *fault) step(what string) error {
	f.left--
	if f.left != 0 && !(f.dead && f.left < 0) {
		return nil
	}
	if f.left == 0 {
		f.failed = what
	}
	return &fs.PathError{Op: what, Path: "somewhere", Err: f.err}
}

type faultyFolder struct {
	folder
	*fault
}

func (f faultyFolder) OpenFolder(name string) (folder, error) {
	if err := f.step("open folder"); err != nil {
		return nil, err
	}
	sub, err := f.folder.OpenFolder(name)
	return faultyFolder{sub, f.fault}, err
}

func (f faultyFolder) OpenFile(name string, flag int, perm fs.FileMode) (file, error) {
	if err := f.step("open file"); err != nil {
		return nil, err
	}
	sub, err := f.folder.OpenFile(name, flag, perm)
	return faultyFile{sub, f.fault, flag&os.O_CREATE != 0}, err
}

func (f faultyFolder) Lstat(name string) (fs.FileInfo, error) {
	if err := f.step("lstat"); err != nil {
		return nil, err
	}
	return f.folder.Lstat(name)
}

func (f faultyFolder) Mkdir(name string, perm fs.FileMode) error {
	if err := f.step("mkdir"); err != nil {
		return err
	}
	return f.folder.Mkdir(name, perm)
}

func (f faultyFolder) Rename(name string, to folder, as string) error {
	if err := f.step("rename"); err != nil {
		return err
	}
	return f.folder.Rename(name, to.(faultyFolder).folder, as)
}

func (f faultyFolder) Remove(name string) error {
	if err := f.step("remove"); err != nil {
		return err
	}
	return f.folder.Remove(name)
}

func (f faultyFolder) Sync() error {
	if err := f.step("sync folder"); err != nil {
		return err
	}
	return f.folder.Sync()
}

type faultyFile struct {
	file
	*fault
	created bool
}

func (f faultyFile) Read(b []byte) (int, error) {
	if err := f.step("read"); err != nil {
		return 0, err
	}
	return f.file.Read(b)
}

func (f faultyFile) Write(b []byte) (int, error) {
	if err := f.step("write"); err != nil {
		if f.left < 0 {
			return 0, err
		}
		n, _ := f.file.Write(b[:len(b)/2])
		return n, err
	}
	return f.file.Write(b)
}

func (f faultyFile) WriteAt(b []byte, at int64) (int, error) {
	if err := f.step("write"); err != nil {
		if f.left < 0 {
			return 0, err
		}
		n, _ := f.file.WriteAt(b[:len(b)/2], at)
		return n, err
	}
	return f.file.WriteAt(b, at)
}

func (f faultyFile) Truncate(size int64) error {
	if err := f.step("truncate"); err != nil {
		return err
	}
	return f.file.Truncate(size)
}

func (f faultyFile) Stat() (fs.FileInfo, error) {
	if err := f.step("stat"); err != nil {
		return nil, err
	}
	return f.file.Stat()
}

func (f faultyFile) Chmod(mode fs.FileMode) error {
	if err := f.step("chmod"); err != nil {
		return err
	}
	return f.file.Chmod(mode)
}

func (f faultyFile) Sync() error {
	if err := f.step("sync file"); err != nil {
		return err
	}
	return f.file.Sync()
}

// Close can only lose data of a file that was written.
func (f faultyFile) Close() error {
	err := f.file.Close()
	if f.created {
		err = f.step("close")
	}
	return err
}

func TestFailedWriteKeepsTheOldText(t *testing.T) {
	for _, errno := range []syscall.Errno{syscall.ENOSPC, syscall.EROFS, syscall.EACCES, syscall.EMFILE, syscall.EIO} {
		for _, name := range []string{"old file", "new/folder/file"} {
			seen := map[string]bool{}
			for n := 1; ; n++ {
				tree, inside, _ := newTree(t, map[string]string{"old file": "old text"})
				f := &fault{left: n, err: errno}
				p := at(t, tree, name)
				healthy := tree.roots[0]
				tree.copies = copiesIn(t)
				tree.roots[0] = root{inside, faultyFolder{healthy.dir, f}, nil}
				o := WriteOptions{Expect: &Hash{}}
				if name == "old file" {
					o.Expect = hash("old text")
				}
				err := tree.Write(t.Context(), p, []byte("new text, longer"), o)
				if f.failed == "" {
					if err != nil {
						t.Fatalf("nothing failed, and yet: %v", err)
					}
					break
				}
				seen[f.failed] = true
				checkNoTemp(t, inside)
				got, _ := os.ReadFile(filepath.Join(inside, name))
				was := map[string]string{"old file": "old text"}[name]
				switch {
				case err == nil: // it was written in place
					if string(got) != "new text, longer" || !mustStay(errno) {
						t.Errorf("%v at step %d, %s: holds %q", errno, n, f.failed, got)
					}
					continue
				case f.failed == "sync folder":
					if string(got) != "new text, longer" {
						t.Errorf("%v at step %d, %s: holds %q", errno, n, f.failed, got)
					}
				case string(got) != was:
					t.Errorf("%v at step %d, %s: holds %q, held %q", errno, n, f.failed, got, was)
				}
				if !errors.Is(err, errno) || !strings.Contains(err.Error(), p.Abs) {
					t.Errorf("%v at step %d, %s: said %v", errno, n, f.failed, err)
				}
				tree.roots[0] = healthy
				if err := tree.Write(t.Context(), p, []byte("again"), WriteOptions{}); err != nil {
					t.Errorf("%v at step %d, %s: no recovery: %v", errno, n, f.failed, err)
				}
			}
			for _, step := range []string{"open file", "write", "sync file", "close", "rename", "sync folder"} {
				if !seen[step] {
					t.Errorf("%s: no %s was made to fail", name, step)
				}
			}
		}
	}
}

func TestFullDiskIsReported(t *testing.T) {
	tree, inside, _ := newTree(t, map[string]string{"f": "old"})
	p := at(t, tree, "f")
	f := &fault{err: syscall.ENOSPC}
	tree.roots[0] = root{inside, faultyFolder{tree.roots[0].dir, f}, nil}
	var err error
	for n := 1; f.failed != "write"; n++ {
		f.left = n
		err = tree.Write(t.Context(), p, []byte("new"), WriteOptions{})
	}
	want := "write " + filepath.Join(inside, "f") + ": " + syscall.ENOSPC.Error() + "; free some disk space and try again"
	if err.Error() != want {
		t.Errorf("got  %v\nwant %s", err, want)
	}
}

func TestRemoveAndRenameAreAtomic(t *testing.T) {
	for n := 1; ; n++ {
		tree, inside, _ := newTree(t, map[string]string{"a": "text"})
		a, b := at(t, tree, "a"), at(t, tree, "b")
		f := &fault{left: n, err: syscall.EIO}
		tree.roots[0] = root{inside, faultyFolder{tree.roots[0].dir, f}, nil}
		err := tree.Rename(t.Context(), a, b)
		if err == nil {
			err = tree.Remove(t.Context(), b, hash("text"))
		}
		if f.failed == "" {
			if err != nil {
				t.Fatalf("nothing failed, and yet: %v", err)
			}
			return
		}
		if !errors.Is(err, syscall.EIO) {
			t.Errorf("step %d, %s: said %v", n, f.failed, err)
		}
		if f.failed == "sync folder" || err == nil {
			continue
		}
		one, _ := os.ReadFile(filepath.Join(inside, "a"))
		other, _ := os.ReadFile(filepath.Join(inside, "b"))
		if string(one)+string(other) != "text" {
			t.Errorf("step %d, %s: the text is lost: %q, %q", n, f.failed, one, other)
		}
	}
}
