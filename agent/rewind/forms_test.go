package rewind

import (
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/emendo-dev/emendo/internal/git"
)

// removed marks a file that a command removes.
const removed = "\x00removed"

func TestFilesThatGitConverts(t *testing.T) {
	g := gitHere(t)
	for _, c := range []struct {
		name    string
		start   map[string]string
		convert string            // core.autocrlf
		command map[string]string // files after it
		gaps    string            // files that are not restored
	}{
		{
			name: "line ends by attribute", start: map[string]string{".gitattributes": "*.bat eol=crlf\n", "a.bat": "one\r\ntwo\r\n", "b": "one\n"},
			command: map[string]string{"a.bat": "x\r\n", "b": "two\n"},
		},
		{
			name: "line ends by setting", convert: "true", start: map[string]string{"a": "one\r\ntwo\r\n", "bin": "\x00\n", "b": "one\r\n"},
			command: map[string]string{"a": "x\r\n", "bin": "\x01\n", "b": removed},
		},
		{
			name: "line ends that git does not write", start: map[string]string{".gitattributes": "* text=auto\n", "a": "one\r\n", "b": "one\n", "c": "one\n"},
			command: map[string]string{"a": "two\r\n", "b": "two\n", "c": "no end"}, gaps: "a",
		},
		{
			name: "line ends that git only reads", convert: "input", start: map[string]string{"a": "one\r\n"},
			command: map[string]string{"a": "two\r\n"}, gaps: "a",
		},
		{
			name: "line ends that the command changes", start: map[string]string{"a": "one\r\n"},
			command: map[string]string{"a": "one\n"},
		},
		{
			name: "an encoding", start: map[string]string{".gitattributes": "*.txt working-tree-encoding=UTF-16LE\n", "a.txt": "a\x00\n\x00"},
			command: map[string]string{"a.txt": "b\x00\n\x00"},
		},
		{
			name: "a keyword", start: map[string]string{".gitattributes": "*.c ident\n", "a.c": "/* $Id: old $ */\n"},
			command: map[string]string{"a.c": "x\n"}, gaps: "a.c",
		},
		{
			name: "a name of two lines", start: map[string]string{".gitattributes": "*.bat eol=crlf\n", "a\n.bat": "one\r\n", "a\n.txt": "one\n"},
			command: map[string]string{"a\n.bat": "x\r\n", "a\n.txt": "x\n"}, gaps: "a\n.bat",
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			tree := folder(t, c.start)
			dir := tree.Folders()[0]
			must(t, g, dir, "init", "-q")
			if c.convert != "" {
				must(t, g, dir, "config", "core.autocrlf", c.convert)
			}
			must(t, g, dir, "add", "-A")
			must(t, g, dir, "commit", "-q", "-m", "one")
			want := files(t, tree)
			got, gaps := watched(t, g, tree, func() { leave(t, dir, c.command) })
			if c.gaps != "" {
				want[c.gaps] = c.command[c.gaps]
			}
			check(t, got, want)
			delete(gaps, ".")
			if named := strings.Join(slices.Sorted(maps.Keys(gaps)), " "); named != c.gaps {
				t.Errorf("these are named: %q", gaps)
			}
		})
	}
}

func leave(t *testing.T, dir string, files map[string]string) {
	t.Helper()
	for name, text := range files {
		path := filepath.Join(dir, name)
		if text != removed {
			write(t, path, text)
		} else if err := os.Remove(path); err != nil {
			t.Fatal(err)
		}
	}
}

func TestUnnameableFilesAreReported(t *testing.T) {
	for _, c := range []struct{ name, leaves string }{
		{name: "a file that is changed", leaves: "two\n"},
		{name: "a file that is removed", leaves: removed},
	} {
		for _, git := range []bool{false, true} {
			t.Run(fmt.Sprintf("%s, git: %v", c.name, git), func(t *testing.T) {
				const name = "caf\xe9"
				g, tree := gitHere(t), folder(t, map[string]string{name: "one\n"})
				dir := tree.Folders()[0]
				if git {
					must(t, g, dir, "init", "-q")
					must(t, g, dir, "add", "-A")
					must(t, g, dir, "commit", "-q", "-m", "one")
				}
				want := map[string]string{}
				if c.leaves != removed {
					want[name] = c.leaves
				}
				got, gaps := watched(t, g, tree, func() { leave(t, dir, map[string]string{name: c.leaves}) })
				check(t, got, want) // and no other file is made in its place
				if gaps["caf\ufffd"] != gapName {
					t.Errorf("gaps: %q", gaps)
				}
			})
		}
	}
}

func TestLinksAndFoldersAreReported(t *testing.T) {
	link := func(target string) func(*testing.T, string) {
		return func(t *testing.T, dir string) {
			os.Remove(filepath.Join(dir, "a"))
			if err := os.Symlink(target, filepath.Join(dir, "a")); err != nil {
				t.Fatal(err)
			}
		}
	}
	text := func(t *testing.T, dir string) { write(t, filepath.Join(dir, "a"), "one\n") }
	for _, c := range []struct {
		name          string
		start, become func(t *testing.T, dir string)
		gap           bool
	}{
		{name: "a link that stays", start: link("b"), become: func(*testing.T, string) {}},
		{name: "a link to another file", start: link("b"), become: link("c"), gap: true},
		{name: "a link that is removed", start: link("b"), become: func(_ *testing.T, dir string) { os.Remove(filepath.Join(dir, "a")) }, gap: true},
		{name: "a link in place of a file", start: text, become: link("b"), gap: true},
		{name: "a folder in place of a file", start: text, become: func(t *testing.T, dir string) {
			os.Remove(filepath.Join(dir, "a"))
			write(t, filepath.Join(dir, "a", "x"), "x\n")
		}, gap: true},
	} {
		for _, git := range []bool{false, true} {
			t.Run(fmt.Sprintf("%s, git: %v", c.name, git), func(t *testing.T) {
				g, tree := gitHere(t), folder(t, map[string]string{"b": "b\n", "c": "c\n"})
				dir := tree.Folders()[0]
				c.start(t, dir)
				if git {
					must(t, g, dir, "init", "-q")
				}
				_, gaps := watched(t, g, tree, func() { c.become(t, dir) })
				if (gaps["a"] != "") != c.gap {
					t.Errorf("gaps: %q", gaps)
				}
			})
		}
	}
}

// A command that cannot change .git could still change a file that git's
// configuration includes, while git runs.
func TestRepositoryWithChangeableConfigIsNotUsed(t *testing.T) {
	g := gitHere(t)
	tree := folder(t, map[string]string{"a": "one\n", "settings": ""})
	dir := tree.Folders()[0]
	must(t, g, dir, "init", "-q")
	must(t, g, dir, "config", "include.path", "../settings")
	w := NewStore(filepath.Join(t.TempDir(), "checkpoints"), g).Journal("s").watch("turn", tree)
	if _, err := w.before(t.Context()); !errors.Is(err, git.ErrOpenSettings) {
		t.Errorf("got %v", err)
	}
}

func TestManyUntrackedFilesAreNotCopied(t *testing.T) {
	if testing.Short() {
		t.Skip("needs many files")
	}
	g := gitHere(t)
	tree := folder(t, map[string]string{"a": "one\n"})
	dir := tree.Folders()[0]
	must(t, g, dir, "init", "-q")
	must(t, g, dir, "add", "-A")
	must(t, g, dir, "commit", "-q", "-m", "one")
	got, gaps := watched(t, g, tree, func() {
		write(t, filepath.Join(dir, "a"), "two\n")
		if err := os.Mkdir(filepath.Join(dir, "made"), 0o755); err != nil {
			t.Fatal(err)
		}
		for i := range maxNames + 1 {
			if err := os.Link(filepath.Join(dir, "a"), filepath.Join(dir, "made", fmt.Sprint(i))); err != nil {
				t.Fatal(err)
			}
		}
	})
	if got["a"] != "one\n" || len(got) != maxNames+2 {
		t.Errorf("a holds %q, of %d files", got["a"], len(got))
	}
	if !strings.Contains(gaps["."], gapMany) {
		t.Errorf("gaps: %q", gaps)
	}
}
