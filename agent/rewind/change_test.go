package rewind

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/emendo-dev/emendo/ide/disk"
)

// What a checkout explains is marked, what git ignores is left out, and the view at the end of
// one command serves the next.
func TestChangesOfACommandByFile(t *testing.T) {
	g := gitHere(t)
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	put := func(name, text string) { write(t, filepath.Join(dir, name), text) }
	put(".gitignore", "*.log\n")
	put("a.txt", "one\n")
	put("b.txt", "one\n")
	put("mine.txt", "one\n")
	must(t, g, dir, "init", "-q")
	must(t, g, dir, "add", "-A")
	must(t, g, dir, "commit", "-q", "-m", "one")
	must(t, g, dir, "branch", "side")
	put("a.txt", "two\n")
	must(t, g, dir, "commit", "-qam", "two")
	put("mine.txt", "the user's\n")
	put("old.log", "old\n")
	tree, err := disk.NewTree([]string{dir})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { tree.Close() })
	w := NewStore(filepath.Join(t.TempDir(), "checkpoints"), g).Journal("s").watch("turn", tree)
	v, err := w.before(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for _, step := range []struct {
		do   func()
		want []string // name, was there, is there, known before, known after, large, by a checkout
	}{
		{func() {
			must(t, g, dir, "checkout", "-q", "side")
			put("b.txt", "changed\n")
			put("new.log", "new\n")
			put("old.log", "changed\n")
		}, []string{"a.txt true true true true false true", "b.txt true true true true false false"}},
		{func() {
			put("large", strings.Repeat("x", MaxFile+1))
			put("new.txt", "new\n")
			if err := os.Remove(filepath.Join(dir, "mine.txt")); err != nil {
				t.Fatal(err)
			}
		}, []string{"large false true false false true false", "mine.txt true false true false false false", "new.txt false true false true false false"}},
		{func() {}, nil},
		{func() { put("a.txt", "again\n") }, []string{"a.txt true true true true false false"}},
	} {
		step.do()
		c, err := w.after(t.Context(), v)
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, f := range c.files {
			got = append(got, fmt.Sprint(strings.TrimPrefix(f.name, dir+"/"), " ", f.was, " ", f.is, " ", f.before.Hash != "", " ", f.after.Hash != "", " ", f.large, " ", f.checkout))
		}
		if !slices.Equal(got, step.want) {
			t.Errorf("the changes are %q, want %q", got, step.want)
		}
		if v, err = c.view(t.Context(), w); err != nil {
			t.Fatal(err)
		}
	}
}
