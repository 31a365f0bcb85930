package rewind

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/emendo-dev/emendo/ide/disk"
)

// watched lets do change a folder as a command would, and returns the files
// after a rewind, and the gaps.
func watched(t *testing.T, g Git, tree *disk.Tree, do func()) (got map[string]string, gaps map[string]string) {
	t.Helper()
	j := NewStore(filepath.Join(t.TempDir(), "checkpoints"), g).Journal("s")
	w := j.watch("turn", tree)
	v, err := w.before(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	do()
	if _, err := w.after(t.Context(), v); err != nil {
		t.Fatal(err)
	}
	gaps = revertAll(t, j, tree, "turn")
	return files(t, tree), gaps
}

func TestRepositoriesOfEveryKind(t *testing.T) {
	g := gitHere(t)
	commit := func(t *testing.T, dir string) {
		must(t, g, dir, "add", "-A")
		must(t, g, dir, "commit", "-q", "-m", "one")
	}
	for _, c := range []struct {
		name  string
		setUp func(t *testing.T, dir string) (below string) // the folder that is the workspace's
	}{
		{name: "without a commit", setUp: func(t *testing.T, dir string) string {
			must(t, g, dir, "init", "-q")
			return dir
		}},
		{name: "without a commit, and all is staged", setUp: func(t *testing.T, dir string) string {
			must(t, g, dir, "init", "-q")
			must(t, g, dir, "add", "-A")
			return dir
		}},
		{name: "a folder of it", setUp: func(t *testing.T, dir string) string {
			must(t, g, dir, "init", "-q")
			commit(t, dir)
			return filepath.Join(dir, "sub")
		}},
		{name: "a work tree, whose .git is a file", setUp: func(t *testing.T, dir string) string {
			must(t, g, dir, "init", "-q")
			commit(t, dir)
			tree := filepath.Join(t.TempDir(), "tree")
			must(t, g, dir, "worktree", "add", "-q", tree)
			return tree
		}},
		{name: "a submodule is another repository", setUp: func(t *testing.T, dir string) string {
			inner := t.TempDir()
			write(t, filepath.Join(inner, "x"), "x\n")
			must(t, g, inner, "init", "-q")
			commit(t, inner)
			must(t, g, dir, "init", "-q")
			// As "submodule add" would, which may not clone here.
			if err := os.CopyFS(filepath.Join(dir, "module"), os.DirFS(inner)); err != nil {
				t.Fatal(err)
			}
			commit(t, dir)
			return dir
		}},
		{name: "in the middle of a merge", setUp: func(t *testing.T, dir string) string {
			must(t, g, dir, "init", "-q")
			commit(t, dir)
			must(t, g, dir, "checkout", "-q", "-b", "other")
			write(t, filepath.Join(dir, "a"), "theirs\n")
			commit(t, dir)
			must(t, g, dir, "checkout", "-q", "main")
			write(t, filepath.Join(dir, "a"), "ours\n")
			commit(t, dir)
			if _, err := g.Run(t.Context(), dir, nil, "merge", "-q", "other"); err == nil {
				t.Error("there is no conflict")
			}
			return dir
		}},
		{name: "with a detached head", setUp: func(t *testing.T, dir string) string {
			must(t, g, dir, "init", "-q")
			commit(t, dir)
			must(t, g, dir, "checkout", "-q", "--detach")
			return dir
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			top := folder(t, map[string]string{"a": "a\n", "sub/b": "b\n", "sub/c": "c\n"}).Folders()[0]
			dir, err := filepath.EvalSymlinks(c.setUp(t, top))
			if err != nil {
				t.Fatal(err)
			}
			tree, err := disk.NewTree([]string{dir})
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() { tree.Close() })
			was := files(t, tree)
			got, gaps := watched(t, g, tree, func() {
				for name := range was {
					if !strings.Contains(name, ".git") && !strings.HasPrefix(name, "module") {
						write(t, filepath.Join(dir, name), "changed\n")
					}
				}
				write(t, filepath.Join(dir, "new"), "new\n")
			})
			check(t, got, was)
			if len(gaps) != 1 { // that a command ran
				t.Errorf("gaps: %v", gaps)
			}
		})
	}
}

func TestBrokenRepositoryIsReported(t *testing.T) {
	for _, c := range []struct{ name, file, text string }{
		{name: "its .git leads nowhere", file: ".git", text: "gitdir: /nowhere/at/all\n"},
		{name: "its .git is nothing", file: ".git", text: "\x00"},
		{name: "its settings cannot be read", file: ".git/config", text: "[core\n"},
		{name: "its files are said to be elsewhere", file: ".git/config", text: "[core]\n\trepositoryformatversion = 0\n\tworktree = /nowhere\n"},
	} {
		t.Run(c.name, func(t *testing.T) {
			g := gitHere(t)
			tree := folder(t, map[string]string{"a": "a\n"})
			dir := tree.Folders()[0]
			if c.file != ".git" {
				must(t, g, dir, "init", "-q")
			}
			write(t, filepath.Join(dir, c.file), c.text)
			v, err := NewStore(t.TempDir(), g).Journal("s").watch("turn", tree).before(t.Context())
			if err == nil {
				t.Errorf("it is looked at: %+v", v)
			}
		})
	}
}

func TestProgramsOfARepositoryDoNotRun(t *testing.T) {
	if testing.Short() {
		t.Skip("attack test")
	}
	g := gitHere(t)
	tree := folder(t, map[string]string{"a": "a\n", "b": "b\n", "c.pic": "c\n"})
	dir := tree.Folders()[0]
	must(t, g, dir, "init", "-q")
	must(t, g, dir, "add", "-A")
	must(t, g, dir, "commit", "-q", "-m", "one")
	ran := filepath.Join(t.TempDir(), "ran")
	evil := filepath.Join(t.TempDir(), "evil")
	if err := os.WriteFile(evil, []byte("#!/bin/sh\necho \"$0 $@\" >>"+ran+"\ncat\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	hooks := filepath.Join(dir, ".git", "hooks")
	for _, hook := range []string{"post-index-change", "reference-transaction", "post-checkout", "fsmonitor-watchman"} {
		if err := os.WriteFile(filepath.Join(hooks, hook), []byte("#!/bin/sh\necho hook >>"+ran+"\n"), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	config := fmt.Sprintf(`
[core]
	fsmonitor = %[1]s
	hooksPath = %[2]s
	pager = %[1]s
	sshCommand = %[1]s
	editor = %[1]s
	askPass = %[1]s
[filter "one"]
	clean = %[1]s
	smudge = %[1]s
	required = true
[filter "t=w.o"]
	process = %[1]s
[diff]
	external = %[1]s
[diff "pic"]
	textconv = %[1]s
	command = %[1]s
[alias]
	status = !%[1]s
[credential]
	helper = !%[1]s
[remote "origin"]
	url = ssh://nowhere/x
	promisor = true
[extensions]
	partialClone = origin
`, evil, hooks)
	f, err := os.OpenFile(filepath.Join(dir, ".git", "config"), os.O_APPEND|os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := f.WriteString(config); err != nil {
		t.Fatal(err)
	}
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
	write(t, filepath.Join(dir, ".gitattributes"), "a filter=one\nb filter=t=w.o\n*.pic diff=pic\n")
	for _, name := range []string{"a", "b", "c.pic"} { // git has to look into them
		if err := os.Chtimes(filepath.Join(dir, name), time.Unix(0, 0), time.Unix(1, 0)); err != nil {
			t.Fatal(err)
		}
	}
	_, gaps := watched(t, g, tree, func() {
		for _, name := range []string{"a", "b", "c.pic"} {
			write(t, filepath.Join(dir, name), "changed\n")
		}
	})
	if b, err := os.ReadFile(ran); err == nil {
		t.Errorf("these were run:\n%s", b)
	}
	if len(gaps) == 0 {
		t.Error("the journal does not say that a command ran")
	}
}

// Git passes by an empty folder called .git, so the files below it can be watched without git.
func TestEmptyFolderOfGitIsNoRepository(t *testing.T) {
	dir := t.TempDir()
	if err := os.MkdirAll(filepath.Join(dir, ".git"), 0o700); err != nil {
		t.Fatal(err)
	}
	work := filepath.Join(dir, "work")
	if err := os.Mkdir(work, 0o700); err != nil {
		t.Fatal(err)
	}
	if r, err := open(t.Context(), gitHere(t), work); r != nil || err != nil {
		t.Errorf("got %+v, %v", r, err)
	}
}
