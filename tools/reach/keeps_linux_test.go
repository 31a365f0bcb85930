package reach

import (
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/emendo-dev/emendo/internal/sandbox/attacktest"
)

// changes are ways to change a workspace, all of which work in one that a command may write.
const changes = `echo x > main.go; echo x > new; mkdir folder; rm -rf sub; mv sub other; ln -s / link; mkfifo pipe; truncate -s 0 sub/a; cp main.go sub/b; rm -f .gitignore
echo x > .git/HEAD; echo x > .git/hooks/post-commit; echo x > build2/out; echo x > vendor/lib/lib.go; echo x > vendor/new; rm -rf target build; mv target t2; rmdir dist; echo x > ../outside/new`

// A command that keeps the workspace as it was changes nothing there, however it tries, and yet
// its builds have a place.
func TestWorkspaceIsKeptAsItWas(t *testing.T) {
	attacktest.AsEachUser(t, func(t *testing.T) {
		for means, start := range attacktest.EveryMeans() {
			t.Run(means, func(t *testing.T) {
				b := attacktest.NewTestbed(t)
				for name, text := range map[string]string{
					"sub/a": "a\n", "sub/Cargo.toml": "", "package.json": "{}", ".gitignore": "target\n/build/\ndist/\n.env\n", "build/out": "built\n", "build2/a": "a\n", "vendor/lib/lib.go": "package lib\n", ".git/HEAD": "ref: refs/heads/main\n", ".git/hooks/a": "a\n",
				} {
					b.Put("work/"+name, text)
				}
				ignored := func(path string) bool {
					return !strings.Contains(path, "vendor") && !strings.Contains(path, "coverage")
				}
				place := New(Options{
					Folders: []string{b.Work}, Home: b.Base + "/home", Environ: os.Environ(), Temp: b.Temp, Cache: b.Cache, Secret: func(p string) bool { return filepath.Base(p) == ".env" }, Ignored: ignored,
				})
				before := treeOf(t, b.Work)
				p := place.Profile(Extra{Keeps: true, Git: GitUse{Calls: true, Alone: true, Writes: true}})
				try := changes
				if means != "Landlock" { // it does not guard them
					try += "; touch -d @1 main.go; chmod 777 main.go"
				}
				runIn(b, start, &p.Profile, try+"; true")
				if got, want := runIn(b, start, &p.Profile, "echo x > build/new && echo x > sub/target/new && echo x > $TMPDIR/y && cat main.go sub/a build/new sub/target/new; cat .env 2>/dev/null || echo closed"), "package main\na\nx\nx\nclosed\n"; got != want {
					t.Errorf("got %q, want %q", got, want)
				}
				place.RemoveMade()
				after := treeOf(t, b.Work)
				for _, made := range []string{"build/new", "sub/target", "sub/target/new"} {
					if _, there := after[made]; !there {
						t.Errorf("%s is missing", made)
					}
					delete(after, made)
				}
				delete(before, "build/out") // it was removed
				if diff := cmp.Diff(before, after); diff != "" {
					t.Errorf("(-before +after)\n%s", diff)
				}
				if _, err := os.Lstat(b.Outside + "/new"); err == nil {
					t.Error("something was made outside")
				}
				for _, path := range []string{"main.go", "sub/new", ".git/HEAD", "vendor/lib/lib.go"} {
					if !p.Keeps(filepath.Join(b.Work, path)) {
						t.Errorf("%s is not kept", path)
					}
				}
				if p.Keeps(b.Work+"/build/out") || p.Keeps(b.Outside) {
					t.Error("too much is kept")
				}
				if runIn(b, start, &place.Profile(Extra{}).Profile, changes+"; true"); cmp.Equal(before, treeOf(t, b.Work)) {
					t.Error("the changes do not work in a workspace that commands may write: nothing is proved")
				}
			})
		}
	})
}

// treeOf returns what is in a folder: types, permissions, texts and targets of links by path.
func treeOf(t *testing.T, dir string) map[string]string {
	t.Helper()
	all := map[string]string{}
	err := filepath.WalkDir(dir, func(path string, e fs.DirEntry, err error) error {
		if err != nil || path == dir {
			return err
		}
		info, err := e.Info()
		if err != nil {
			return err
		}
		is := info.Mode().String()
		if info.Mode().IsRegular() {
			text, err := os.ReadFile(path)
			if err != nil {
				return err
			}
			is += " " + string(text)
		}
		rel, err := filepath.Rel(dir, path)
		all[filepath.ToSlash(rel)] = is
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return all
}
