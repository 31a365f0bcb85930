package shellcmd_test

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/emendo-dev/emendo/internal/shellcmd"
)

// What a command does with git decides about its sandbox, and whether it can
// run in one.
func TestWhatACommandDoesWithGit(t *testing.T) {
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	run := func(args ...string) {
		t.Helper()
		cmd := exec.Command("git", args...)
		cmd.Dir = dir
		cmd.Env = []string{"PATH=" + os.Getenv("PATH"), "HOME=" + dir, "GIT_AUTHOR_NAME=u", "GIT_AUTHOR_EMAIL=u@x", "GIT_COMMITTER_NAME=u", "GIT_COMMITTER_EMAIL=u@x"}
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("git %q: %v: %s", args, err, out)
		}
	}
	run("init", "-q", "-b", "main")
	run("commit", "-q", "--allow-empty", "-m", "x")
	run("branch", "local")
	run("update-ref", "refs/remotes/origin/far", "HEAD")
	run("update-ref", "refs/remotes/origin/packed", "HEAD")
	run("pack-refs", "--all")
	run("update-ref", "refs/remotes/origin/loose", "HEAD")

	reads, writes := shellcmd.GitUse{Calls: true, Alone: true}, shellcmd.GitUse{Calls: true, Alone: true, Writes: true}
	configures := func(name string) shellcmd.GitUse {
		return shellcmd.GitUse{Calls: true, Alone: true, Writes: true, Configures: name}
	}
	also := func(u shellcmd.GitUse, name string) shellcmd.GitUse { u.Configures = name; return u }
	beside := func(u shellcmd.GitUse) shellcmd.GitUse { u.Alone = false; return u }
	network := func(u shellcmd.GitUse, name string) shellcmd.GitUse { u.Network = name; return u }
	for _, c := range []struct {
		line string
		want shellcmd.GitUse
	}{
		{"ls", shellcmd.GitUse{}},
		{"git status", reads},
		{"git diff | head -n 50", reads},
		{"cd sub && git log -p | cat", reads},
		{"git -C sub diff HEAD~1", reads},
		{"git branch -a", reads},
		{"git stash list", reads},
		{"git tag -l 'v*'", reads},
		{"git config --get user.name", reads},
		{"git config user.name", reads},
		{"git config -l", reads},
		{"git remote -v", reads},
		{"git worktree list", reads},
		{"git reflog", reads},
		{"git submodule status", reads},
		{"git add -A && git commit -m x", writes},
		{"git stash", writes},
		{"git rebase -i HEAD~2", writes},
		{"git tag v1", writes},
		{"git -c user.name=x commit -m y", writes},
		{"git branch new", writes},
		{"git switch local", writes},
		{"git switch -c new", writes},
		{"git checkout -b new local", writes},
		{"git checkout -- far", writes},
		{"git switch --detach origin/far", writes},
		{"git switch -c new --no-track origin/far", writes},
		{"time git commit -m x", writes},
		{"git checkout origin/far", writes},
		{"git unheard-of", writes},
		{"make && git commit -m x", beside(writes)},
		{"cat x && git diff", beside(reads)},
		{"git diff | cat - x", beside(reads)},
		{"git diff <x", reads},
		{"git status; cat <x", beside(reads)},
		{"git config a.b c", configures("git config")},
		{"git config --unset a.b", configures("git config")},
		{"git remote add o u", configures("git remote")},
		{"git branch -u origin/far", also(writes, "git branch")},
		{"git branch -D local", also(writes, "git branch")},
		{"git branch new origin/far", also(writes, "git branch")},
		{"git worktree add ../x", configures("git worktree")},
		{"git submodule update --init", network(also(writes, "git submodule"), "git submodule")},
		{"git switch far", also(writes, "git switch")},
		{"git switch packed", also(writes, "git switch")},
		{"git checkout loose", also(writes, "git checkout")},
		{"git switch -c new origin/packed", also(writes, "git switch")},
		{"git checkout -t origin/far", also(writes, "git checkout")},
		{"git init x", also(writes, "git init")},
		{"git push origin main", network(writes, "git push")},
		{"git push -u origin main", network(also(writes, "git push"), "git push")},
		{"git fetch", network(writes, "git fetch")},
	} {
		got := shellcmd.Analyze(c.line, dir, []string{dir}).Git
		got.Only = false // see TestGitIsAlone
		if diff := cmp.Diff(c.want, got); diff != "" {
			t.Errorf("%s (-want +got)\n%s", c.line, diff)
		}
	}
}

// Git is alone in a line in which nothing else runs, no setting is set and every command
// reads, or changes what is easily undone.
func TestGitIsAlone(t *testing.T) {
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"sub", "notes.txt"} {
		if err := os.Mkdir(filepath.Join(dir, name), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	for lines, want := range map[string]bool{
		`git add -A|git add -A && git status|cd sub && git add .|git mv a b|git rm --cached a|git restore --staged a|git restore -S -- a|git reset|git reset -q HEAD a|git reset -- a|git reset notes.txt|git switch -c new|git switch -q --create new HEAD|git checkout -b new|git log --oneline
			git stash list|git branch|git branch -a|git tag -l|git config --get a.b|git diff; git status|/usr/bin/git add a|git -C sub add .|git clean -n|git reflog`: true,
		`git commit -m x|git reset HEAD~1|git reset --hard|git reset main|git switch main|git switch -C new|git switch -c new main|git checkout -b new main|git checkout -B new|git rm a|git restore a|git restore -S -W a|git branch new|git tag v1|git stash|git clean -f|git x
			make && git add a|A=b git add a|env git add a|git -c a.b=c add a|git --exec-path=x add a|git add -i|git add -e a|git diff --ext-diff|git add a > log|cd .. && git add a|if true; then git add a; fi|git add "$X"|git add a &|sh -c 'git add a'|git log \| head|git reflog expire|git merge-file a b c|git commit -m "$X"|git $X|echo a \| xargs git tag`: false,
	} {
		for _, line := range strings.FieldsFunc(strings.ReplaceAll(lines, `\|`, "\x00"), func(r rune) bool { return r == '|' || r == '\n' }) {
			line = strings.TrimSpace(strings.ReplaceAll(line, "\x00", "|"))
			if got := shellcmd.Analyze(line, dir, []string{dir}).Git.Only; got != want {
				t.Errorf("%s: alone %v, want %v", line, got, want)
			}
		}
	}
}

// A branch's remote can be an address with a password, in any settings file.
func TestRemotesOfBranchesAreAskedAbout(t *testing.T) {
	dir := t.TempDir()
	for line, want := range map[string]bool{
		"git for-each-ref --format='%(refname:short) %(objectname)'":                    true,
		"git branch --format='%(refname) %(upstream:track)'":                            true,
		"git for-each-ref --format='%(upstream:remotename)'":                            false,
		"git for-each-ref --format '%(push:remotename)' refs/heads":                     false,
		"git branch --format='%(push:remotename)'":                                      false,
		"git branch -a --format='%(if)%(push:remoteref)%(then)%(push:remoteref)%(end)'": false,
		"git tag -l --format='%(upstream:remotename)'":                                  false,
	} {
		if got := shellcmd.Analyze(line, dir, []string{dir}).Parts[0].ReadOnly; got != want {
			t.Errorf("%s: it only reads: %v", line, got)
		}
	}
}

// All settings that git reads in a directory count, including those of a
// submodule or a work tree.
func TestRemotesOfInnerRepositoriesTellASecret(t *testing.T) {
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	for name, text := range map[string]string{
		".git/config": "", ".git/modules/sub/HEAD": "", ".git/modules/sub/objects/x": "", ".git/modules/sub/refs/x": "", "sub/.git": "gitdir: ../.git/modules/sub\n", "sub/in/x": "",
		".git/modules/sub/config": "[core]\n\tworktree = ../../../sub\n[remote \"origin\"]\n\turl = https://me:word@host/a\n",
	} {
		at := filepath.Join(dir, name)
		if err := errors.Join(os.MkdirAll(filepath.Dir(at), 0o700), os.WriteFile(at, []byte(text), 0o600)); err != nil {
			t.Fatal(err)
		}
	}
	for folder, want := range map[string]bool{".": true, "sub": false, "sub/in": false} {
		if got := shellcmd.Analyze("git remote -v", filepath.Join(dir, folder), []string{dir}).Parts[0].ReadOnly; got != want {
			t.Errorf("in %s it only reads: %v", folder, got)
		}
	}
}

// Listing the addresses of remotes needs no approval unless they contain a
// password.
func TestRemotesAreListedUnlessTheyTellASecret(t *testing.T) {
	for address, want := range map[string]bool{"https://host/a": true, "git@host:a": true, "https://me:word@host/a": false} {
		dir, err := filepath.EvalSymlinks(t.TempDir())
		if err != nil {
			t.Fatal(err)
		}
		if err := os.Mkdir(filepath.Join(dir, ".git"), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, ".git", "config"), []byte("[remote \"origin\"]\n\turl = "+address+"\n"), 0o600); err != nil {
			t.Fatal(err)
		}
		if got := shellcmd.Analyze("git remote -v", dir, []string{dir}).Parts[0].ReadOnly; got != want {
			t.Errorf("with %s it only reads: %v", address, got)
		}
	}
}
