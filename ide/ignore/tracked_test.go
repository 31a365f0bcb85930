package ignore

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/emendo-dev/emendo/ide/disk"
)

// ignored reports for each path whether it is ignored; those that end in a slash are
// folders.
func ignored(t *testing.T, tree *disk.Tree, top string, paths []string) []string {
	t.Helper()
	var l []string
	for _, name := range paths {
		rel := strings.TrimSuffix(name, "/")
		p := disk.Path{Abs: filepath.Join(top, rel), Root: top, Rel: rel}
		yes, err := Ignored(t.Context(), tree, p, rel != name, Options{})
		if err != nil {
			t.Fatal(err)
		}
		if yes {
			l = append(l, name)
		}
	}
	return l
}

func TestTrackedFilesAreIgnoredOnlyAsGitDoes(t *testing.T) {
	top := newRepository(t)
	put(t, filepath.Join(top, ".gitignore"), "*.log\nbuild/\n/only/*\n!/only/kept\nvendor/\n")
	all := []string{
		"a.log", "b.log", "build/", "build/kept.c", "build/new.c", "build/deep/", "build/deep/x.c", "build/other/", "build/other/y.c",
		"only/kept", "only/a", "only/b", "vendor/", "vendor/v.go", "src/c.log", "src/d.log", "src/e.go", "buildx/a",
	}
	for _, name := range all {
		if !strings.HasSuffix(name, "/") {
			put(t, filepath.Join(top, name), "text\n")
		}
	}
	tree := newTree(t, top)
	check := func(when string) {
		t.Helper()
		var want []string
		for path := range strings.SplitSeq(git(t, top, strings.Join(all, "\x00")+"\x00", "check-ignore", "--stdin", "-z"), "\x00") {
			// Git says of a folder what its rules say, whatever it tracks in there.
			if path != "" && (!strings.HasSuffix(path, "/") || git(t, top, "", "ls-files", "--", path) == "") {
				want = append(want, path)
			}
		}
		if got := ignored(t, tree, top, all); strings.Join(got, "\n") != strings.Join(want, "\n") {
			t.Errorf("%s: got %q, git says %q", when, got, want)
		}
	}
	check("nothing is tracked")
	git(t, top, "", "add", "--force", "a.log", "build/kept.c", "build/deep/x.c", "only/a", "src/c.log", "src/e.go")
	check("some files are tracked")
	git(t, top, "", "update-index", "--index-version=4")
	check("the index has another form")
	git(t, top, "", "add", "--force", "vendor/v.go")
	git(t, top, "", "rm", "-q", "--cached", "a.log")
	check("the index changed")
	git(t, top, "", "update-index", "--split-index")
	check("the index is in two files")
	put(t, filepath.Join(top, ".emendoignore"), "kept.c\n")
	if got := ignored(t, tree, top, []string{"build/kept.c", "build/deep/x.c"}); len(got) != 1 || got[0] != "build/kept.c" {
		t.Errorf("with .emendoignore: %q", got)
	}
	put(t, filepath.Join(top, ".emendoignore"), "!build/\n")
	if got := ignored(t, tree, top, []string{"build/new.c", "build/kept.c"}); len(got) != 0 {
		t.Errorf("with a folder that .emendoignore shows: %q", got)
	}
}

func TestFilesThatASubmoduleTracksAreNotIgnored(t *testing.T) {
	top := newRepository(t)
	put(t, filepath.Join(top, ".gitignore"), "/lib/\n*.log\n")
	sub := filepath.Join(top, "lib", "sub")
	put(t, filepath.Join(sub, "a.log"), "text\n")
	put(t, filepath.Join(sub, "b.log"), "text\n")
	git(t, sub, "", "init", "-q", "--template=", ".")
	git(t, sub, "", "add", "a.log")
	git(t, sub, "", "-c", "user.name=a", "-c", "user.email=a@b", "commit", "-q", "-m", "one")
	git(t, top, "", "-c", "advice.addEmbeddedRepo=false", "update-index", "--add", "--cacheinfo", "160000,"+strings.TrimSpace(git(t, sub, "", "rev-parse", "HEAD"))+",lib/sub")
	got := ignored(t, newTree(t, top), top, []string{"lib/", "lib/sub/", "lib/sub/a.log", "lib/sub/b.log", "lib/other"})
	if strings.Join(got, " ") != "lib/sub/b.log lib/other" {
		t.Errorf("got %q", got)
	}
}

// A workspace in a folder that a repository around it ignores is the user's choice.
func TestAnIgnoredFolderIsVisibleAsTheWorkspace(t *testing.T) {
	top := newRepository(t)
	put(t, filepath.Join(top, ".gitignore"), "/tmp/\n*.log\n")
	dir := filepath.Join(top, "tmp", "work")
	put(t, filepath.Join(dir, "a.go"), "package a\n")
	put(t, filepath.Join(dir, "a.log"), "text\n")
	got := ignored(t, newTree(t, dir), dir, []string{"a.go", "a.log", "sub/b.go"})
	if strings.Join(got, " ") != "a.log" {
		t.Errorf("got %q", got)
	}
}

func TestADamagedIndexTracksNothing(t *testing.T) {
	top := newRepository(t)
	put(t, filepath.Join(top, ".gitignore"), "*.log\n")
	put(t, filepath.Join(top, "a.log"), "text\n")
	if err := os.WriteFile(filepath.Join(top, ".git", "index"), []byte("DIRC, but no index"), 0o644); err != nil {
		t.Fatal(err)
	}
	if got := ignored(t, newTree(t, top), top, []string{"a.log"}); len(got) != 1 {
		t.Errorf("got %q", got)
	}
}
