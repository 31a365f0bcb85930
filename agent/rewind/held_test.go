package rewind

import (
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

// Whoever may remove what is held relies on it: the files come back, but for those that tools
// make again.
func TestWhatIsHeldComesBack(t *testing.T) {
	const lost, held, again = "lost", "held", "again"
	large := strings.Repeat("x", MaxFile+1)
	both := map[string]string{
		"clean": held, "untracked": held, "sub": held, "sub/deep é\n.txt": held, "log/x.log": held, "x.log": held, "notes": held, "empty": held, "missing": held, "missing/x": held, "notes/node_modules": again,
		"big.bin": lost, "big-untracked": lost, "notes-with-key": lost, ".env": lost, "nest": lost, "link": lost, ".": lost, "/etc/passwd": lost,
		"build": again, "build/out": again, "web/node_modules": again,
	}
	for _, c := range []struct {
		name string
		git  bool
		want map[string]string // where it differs from both
	}{
		{name: "in a repository", git: true, want: map[string]string{
			"big": held, "vendor": held, "crlf.bat": held, "committed-link": held, "staged": held, "changed": held, "assumed": lost, "filtered.x": held, "smudged.x": lost, "big-changed": lost, ".git": lost, ".git/config": lost, "dist": lost, "dist/index.js": held,
		}},
		{name: "without a repository", want: map[string]string{"vendor": again, "dist": again, "big": lost, "nest": held}},
	} {
		t.Run(c.name, func(t *testing.T) {
			tree := folder(t, map[string]string{
				".gitignore": "*.log\nbuild/\nnode_modules\nnotes*\n.env\n*.bin\n", ".gitattributes": "*.x filter=up\n*.bat eol=crlf\n",
				"clean": "c\n", "sub/deep é\n.txt": "d\n", "empty": "", "big": large, "big-changed": large, "vendor/lib/lib.go": "package lib\n", "crlf.bat": "one\r\n",
				"changed": "c\n", "assumed": "a\n", "filtered.x": "x\n", "smudged.x": "x\n", "dist/index.js": "js\n",
			})
			dir, g := tree.Folders()[0], gitHere(t)
			symlink(t, "clean", filepath.Join(dir, "committed-link"))
			past := time.Unix(1e9, 0) // git need not look into it again
			if err := os.Chtimes(filepath.Join(dir, "smudged.x"), past, past); err != nil {
				t.Fatal(err)
			}
			if c.git {
				must(t, g, dir, "init", "-q")
				must(t, g, dir, "config", "filter.up.clean", "tr a-z A-Z")
				must(t, g, dir, "add", "-A")
				must(t, g, dir, "commit", "-q", "-m", "one")
				must(t, g, dir, "update-index", "--assume-unchanged", "assumed")
			}
			for name, text := range map[string]string{
				"untracked": "u\n", "x.log": "x\n", "log/x.log": "x\n", "notes/a": "a\n", "notes/deep/b": "b\n", "notes/node_modules/a": "a\n", "notes-with-key/id_rsa": "key\n", ".env": "KEY=1\n",
				"big.bin": large, "big-untracked": large, "big-changed": large + "y", "build/out": "o\n", "build/sub/out": large, "web/node_modules/a/b.js": "js\n", "nest/a": "a\n", "assumed": "changed\n",
				"changed": "changed\n", "staged": "s\n", "filtered.x": "y\n", "dist/big": large,
			} {
				write(t, filepath.Join(dir, name), text)
			}
			symlink(t, "clean", filepath.Join(dir, "link"))
			if c.git {
				must(t, g, filepath.Join(dir, "nest"), "init", "-q")
				must(t, g, dir, "add", "staged")
			}
			want := maps.Clone(both)
			maps.Copy(want, c.want)
			store := NewStore(filepath.Join(t.TempDir(), "checkpoints"), g)
			hold := store.Held(tree)
			for _, name := range slices.Sorted(maps.Keys(want)) {
				path := name
				if !filepath.IsAbs(name) {
					path = filepath.Join(dir, name)
				}
				if got := hold(path); got != (want[name] != lost) {
					t.Errorf("%q: held %v, want it %s", name, got, want[name])
				}
			}
			for _, name := range slices.Sorted(maps.Keys(want)) {
				if want[name] != held || strings.HasSuffix(name, "link") {
					continue
				}
				before := files(t, tree)
				j := store.Journal("s")
				w := j.watch(name, tree)
				v, err := w.before(t.Context())
				if err != nil {
					t.Fatal(err)
				}
				if err := os.RemoveAll(filepath.Join(dir, name)); err != nil {
					t.Fatal(err)
				}
				changes, err := w.after(t.Context(), v)
				if err != nil || len(changes.removed) > 0 && name != "big" && name != "notes" {
					t.Errorf("%q: %v, there is no copy of %q", name, err, changes.removed)
				}
				revertAll(t, j, tree, name)
				after := files(t, tree)
				maps.DeleteFunc(before, func(name, _ string) bool { return strings.HasPrefix(name, "notes/node_modules/") })
				maps.DeleteFunc(after, func(name, _ string) bool { return strings.HasPrefix(name, "notes/node_modules/") })
				check(t, after, before)
			}
		})
	}
}

func symlink(t *testing.T, to, at string) {
	t.Helper()
	if err := os.Symlink(to, at); err != nil {
		t.Fatal(err)
	}
}

// All copies together are bounded, so which files they include is known before they are made.
func TestNothingBeyondTheLimitIsHeld(t *testing.T) {
	if testing.Short() {
		t.Skip("needs many files")
	}
	g := gitHere(t)
	tree := folder(t, map[string]string{".gitignore": "*.log\n"})
	dir := tree.Folders()[0]
	must(t, g, dir, "init", "-q")
	full := strings.Repeat("x", MaxFile)
	for i := range MaxAll/MaxFile + 1 {
		write(t, filepath.Join(dir, string(rune('a'+i%26)), strings.Repeat("z", i/26)+".log"), full)
	}
	write(t, filepath.Join(dir, "untracked"), "u\n")
	store := NewStore(filepath.Join(t.TempDir(), "checkpoints"), g)
	hold := store.Held(tree)
	v, err := store.Journal("s").watch("turn", tree).before(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	var lost []string
	for name, l := range v.files {
		if hold(name) != (l.gap == "") {
			t.Errorf("%s: held %v, the copy's gap %q", name, hold(name), l.gap)
		}
		if l.gap != "" {
			lost = append(lost, name)
		}
	}
	if len(lost) != 1 || !strings.HasSuffix(lost[0], ".log") || !hold(filepath.Join(dir, "untracked")) {
		t.Errorf("lost: %q", lost)
	}
}
