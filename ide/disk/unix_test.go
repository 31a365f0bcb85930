//go:build unix

package disk

import (
	"crypto/rand"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
)

func TestOnlyRegularFilesAreOpened(t *testing.T) {
	tree, inside, _ := newTree(t, map[string]string{"folder/": "", "f": "x", "loop": "->loop"})
	if err := syscall.Mkfifo(filepath.Join(inside, "pipe"), 0o644); err != nil {
		t.Fatal(err)
	}
	makeSocket(t, filepath.Join(inside, "socket"))
	devices, err := NewTree([]string{"/dev"})
	if err != nil {
		t.Fatal(err)
	}
	defer devices.Close()
	for _, c := range []struct {
		name string
		tree *Tree
		ask  string
		want error
	}{
		{"a pipe without a writer", tree, "pipe", ErrNotFile},
		{"a socket", tree, "socket", ErrNotFile},
		{"a folder", tree, "folder", ErrIsDir},
		{"the folder itself", tree, ".", ErrIsDir},
		{"a device", devices, "zero", ErrNotFile},
		{"a file that does not exist", tree, "none", fs.ErrNotExist},
		{"below a file", tree, "f/x", ErrNotDir},
	} {
		p := at(t, c.tree, c.ask)
		if _, err := c.tree.ReadText(t.Context(), p); !errors.Is(err, c.want) {
			t.Errorf("read %s: got %v, want %v", c.name, err, c.want)
		}
		if _, err := c.tree.Open(p); !errors.Is(err, c.want) {
			t.Errorf("open %s: got %v, want %v", c.name, err, c.want)
		}
		if errors.Is(c.want, fs.ErrNotExist) {
			continue
		}
		if err := c.tree.Write(t.Context(), p, []byte("x"), WriteOptions{}); !errors.Is(err, c.want) {
			t.Errorf("write %s: got %v, want %v", c.name, err, c.want)
		}
	}
}

// makeSocket binds a socket under a short name, as sockets want it, and moves
// it to its path.
func makeSocket(t *testing.T, path string) {
	t.Helper()
	fd, err := syscall.Socket(syscall.AF_UNIX, syscall.SOCK_STREAM, 0)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { syscall.Close(fd) })
	short := filepath.Join(os.TempDir(), rand.Text())
	if err := syscall.Bind(fd, &syscall.SockaddrUnix{Name: short}); err != nil {
		t.Fatal(err)
	}
	if err := os.Rename(short, path); err != nil {
		t.Fatal(err)
	}
}

func TestLinkAddedAfterResolveIsNotFollowed(t *testing.T) {
	tree, inside, outside := newTree(t, map[string]string{"dir/f": "inside", "other/f": "other"})
	p := at(t, tree, "dir/f")
	dir := filepath.Join(inside, "dir")
	for _, target := range []string{outside, filepath.Join(inside, "other"), "other"} {
		if err := os.RemoveAll(dir); err != nil {
			t.Fatal(err)
		}
		if err := os.Symlink(target, dir); err != nil {
			t.Fatal(err)
		}
		for way, tree := range map[string]*Tree{"the short way": tree, "the long way": byElement(tree)} {
			if got, err := tree.ReadText(t.Context(), p); !errors.Is(err, ErrMoved) {
				t.Errorf("read through %s, %s: %q, %v", target, way, got.Text, err)
			}
			if l, err := tree.List(at(t, tree, ".").Join("dir")); !errors.Is(err, ErrMoved) && !errors.Is(err, ErrNotDir) {
				t.Errorf("list through %s, %s: %v, %v", target, way, l, err)
			}
		}
		if err := tree.Write(t.Context(), p, []byte("x"), WriteOptions{}); !errors.Is(err, ErrMoved) {
			t.Errorf("write through %s: %v", target, err)
		}
		if err := tree.Remove(t.Context(), p, nil); !errors.Is(err, ErrMoved) {
			t.Errorf("remove through %s: %v", target, err)
		}
		if err := tree.Rename(t.Context(), p, at(t, tree, "x")); !errors.Is(err, ErrMoved) {
			t.Errorf("rename through %s: %v", target, err)
		}
		if _, err := tree.ReadDir(Path{dir, inside, "dir"}); !errors.Is(err, ErrMoved) {
			t.Errorf("list through %s: %v", target, err)
		}
		if _, err := tree.Stat(Path{dir, inside, "dir"}); !errors.Is(err, ErrMoved) {
			t.Errorf("look through %s: %v", target, err)
		}
	}
	for _, rel := range []string{"..", "../outside/secret", "other/../../outside/secret", "/etc/passwd", ""} {
		if got, err := tree.ReadText(t.Context(), Path{"made up", inside, rel}); err == nil {
			t.Errorf("a path made up of %q reads %q", rel, got.Text)
		}
	}
}

// While a folder and a link to the outside change places as fast as possible,
// no read returns what is outside and no write lands there.
func TestFolderLinkRaceStaysInside(t *testing.T) {
	if testing.Short() {
		t.Skip("attack test")
	}
	tree, inside, outside := newTree(t, map[string]string{"dir/secret": "harmless", "link": "->OUT"})
	p := at(t, tree, "dir/secret")
	stop := make(chan struct{})
	var swapping sync.WaitGroup
	swapping.Go(func() {
		dir, link, spare := filepath.Join(inside, "dir"), filepath.Join(inside, "link"), filepath.Join(inside, "spare")
		for {
			select {
			case <-stop:
				return
			default:
			}
			exchange(dir, link, spare)
		}
	})
	defer swapping.Wait()
	defer close(stop)
	const times = 10000
	ways := []*Tree{tree, byElement(tree)}
	read := 0
	for i := range times {
		if text, err := ways[i%2].ReadText(t.Context(), p); err == nil {
			read++
			if text.Text != "harmless" && text.Text != "new" {
				t.Fatalf("read %q from outside", text.Text)
			}
		}
		if i%10 == 0 {
			tree.Write(t.Context(), p, []byte("new"), WriteOptions{}) //nolint:errcheck // it may fail, but not there
		}
		// Resolving in the middle of it may find the outside, and says so.
		if q, err := tree.Resolve("dir/secret"); err == nil {
			if text, err := tree.ReadText(t.Context(), q); err == nil && text.Text == "secret" {
				t.Fatal("read the secret from outside")
			}
		}
	}
	if got := content(t, filepath.Join(outside, "secret")); got != "secret" {
		t.Errorf("the file outside holds %q", got)
	}
	if l, err := os.ReadDir(outside); err != nil || len(l) != 1 {
		t.Errorf("outside there are %v, %v", l, err)
	}
	t.Logf("%d reads of %d met the folder", read, times)
}

func TestWriteKeepsModeAndOwner(t *testing.T) {
	old := syscall.Umask(0o027)
	defer syscall.Umask(old)
	tree, inside, _ := newTree(t, map[string]string{"f": "old"})
	path := filepath.Join(inside, "f")
	for _, mode := range []fs.FileMode{0o600, 0o644, 0o755, 0o666, 0o200 | 0o444, 0o711 | fs.ModeSetgid} {
		if err := os.Chmod(path, mode); err != nil {
			t.Fatal(err)
		}
		if os.Getuid() == 0 {
			if err := os.Chown(path, 12, 34); err != nil {
				t.Fatal(err)
			}
			if err := os.Chmod(path, mode); err != nil {
				t.Fatal(err)
			}
		}
		before, err := os.Stat(path)
		if err != nil {
			t.Fatal(err)
		}
		if err := tree.Write(t.Context(), at(t, tree, "f"), []byte("new"), WriteOptions{}); err != nil {
			t.Fatal(err)
		}
		after, err := os.Stat(path)
		if err != nil {
			t.Fatal(err)
		}
		if os.SameFile(before, after) || after.Mode() != before.Mode() || ownerOf(after) != ownerOf(before) {
			t.Errorf("was %v %+v, is %v %+v", before.Mode(), ownerOf(before), after.Mode(), ownerOf(after))
		}
	}
	for mode, want := range map[fs.FileMode]fs.FileMode{0: 0o640, 0o755: 0o755, 0o664: 0o664, 0o600: 0o600} {
		p := at(t, tree, "new"+mode.String())
		if err := tree.Write(t.Context(), p, nil, WriteOptions{Mode: mode}); err != nil {
			t.Fatal(err)
		}
		if fi, err := tree.Stat(p); err != nil || fi.Mode() != want {
			t.Errorf("a new file of mode %v: %v, %v; want %v", mode, fi.Mode(), err, want)
		}
	}
}

func TestReadOnlyFileIsNotReplaced(t *testing.T) {
	tree, inside, _ := newTree(t, map[string]string{"f": "old"})
	path := filepath.Join(inside, "f")
	if err := os.Chmod(path, 0o444); err != nil {
		t.Fatal(err)
	}
	err := tree.Write(t.Context(), at(t, tree, "f"), []byte("new"), WriteOptions{})
	if !errors.Is(err, fs.ErrPermission) || !strings.Contains(err.Error(), "read-only; chmod u+w it") {
		t.Errorf("got %v", err)
	}
	if got := content(t, path); got != "old" {
		t.Errorf("holds %q", got)
	}
	checkNoTemp(t, inside)
}

func TestWriteKeepsHardLinks(t *testing.T) {
	for _, text := range []string{"new", "", "a longer text than before"} {
		tree, inside, _ := newTree(t, map[string]string{"f": "old text"})
		tree.copies = copiesIn(t)
		other := filepath.Join(inside, "other")
		if err := os.Link(filepath.Join(inside, "f"), other); err != nil {
			t.Fatal(err)
		}
		p := at(t, tree, "f")
		if err := tree.Write(t.Context(), p, []byte("x"), WriteOptions{Expect: hash("not it")}); !errors.Is(err, ErrChanged) {
			t.Errorf("another text: %v", err)
		}
		if err := tree.Write(t.Context(), p, []byte(text), WriteOptions{Expect: hash("old text")}); err != nil {
			t.Fatal(err)
		}
		if fi, err := tree.Stat(p); err != nil || fi.Links != 2 {
			t.Errorf("%d names, %v", fi.Links, err)
		}
		if got := content(t, other); got != text {
			t.Errorf("the other name holds %q, want %q", got, text)
		}
		checkNoTemp(t, inside)
	}
}

func TestHugeFileIsRejectedUnread(t *testing.T) {
	tree, inside, _ := newTree(t, map[string]string{"huge": "", "small": "0123456789"})
	if err := os.Truncate(filepath.Join(inside, "huge"), 100<<20); err != nil {
		t.Fatal(err)
	}
	p := at(t, tree, "huge")
	f := &fault{err: syscall.EIO} // counts steps below zero
	tree.roots[0] = root{inside, faultyFolder{tree.roots[0].dir, f}, nil}
	_, err := tree.ReadText(t.Context(), p)
	if !errors.Is(err, ErrTooLarge) || !strings.Contains(err.Error(), "104857600 bytes, the limit is 10485760") {
		t.Errorf("got %v", err)
	}
	if f.left < -10 {
		t.Errorf("it took %d steps", -f.left)
	}
	for limit, want := range map[int64]error{9: ErrTooLarge, 10: nil, 11: nil} {
		if _, err := tree.ReadBytes(t.Context(), at(t, tree, "small"), limit); !errors.Is(err, want) {
			t.Errorf("10 bytes with limit %d: %v", limit, err)
		}
	}
}

// interrupted is a folder in which something happens right before an entry is
// looked at.
type interrupted struct {
	folder
	name string
	do   func()
}

func (i interrupted) OpenFolder(name string) (folder, error) {
	sub, err := i.folder.OpenFolder(name)
	return interrupted{sub, i.name, i.do}, err
}

func (i interrupted) Lstat(name string) (fs.FileInfo, error) {
	if name == i.name {
		i.do()
	}
	return i.folder.Lstat(name)
}

func (i interrupted) Rename(name string, to folder, as string) error {
	return i.folder.Rename(name, to.(interrupted).folder, as)
}

func TestLinkAddedDuringRenameIsNotFollowed(t *testing.T) {
	tree, inside, _ := newTree(t, map[string]string{"file": "text", "dir/x": "", ".git/x": ""})
	dir := filepath.Join(inside, "dir")
	tree.roots[0].dir = interrupted{tree.roots[0].dir, "hook", func() {
		if err := errors.Join(os.Rename(dir, dir+".was"), os.Symlink(".git", dir)); err != nil {
			t.Fatal(err)
		}
	}}
	if err := tree.Rename(t.Context(), at(t, tree, "file"), at(t, tree, "dir/hook")); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Lstat(filepath.Join(inside, ".git", "hook")); err == nil {
		t.Error("the file went where the link leads")
	}
	if got := content(t, filepath.Join(dir+".was", "hook")); got != "text" {
		t.Errorf("it holds %q", got)
	}
}
