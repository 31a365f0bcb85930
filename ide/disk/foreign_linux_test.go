package disk

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"
)

// asAnother runs do as an ordinary user with these groups, on a thread that ends
// with it. Only root can do that; for another user, who is an ordinary one already,
// it reports false.
func asAnother(t *testing.T, uid, gid int, groups []int, do func()) bool {
	t.Helper()
	if os.Geteuid() != 0 {
		return false
	}
	done := make(chan error)
	go func() {
		runtime.LockOSThread() // and never unlock it: the thread is of no more use
		done <- func() error {
			list := make([]uint32, len(groups)+1)
			for i, g := range append([]int{gid}, groups...) {
				list[i] = uint32(g)
			}
			return errors.Join(setGroups(list), unix.Setfsgid(gid), unix.Setfsuid(uid))
		}()
		do()
		close(done)
	}()
	if err := <-done; err != nil {
		t.Fatal(err)
	}
	<-done
	return true
}

// A file is changed where only its content may be changed: its owner, its folder or
// its mount keep a new file from taking its place.
func TestFilesThatCannotBeReplacedAreWrittenInPlace(t *testing.T) {
	const me, mine, other, shared = 4321, 4322, 4323, 4324
	for _, c := range []struct {
		name       string
		uid, gid   int // of the file
		mode       fs.FileMode
		dirUID     int
		dirMode    fs.FileMode
		groups     []int
		wantInside string // "" is written; else a part of the error
	}{
		{"a colleague's file that the group may write", other, shared, 0o664, me, 0o755, []int{shared}, ""},
		{"an own file in another's folder", me, mine, 0o644, other, 0o755, nil, ""},
		{"a colleague's file in a folder with a sticky bit", other, shared, 0o664, other, 0o777 | fs.ModeSticky, []int{shared}, ""},
		{"an own file of a group that one is not in", me, shared, 0o644, me, 0o755, nil, ""},
		{"an own file", me, mine, 0o640, me, 0o755, nil, ""},
		{"a colleague's file", other, shared, 0o644, me, 0o755, []int{shared}, "this user may not write the file"},
		{"an own file that is read-only", me, mine, 0o444, me, 0o755, nil, "read-only; chmod u+w it"},
	} {
		t.Run(c.name, func(t *testing.T) {
			tree, inside, _ := newTree(t, map[string]string{"dir/f": "old text"})
			tree.copies = copiesIn(t)
			opened, err := tree.copies() // the user's own folder, which root has made
			if err != nil {
				t.Fatal(err)
			}
			defer opened.Close()
			if os.Geteuid() == 0 {
				if err := os.Chown(opened.(rootFolder).Name(), me, mine); err != nil {
					t.Fatal(err)
				}
			}
			tree.copies = func() (folder, error) { return opened.OpenFolder(".") }
			dir := filepath.Join(inside, "dir")
			path := filepath.Join(dir, "f")
			if os.Geteuid() == 0 {
				if err := errors.Join(os.Chown(path, c.uid, c.gid), os.Chown(dir, c.dirUID, mine)); err != nil {
					t.Fatal(err)
				}
			}
			if err := errors.Join(os.Chmod(path, c.mode), os.Chmod(dir, c.dirMode)); err != nil {
				t.Fatal(err)
			}
			before, err := os.Stat(path)
			if err != nil {
				t.Fatal(err)
			}
			p := at(t, tree, "dir/f")
			write := func() { err = tree.Write(t.Context(), p, []byte("new"), WriteOptions{Expect: hash("old text")}) }
			if !asAnother(t, me, mine, c.groups, write) {
				// For an ordinary user all files here are own ones.
				write()
			}
			if os.Geteuid() != 0 && c.uid != me {
				return // the case needs another user, whom only root can be
			}
			if c.wantInside != "" {
				if err == nil || !strings.Contains(err.Error(), c.wantInside) || strings.Contains(err.Error(), "folder") {
					t.Errorf("got %v", err)
				}
				if got := content(t, path); got != "old text" {
					t.Errorf("holds %q", got)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			after, err := os.Stat(path)
			if err != nil {
				t.Fatal(err)
			}
			if got := content(t, path); got != "new" || after.Mode() != before.Mode() || ownerOf(after) != ownerOf(before) {
				t.Errorf("holds %q; was %v %+v, is %v %+v", got, before.Mode(), ownerOf(before), after.Mode(), ownerOf(after))
			}
		})
	}
}

func TestFoldersThatRefuseFilesAreNamedAsTheCause(t *testing.T) {
	tree, inside, _ := newTree(t, map[string]string{"dir/f": "text", "g": "text"})
	if err := os.Chmod(filepath.Join(inside, "dir"), 0o555); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.Chmod(filepath.Join(inside, "dir"), 0o755) })
	var errs []error
	try := func() {
		errs = []error{
			tree.Write(t.Context(), at(t, tree, "dir/new"), nil, WriteOptions{}),
			tree.Write(t.Context(), at(t, tree, "dir/sub/new"), nil, WriteOptions{}),
			tree.Remove(t.Context(), at(t, tree, "dir/f"), nil),
			tree.Rename(t.Context(), at(t, tree, "dir/f"), at(t, tree, "dir/h")),
		}
	}
	if !asAnother(t, 4321, 4322, nil, try) {
		try()
	}
	for i, err := range errs {
		if !errors.Is(err, fs.ErrPermission) || !strings.Contains(err.Error(), "may not add, rename or remove files in its folder") || strings.Contains(err.Error(), "chmod u+w") {
			t.Errorf("%d: got %v", i, err)
		}
	}
}

// A single file that is mounted, as containers have them, cannot be replaced or
// removed, but written.
func TestMountedFileIsWritten(t *testing.T) {
	if os.Geteuid() != 0 {
		return // only root can mount
	}
	tree, inside, outside := newTree(t, map[string]string{"f": "below", "dir/": ""})
	path, source := filepath.Join(inside, "f"), filepath.Join(outside, "secret")
	var errs [3]error
	var got string
	done := make(chan error)
	go func() {
		runtime.LockOSThread() // and never unlock it: its mounts are not the others'
		defer close(done)
		err := errors.Join(unix.Unshare(unix.CLONE_FS|unix.CLONE_NEWNS), unix.Mount("", "/", "", unix.MS_REC|unix.MS_PRIVATE, ""),
			unix.Mount(source, path, "", unix.MS_BIND, ""))
		if err != nil {
			done <- err
			return
		}
		tree, err := NewTree([]string{inside}) // opened behind the mount
		if err != nil {
			done <- err
			return
		}
		defer tree.Close()
		tree.copies = copiesAt(outside)
		p, err := tree.At(path)
		if err != nil {
			done <- err
			return
		}
		errs[0] = tree.Write(t.Context(), p, []byte("written"), WriteOptions{Expect: hash("secret")})
		data, err := os.ReadFile(path)
		got = string(data)
		errs[1] = tree.Remove(t.Context(), p, nil)
		errs[2] = tree.Rename(t.Context(), p, p.Join("../dir/f"))
		done <- err
	}()
	if err := <-done; err != nil {
		t.Fatal(err)
	}
	<-done
	if errs[0] != nil || got != "written" || content(t, source) != "written" {
		t.Errorf("got %v; there is %q, and mounted was %q", errs[0], got, content(t, source))
	}
	for _, err := range errs[1:] {
		if !errors.Is(err, syscall.EBUSY) || !strings.Contains(err.Error(), "it is mounted by itself") {
			t.Errorf("removed or moved: %v", err)
		}
	}
	if l, err := os.ReadDir(outside); err != nil || len(l) != 1 {
		t.Errorf("beside it there are %v, %v", l, err)
	}
	if _, err := tree.Stat(at(t, tree, "f")); err != nil {
		t.Error(err)
	}
}

func TestWriteKeepsExtendedAttributes(t *testing.T) {
	tree, inside, _ := newTree(t, map[string]string{"f": "old"})
	path := filepath.Join(inside, "f")
	if err := unix.Setxattr(path, "user.note", []byte("keep me"), 0); errors.Is(err, unix.ENOTSUP) {
		return // the file system of temporary files has no attributes, so none can be lost
	} else if err != nil {
		t.Fatal(err)
	}
	if err := tree.Write(t.Context(), at(t, tree, "f"), []byte("new"), WriteOptions{}); err != nil {
		t.Fatal(err)
	}
	value := make([]byte, 20)
	if n, err := unix.Getxattr(path, "user.note", value); err != nil || string(value[:n]) != "keep me" {
		t.Errorf("the attribute is %q, %v", value[:max(n, 0)], err)
	}
	if got := content(t, path); got != "new" {
		t.Errorf("holds %q", got)
	}
}
