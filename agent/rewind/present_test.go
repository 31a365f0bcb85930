package rewind

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

func TestRemovedFilesAreReported(t *testing.T) {
	move := func(t *testing.T, dir, from, to string) {
		t.Helper()
		if err := os.Rename(filepath.Join(dir, from), filepath.Join(dir, to)); err != nil {
			t.Fatal(err)
		}
	}
	for _, c := range []struct {
		name string
		most int
		run  func(t *testing.T, g Git, dir string)
		want string // the files that are lost, the new ones with a +
	}{
		{name: "nothing", run: func(t *testing.T, _ Git, dir string) { write(t, filepath.Join(dir, "new"), "new\n") }, want: "+new"},
		{name: "a file that is kept", run: func(t *testing.T, _ Git, dir string) { move(t, dir, "untracked", "new") }, want: "+new"},
		{name: "an ignored file that is kept", run: func(t *testing.T, _ Git, dir string) { move(t, dir, "x.local", "new") }, want: "+new"},
		{name: "a file in an ignored folder that is kept", run: func(t *testing.T, _ Git, dir string) { move(t, dir, "notes/a", "new") }, want: "+new"},
		{name: "an ignored file that is too large", run: func(t *testing.T, _ Git, dir string) { os.Remove(filepath.Join(dir, "large.local")) }, want: "large.local"},
		{name: "an ignored file with secrets", run: func(t *testing.T, _ Git, dir string) { os.Remove(filepath.Join(dir, ".env")) }, want: ".env"},
		{name: "an ignored build", run: func(t *testing.T, _ Git, dir string) { move(t, dir, "build", "new") }, want: "+new"},
		{name: "an ignored build in an ignored folder", run: func(t *testing.T, _ Git, dir string) { move(t, dir, "notes/node_modules", "new") }, want: "+new"},
		{name: "a file of another repository", run: func(t *testing.T, _ Git, dir string) { move(t, dir, "nest/x", "new") }, want: "+new nest/x"},
		{
			name: "a file that git was told to pass over", want: "+new assumed",
			run: func(t *testing.T, _ Git, dir string) { move(t, dir, "assumed", "new") },
		},
		{
			name: "the other repository", want: "",
			run: func(t *testing.T, _ Git, dir string) {
				if err := os.RemoveAll(filepath.Join(dir, "nest/.git")); err != nil {
					t.Fatal(err)
				}
			},
		},
		{
			name: "rules that are not in the folder", want: "",
			run: func(t *testing.T, _ Git, dir string) { write(t, filepath.Join(dir, ".git/info/exclude"), "") },
		},
		{
			name: "many files of another repository", want: "+new . " + strings.Join(many(maxGone), " "),
			run: func(t *testing.T, _ Git, dir string) { move(t, dir, "nest/many", "new") },
		},
		{name: "what cannot be known", most: 3, run: func(t *testing.T, _ Git, dir string) { move(t, dir, "x.local", "new") }, want: "+new ."},
		{name: "what cannot be known, and nothing is new", most: 3, run: func(t *testing.T, _ Git, dir string) { write(t, filepath.Join(dir, "untracked"), "2\n") }, want: ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			tree := folder(t, map[string]string{".gitignore": "*.local\nnotes/\nbuild/\n.env\n", "assumed": "committed\n"})
			dir, g := tree.Folders()[0], gitHere(t)
			must(t, g, dir, "init", "-q")
			must(t, g, dir, "add", "-A")
			must(t, g, dir, "commit", "-q", "-m", "one")
			must(t, g, dir, "update-index", "--assume-unchanged", "assumed")
			write(t, filepath.Join(dir, ".git/info/exclude"), "excluded\n")
			write(t, filepath.Join(dir, "nest/x"), "x\n")
			must(t, g, filepath.Join(dir, "nest"), "init", "-q")
			for _, name := range append([]string{"assumed", "untracked", "x.local", "excluded", "notes/a", "notes/node_modules/a", "build/a", ".env"}, many(maxGone+2)...) {
				write(t, filepath.Join(dir, name), "user\n")
			}
			write(t, filepath.Join(dir, "large.local"), strings.Repeat("x", MaxFile+1))
			j := NewStore(filepath.Join(t.TempDir(), "checkpoints"), g).Journal("s")
			w := j.watch("turn", tree)
			if c.most > 0 {
				w.most = c.most
			}
			v, err := w.before(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			c.run(t, g, dir)
			changes, err := w.after(t.Context(), v)
			if err != nil {
				t.Fatal(err)
			}
			for _, name := range changes.removed {
				if _, err := os.Lstat(name); err == nil {
					t.Errorf("%s is there", name)
				}
			}
			entries, err := j.Entries([]string{"turn"})
			if err != nil {
				t.Fatal(err)
			}
			var got []string
			for _, e := range entries {
				rel, _ := filepath.Rel(dir, e.Name)
				first, _, _ := strings.Cut(filepath.ToSlash(rel), "/")
				switch {
				case e.Lost:
					got = append(got, filepath.ToSlash(rel))
					if rel != "." && !slices.Contains(changes.removed, e.Name) {
						t.Errorf("%s is not told: %q", rel, changes.removed)
					}
				case e.Gap == "" && e.Before.Hash == "":
					got = append(got, "+"+first)
				}
			}
			slices.Sort(got)
			if got := strings.Join(slices.Compact(got), " "); got != c.want {
				t.Errorf("got %s, want %s", got, c.want)
			}
		})
	}
}

func many(n int) (l []string) {
	for i := range n {
		l = append(l, fmt.Sprintf("nest/many/%02d", i))
	}
	return l
}
