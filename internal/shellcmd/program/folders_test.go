package program_test

import (
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/emendo-dev/emendo/internal/secret"
	"github.com/emendo-dev/emendo/internal/shellcmd"
	"github.com/emendo-dev/emendo/internal/shellcmd/program"
)

// linkedTree creates a workspace of directories, files, secrets and links
// inside it and out of it. It returns the workspace's path without links.
func linkedTree(t *testing.T, r *rand.Rand) string {
	t.Helper()
	top, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	w := filepath.Join(top, "w")
	dirs := []string{"w", "w/a", "w/a/b", "w/c", "w/c/d", "o", "o/p"}
	for _, dir := range dirs {
		if err := os.MkdirAll(filepath.Join(top, dir), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	for range 14 {
		name := []string{".env", ".enx", "x.txt", "y.txt", "a.key", "..x"}[r.IntN(6)]
		if err := os.WriteFile(filepath.Join(top, dirs[r.IntN(len(dirs))], name), []byte("x"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for range 8 {
		to := filepath.Join(top, dirs[r.IntN(len(dirs))])
		from := filepath.Join(top, dirs[r.IntN(len(dirs))], []string{"l", "m", "n.txt", ".env"}[r.IntN(4)])
		if r.IntN(4) == 0 {
			to = filepath.Join(to, []string{".env", "x.txt", "nowhere", "l"}[r.IntN(4)])
		}
		if rel, err := filepath.Rel(filepath.Dir(from), to); err == nil && r.IntN(2) == 0 {
			to = rel
		}
		if err := os.Symlink(to, from); err != nil && !errors.Is(err, fs.ErrExist) {
			t.Fatal(err)
		}
	}
	return w
}

// A pattern or a path that a rule for the program covers leads neither outside
// nor to a secret, wherever bash finds it: after "..", after links, in the
// directory that cd led to.
func TestPatternsLeadWhereBashFindsThem(t *testing.T) {
	if testing.Short() {
		t.Skip("compares thousands of random patterns with bash")
	}
	bash, err := exec.LookPath("bash")
	if err != nil {
		t.Fatalf("bash is needed to compare with it: %v; install it", err)
	}
	r := rand.New(rand.NewPCG(11, 12))
	folders := []string{"a", "b", "c", "d", "l", "m", "..", "..", ".", ""}
	last := []string{"*", ".e*", ".en?", ".*", "*.txt", "?.txt", "x.txt", ".env", "*.key", "..*", "l", "n.txt", "..", "?", "l*", ""}
	covered, found := 0, 0
	for range 60 {
		w := linkedTree(t, r)
		for range 40 {
			path := ""
			for range r.IntN(5) {
				path += folders[r.IntN(len(folders))] + "/"
			}
			path += last[r.IntN(len(last))]
			if r.IntN(8) == 0 {
				path = w + "/" + path
			}
			if strings.TrimLeft(path, "./") == path && path == "" || strings.HasPrefix(path, "/") && !strings.HasPrefix(path, w) {
				continue
			}
			before := []string{"", "", "cd a && ", "cd a/b && ", "cd l && ", "cd a/.. && ", "cd -P l && "}[r.IntN(7)]
			a := shellcmd.Analyze(before+"cat "+path, w, []string{w})
			if slices.ContainsFunc(a.Parts, func(p shellcmd.Part) bool { return !p.ReadOnly && !p.Covered([]string{"cat"}) }) {
				continue
			}
			covered++
			cmd := exec.Command(bash, "--noprofile", "--norc", "-c", before+`for f in `+path+`; do [ -e "$f" ] && realpath -z -- "$f"; done; :`)
			cmd.Dir = w
			out, err := cmd.Output()
			if err != nil {
				t.Fatalf("bash on %q: %v", path, err)
			}
			for file := range strings.SplitSeq(strings.TrimSuffix(string(out), "\x00"), "\x00") {
				if file == "" {
					continue
				}
				found++
				rel, err := filepath.Rel(w, file)
				if err != nil || !filepath.IsLocal(rel) || secret.Named(rel) {
					t.Fatalf("a rule for cat covers %q, which reads %s\n%s", before+"cat "+path, file, treeOf(t, w))
				}
			}
		}
	}
	if covered < 300 || found < 100 {
		t.Errorf("only %d commands were covered, which found %d files", covered, found)
	}
}

// treeOf describes a tree in a failure.
func treeOf(t *testing.T, w string) string {
	var b strings.Builder
	_ = filepath.WalkDir(filepath.Dir(w), func(path string, e fs.DirEntry, _ error) error { // for people
		to, _ := os.Readlink(path)
		fmt.Fprintln(&b, path, to)
		return nil
	})
	t.Helper()
	return b.String()
}

func TestPathsGoUpFromWhereLinksLead(t *testing.T) {
	w := filepath.Join(linkedTree(t, rand.New(rand.NewPCG(1, 1))), "z")
	if err := os.MkdirAll(filepath.Join(w, "sub/deep"), 0o700); err != nil {
		t.Fatal(err)
	}
	for link, to := range map[string]string{"in": "sub/deep", "none": "nowhere", "sub/f": "../x"} {
		if err := os.Symlink(to, filepath.Join(w, link)); err != nil {
			t.Fatal(err)
		}
	}
	for name, want := range map[string]string{
		"x":            "x",
		"sub/../x":     "x",
		"sub/..":       ".",
		"sub/../":      ".",
		"sub/deep/../": "sub",
		"in/..":        "sub",
		"in/../":       "sub",
		"in/../x":      "sub/x",
		"in/x":         "in/x",
		"in/.././f":    "sub/f",
		"sub/deep/..x": "sub/deep/..x",
		"none/../x":    "nowhere",
	} {
		var l []string
		if want != "nowhere" {
			l = []string{filepath.Join(w, want)}
		}
		if got := (program.Folders{w}).Paths(name); !slices.Equal(got, l) {
			t.Errorf("%s is %q, want %q", name, got, l)
		}
	}
}
