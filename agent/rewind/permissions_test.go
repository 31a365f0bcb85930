package rewind

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"testing"

	"github.com/emendo-dev/emendo/ide/disk"
)

func TestPermissionsAreReverted(t *testing.T) {
	mode := func(name string, m fs.FileMode) func(*testing.T, string) {
		return func(t *testing.T, dir string) {
			if err := os.Chmod(filepath.Join(dir, name), m); err != nil {
				t.Fatal(err)
			}
		}
	}
	for _, c := range []struct {
		name    string
		start   fs.FileMode
		command func(t *testing.T, dir string)
		user    func(t *testing.T, dir string) // after the command
		want    fs.FileMode                    // zero: as at the start
	}{
		{name: "a file can be run", start: 0o644, command: mode("a", 0o755)},
		{name: "a file cannot be run any more", start: 0o755, command: mode("a", 0o644)},
		{name: "a file of a group", start: 0o664, command: mode("a", 0o775)},
		{name: "a private file", start: 0o600, command: func(t *testing.T, dir string) { write(t, filepath.Join(dir, "a"), "changed\n") }},
		{name: "a read-only file that is changed", start: 0o644, command: func(t *testing.T, dir string) {
			write(t, filepath.Join(dir, "a"), "changed\n")
			mode("a", 0o444)(t, dir)
		}},
		{name: "the user has changed them since", start: 0o644, command: mode("a", 0o755), user: mode("a", 0o700), want: 0o700},
		{name: "a removed script", start: 0o755, command: func(t *testing.T, dir string) { os.Remove(filepath.Join(dir, "a")) }},
	} {
		for _, git := range []bool{false, true} {
			t.Run(fmt.Sprintf("%s, git: %v", c.name, git), func(t *testing.T) {
				tree := folder(t, map[string]string{"a": "a\n"})
				dir := tree.Folders()[0]
				mode("a", c.start)(t, dir)
				g := gitHere(t)
				if git {
					must(t, g, dir, "init", "-q")
					must(t, g, dir, "add", "-A")
					must(t, g, dir, "commit", "-q", "-m", "one")
				}
				j := NewStore(filepath.Join(t.TempDir(), "checkpoints"), g).Journal("s")
				w := j.watch("turn", tree)
				v, err := w.before(t.Context())
				if err != nil {
					t.Fatal(err)
				}
				c.command(t, dir)
				if _, err := w.after(t.Context(), v); err != nil {
					t.Fatal(err)
				}
				if c.user != nil {
					c.user(t, dir)
				}
				revertAll(t, j, tree, "turn")
				check(t, files(t, tree), map[string]string{"a": "a\n"})
				want := c.start
				if c.want != 0 {
					want = c.want
				}
				if fi, err := os.Stat(filepath.Join(dir, "a")); err != nil || fi.Mode().Perm() != want {
					t.Errorf("got %v, %v, want %v", fi.Mode(), err, want)
				}
			})
		}
	}
}

// stiff is a disk on which Chmod fails.
type stiff struct{ *disk.Tree }

func (stiff) Chmod(disk.Path, fs.FileMode) error { return errFlaky }

func TestFailedStepLeavesTheFileUnchanged(t *testing.T) {
	for _, c := range []struct {
		name          string
		files         func(*disk.Tree) writer
		was, wantMode fs.FileMode
	}{
		{name: "the text is written, and the permissions fail", files: func(t *disk.Tree) writer { return stiff{t} }, was: 0o644, wantMode: 0o444},
		{name: "the permissions fail", files: func(t *disk.Tree) writer { return stiff{t} }, was: 0o644, wantMode: 0o755},
		{name: "the permissions are there, and the text fails", files: func(t *disk.Tree) writer { return &flaky{Tree: t, fail: 1} }, was: 0o644, wantMode: 0o755},
	} {
		t.Run(c.name, func(t *testing.T) {
			tree := folder(t, map[string]string{"a": "two"})
			p, err := tree.Resolve("a")
			if err != nil {
				t.Fatal(err)
			}
			if _, err := restore(context.Background(), c.files(tree), []step{{path: p, was: []byte("two"), want: []byte("one"), wasMode: c.was, mode: c.wantMode}}); !errors.Is(err, errFlaky) {
				t.Errorf("got error %v", err)
			}
			check(t, files(t, tree), map[string]string{"a": "two"})
			if fi, err := os.Stat(p.Abs); err != nil || fi.Mode().Perm() != c.was {
				t.Errorf("got %v, %v", fi.Mode(), err)
			}
		})
	}
}
