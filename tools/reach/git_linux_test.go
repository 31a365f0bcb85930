package reach

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/emendo-dev/emendo/internal/paths"
	"github.com/emendo-dev/emendo/internal/sandbox"
	"github.com/emendo-dev/emendo/internal/sandbox/attacktest"
	"github.com/emendo-dev/emendo/internal/sandbox/linux"
)

// A gitbed is a workspace that is a real repository.
type gitbed struct {
	*attacktest.Testbed
	place *Workspace
	start sandbox.Spawner
}

func newGitbed(t *testing.T, start sandbox.Spawner) *gitbed {
	t.Helper()
	b := &gitbed{Testbed: attacktest.NewTestbed(t), start: start}
	b.outsideGit(".", "init", "-q", "-b", "main", ".")
	if err := os.RemoveAll(b.Work + "/.git/hooks/sample"); err != nil {
		t.Fatal(err)
	}
	b.Put("work/.gitignore", ".env\n")
	b.outsideGit(".", "add", "-A")
	b.outsideGit(".", "commit", "-q", "-m", "first")
	shown := filepath.Join(b.Base, "shown")
	if err := os.Mkdir(shown, 0o700); err != nil {
		t.Fatal(err)
	}
	b.place = New(Options{
		Folders: []string{b.Work}, Home: filepath.Join(b.Base, "home"), Environ: []string{"PATH=/usr/bin:/bin"}, Temp: b.Temp, Cache: b.Cache,
		Secret: func(p string) bool { return filepath.Base(p) == ".env" || filepath.Base(p) == ".npmrc" }, Shown: shown,
		Blob: func(tree, hash string) ([]byte, error) {
			return []byte(b.outsideGit(tree, "cat-file", "blob", hash)), nil
		},
	})
	return b
}

// unharmed checks what is outside of the workspace.
func (b *gitbed) unharmed() {
	b.T.Helper()
	for path, want := range map[string]string{b.Secret: "canary-17\n", b.Bystands: "as it was\n"} {
		if text, err := os.ReadFile(path); err != nil || string(text) != want {
			b.T.Errorf("%s holds %q, %v", path, text, err)
		}
	}
}

// outsideGit runs git as the user does, outside of any sandbox.
func (b *gitbed) outsideGit(dir string, args ...string) string {
	b.T.Helper()
	if !filepath.IsAbs(dir) {
		dir = filepath.Join(b.Work, dir)
	}
	cmd := exec.Command("git", args...)
	cmd.Dir = dir
	cmd.Env = append(gitIdentity, "PATH=/usr/bin:/bin", "HOME=/nonexistent")
	out, err := cmd.CombinedOutput()
	if err != nil {
		b.T.Fatalf("git %q: %v: %s", args, err, out)
	}
	return string(out)
}

var gitIdentity = []string{"GIT_AUTHOR_NAME=u", "GIT_AUTHOR_EMAIL=u@example.com", "GIT_COMMITTER_NAME=u", "GIT_COMMITTER_EMAIL=u@example.com", "GIT_CONFIG_NOSYSTEM=1"}

// does runs a command line with the given use of git, and returns its output
// and profile.
func (b *gitbed) does(use GitUse, line string) (string, *Profile) {
	b.T.Helper()
	p := b.place.Profile(Extra{Git: use, Read: []string{b.Tools}})
	return b.with(p, line), p
}

func (b *gitbed) with(p *Profile, line string) string {
	b.T.Helper()
	proc, err := b.begin(p, line)
	if err != nil {
		b.T.Fatal(err)
	}
	defer proc.Kill(0)
	return attacktest.ReadAll(b.T, proc)
}

func (b *gitbed) begin(p *Profile, line string) (sandbox.Process, error) {
	env := append(gitIdentity, "PATH=/usr/bin:/bin", "HOME="+filepath.Join(b.Base, "home"), "GIT_EDITOR=true")
	return b.start.Start(b.T.Context(), sandbox.Command{Argv: []string{"/bin/bash", "--noprofile", "--norc", "-c", line}, Dir: b.Work, Profile: &p.Profile, Env: env})
}

var (
	noGit     = GitUse{}
	readsGit  = GitUse{Calls: true, Alone: true}
	writesGit = GitUse{Calls: true, Alone: true, Writes: true}
)

// eachMeansOfA runs a test with every means of level A, as every user.
func eachMeansOfA(t *testing.T, test func(t *testing.T, b *gitbed)) {
	t.Helper()
	attacktest.AsEachUser(t, func(t *testing.T) {
		for means, start := range attacktest.MeansOfA {
			t.Run(means, func(t *testing.T) { test(t, newGitbed(t, start)) })
		}
	})
}

// Git's everyday commands work where git's own data may be written.
func TestGitWorksInTheSandbox(t *testing.T) {
	eachMeansOfA(t, func(t *testing.T, b *gitbed) {
		for _, c := range []struct{ line, want string }{
			{"echo 1 >a && git add a && git commit -q -m second && git log --format=%s", "second\nfirst\n"},
			{"echo 2 >a && git stash -q && cat a && git stash pop -q && cat a && git commit -qam third", "1\n2\n"},
			{"git switch -qc side HEAD~1 && echo 3 >b && git add b && git commit -qm side && git switch -q main && git merge -q -m merged side && git log --format=%s -1 && ls a b", "merged\na\nb\n"},
			{"git switch -q side && git rebase -q main && git log --format=%s -1", "merged\n"},
			{"git switch -qc again HEAD~1 && echo x >c && git add c && git commit -qm x && git switch -q main && git cherry-pick again >/dev/null && cat c", "x\n"},
			{"git revert --no-edit HEAD >/dev/null && ls c 2>&1 | grep -c 'No such'; git reset -q --hard HEAD~1 && cat c", "1\nx\n"},
			{"echo y >c && git restore c && cat c && git tag v1 && git tag -l && git rm -q c && git commit -qm less && git fsck 2>&1 | grep -v dangling", "x\nv1\n"},
			{"git switch -qc one && echo one >f && git add f && git commit -qm one && git switch -qc two HEAD~1 && echo two >f && git add f && git commit -qm two && { git rebase -q one >/dev/null 2>&1 || git status | grep -o 'rebase in progress'; } && echo both >f && git add f && git rebase --continue >/dev/null 2>&1 && git log --format=%s -2", "rebase in progress\ntwo\none\n"},
		} {
			out, p := b.does(writesGit, c.line)
			if out != c.want {
				t.Errorf("%s\ngot  %q\nwant %q", c.line, out, c.want)
			}
			if moved, err := p.MoveAside(); len(moved) > 0 || err != nil {
				t.Errorf("%s: moved %v, %v", c.line, moved, err)
			}
		}
		b.outsideGit(".", "fsck", "--strict")
		b.unharmed()
	})
}

// Commands that may write git's data cannot change its configuration or hooks;
// new ones are moved aside.
func TestGitConfigurationIsProtected(t *testing.T) {
	if testing.Short() {
		t.Skip("attack test")
	}
	eachMeansOfA(t, func(t *testing.T, b *gitbed) {
		refused := `for f in config hooks/post-commit info/exclude; do echo x 2>/dev/null >>.git/$f || echo refused $f; done
git config a.b c 2>/dev/null || echo refused git config
mv .git old 2>/dev/null || echo refused to rename; rm -rf .git 2>/dev/null; mv .git/config .git/x 2>/dev/null || echo refused to move config
mv .git/hooks .git/x 2>/dev/null || echo refused to move hooks; ln -sf /etc/passwd .git/config 2>/dev/null || echo refused to link
rm -f .git/config 2>/dev/null || echo refused to remove; test -e .git/HEAD || git init -q . 2>/dev/null; git log --format=%s 2>&1 | head -n1`
		saved := b.outsideGit(".", "rev-parse", "HEAD")
		out, _ := b.does(noGit, refused)
		const want = "refused config\nrefused hooks/post-commit\nrefused info/exclude\nrefused git config\nrefused to rename\nrefused to move config\nrefused to move hooks\nrefused to link\nrefused to remove\nfirst\n"
		if out != want {
			t.Errorf("without leave: got  %q\nwant %q", out, want)
		}
		if out, _ := b.does(noGit, "git commit -q --allow-empty -m x 2>/dev/null || echo closed"); out != "closed\n" {
			t.Errorf("without leave a commit: %q", out)
		}
		out, p := b.does(writesGit, strings.Replace(refused, "rm -rf .git 2>/dev/null; ", "", 1))
		if out != want {
			t.Errorf("with leave: got  %q\nwant %q", out, want)
		}
		if moved, err := p.MoveAside(); len(moved) > 0 || err != nil {
			t.Errorf("moved %v, %v", moved, err)
		}
		if now := b.outsideGit(".", "rev-parse", "HEAD"); now != saved {
			t.Errorf("HEAD is %s, was %s", now, saved)
		}

		_, p = b.does(writesGit, `git init -q inner 2>/dev/null; git update-index --add --cacheinfo 160000,`+strings.TrimSpace(saved)+`,build/x; mkdir -p build/x/.git
echo ../evil >.git/commondir; mkdir .git/remotes .git/modules; echo x >.git/objects/info/alternates; ln -s "$HOME/.bashrc" .git/COMMIT_EDITMSG2; ln -s x .git/logs/refs/y; mkfifo .git/MERGE_RR
mkdir .git/rebase-merge && printf 'pick 1\n\texec id\nx id\n' >.git/rebase-merge/git-rebase-todo && echo ../../evil >.git/rebase-merge/strategy; echo config >.git/config.worktree`)
		moved, err := p.MoveAside()
		if err != nil {
			t.Error(err)
		}
		var names []string
		for _, m := range moved {
			rel, _ := filepath.Rel(b.Work, m.From)
			names = append(names, rel)
			if paths.Exists(m.From) || !paths.Exists(m.To) {
				t.Errorf("%s was not moved to %s", m.From, m.To)
			}
		}
		const all = ".git/COMMIT_EDITMSG2 .git/MERGE_RR .git/commondir .git/config.worktree .git/logs/refs/y .git/modules .git/objects/info/alternates .git/rebase-merge/git-rebase-todo .git/rebase-merge/strategy .git/remotes build/x/.git inner/.git"
		if got := strings.Join(names, " "); got != all {
			t.Errorf("moved %s\nwant  %s", got, all)
		}
		b.unharmed()
	})
}

// No command can move a repository, or a folder above it, to where the next
// sweep would not look.
func TestRepositoryCannotBeHiddenByAMove(t *testing.T) {
	if testing.Short() {
		t.Skip("attack test")
	}
	eachMeansOfA(t, func(t *testing.T, b *gitbed) {
		b.outsideGit(".", "init", "-q", "a/b/nested")
		b.Put("work/a/b/sub/.git", "gitdir: ../../../.git/modules/sub\n")
		b.Put("work/build/x", "")
		for _, use := range []GitUse{noGit, writesGit} {
			out, p := b.does(use, `for d in a a/b a/b/nested a/b/sub; do mv $d build/ 2>/dev/null || echo kept $d; rm -rf $d 2>/dev/null; done
echo x 2>/dev/null >a/b/nested/.git/hooks/post-commit || echo refused; echo x 2>/dev/null >a/b/sub/.git || echo refused; echo fine >a/b/new && mv a/b/new a/b/nested/ && cat a/b/nested/new`)
			if want := "kept a\nkept a/b\nkept a/b/nested\nkept a/b/sub\nrefused\nrefused\nfine\n"; out != want && use == noGit {
				t.Errorf("got  %q\nwant %q", out, want)
			}
			if moved, err := p.MoveAside(); len(moved) > 0 || err != nil {
				t.Errorf("moved %v, %v", moved, err)
			}
		}
		if use := b.outsideGit("a/b/nested", "rev-parse", "--is-inside-work-tree"); use != "true\n" && paths.Exists(b.Work+"/a/b/nested/.git/HEAD") {
			t.Errorf("the repository was damaged: %s", use)
		}
		// If the user moves it to a folder that is skipped, it is still found.
		for _, d := range []struct{ from, to string }{{"a/b/nested", "build/out/nested"}, {"build/out/nested", "node_modules/p/nested"}} {
			if err := os.MkdirAll(filepath.Join(b.Work, filepath.Dir(d.to)), 0o700); err != nil {
				t.Fatal(err)
			}
			if err := os.Rename(filepath.Join(b.Work, d.from), filepath.Join(b.Work, d.to)); err != nil {
				t.Fatal(err)
			}
			out, _ := b.does(noGit, "echo x 2>/dev/null >"+d.to+"/.git/hooks/post-commit || echo refused; mv "+filepath.Dir(d.to)+" z 2>/dev/null || echo kept")
			if out != "refused\nkept\n" {
				t.Errorf("in %s: %q", d.to, out)
			}
		}
		b.unharmed()
	})
}

// No command runs in a workspace with too many folders to check.
func TestNoCommandRunsInTooManyFolders(t *testing.T) {
	defer func(n int) { mostFolders = n }(mostFolders)
	mostFolders = 20
	b := newGitbed(t, sandbox.NewGuard(sandbox.Options{Only: "A"}))
	if out, _ := b.does(noGit, "for n in {1..30}; do mkdir -p z/$n; done; echo made"); out != "made\n" {
		t.Fatal(out)
	}
	p := b.place.Profile(Extra{})
	if _, err := b.begin(p, ":"); err == nil || !strings.Contains(err.Error(), "too many folders") {
		t.Errorf("a command was started where it is not known what to keep from it: %v", err)
	}
}

// Even root cannot change a device, only write to it.
func TestDevicesCannotBeChanged(t *testing.T) {
	eachMeansOfA(t, func(t *testing.T, b *gitbed) {
		before, err := os.Stat("/dev/null")
		if err != nil {
			t.Fatal(err)
		}
		out, _ := b.does(noGit, `for d in null zero full random urandom tty; do chmod 0666 /dev/$d 2>/dev/null && echo changed $d; done
echo x >/dev/null && echo written; head -c1 /dev/urandom | wc -c; head -c2 /dev/zero | wc -c; echo x 2>/dev/null >/dev/full || echo full`)
		if want := "written\n1\n2\nfull\n"; out != want {
			t.Errorf("got %q, want %q", out, want)
		}
		if after, err := os.Stat("/dev/null"); err != nil || after.Mode() != before.Mode() {
			t.Errorf("/dev/null is %v, %v", after.Mode(), err)
		}
	})
}

// Git reports correct results for tracked files that look like secrets.
func TestGitStatusOfTrackedSecrets(t *testing.T) {
	eachMeansOfA(t, func(t *testing.T, b *gitbed) {
		b.Put("work/.npmrc", "registry=one\n")
		b.Put("work/conf/.env", "A=1\n")
		b.outsideGit(".", "add", "-f", ".npmrc", "conf/.env")
		b.outsideGit(".", "commit", "-q", "-m", "tracked")
		b.Put("work/main.go", "package changed\n")
		const look = "git diff --name-only; git status --short; cat .npmrc conf/.env .env 2>/dev/null; true"
		if out, p := b.does(readsGit, look); out != "main.go\n M main.go\nregistry=one\nA=1\n" || len(p.Withheld) > 0 {
			t.Errorf("as they are in the index: %q, withheld %v", out, p.Withheld)
		}
		if out, _ := b.does(noGit, "cat .npmrc conf/.env .env 2>/dev/null; true"); out != "" {
			t.Errorf("a command that is not git's reads %q", out)
		}
		b.Put("work/conf/.env", "A=canary-18\n")
		for _, use := range []GitUse{readsGit, writesGit} {
			out, p := b.does(use, look)
			if out != "main.go\n M main.go\nregistry=one\nA=1\n" {
				t.Errorf("with a local change: %q", out)
			}
			if len(p.Withheld) != 1 || p.Withheld[0] != b.Work+"/conf/.env" {
				t.Errorf("withheld %v", p.Withheld)
			}
		}
		if out, _ := b.does(writesGit, "git commit -qam changed && git show --name-only --format="); out != "main.go\n" {
			t.Errorf("a commit of all has %q", out)
		}
		if out := b.outsideGit(".", "status", "--short"); out != " M conf/.env\n" {
			t.Errorf("afterwards: %q", out)
		}
	})
}

// A .git file grants access only to a repository that refers back to it.
func TestOnlyMutualLinksAreGranted(t *testing.T) {
	eachMeansOfA(t, func(t *testing.T, b *gitbed) {
		other := filepath.Join(b.Outside, "other")
		b.outsideGit(b.Outside, "init", "-q", "-b", "main", other)
		b.Put("outside/other/private", "canary-17\n")
		b.outsideGit(other, "add", "-A")
		b.outsideGit(other, "commit", "-q", "-m", "canary-17")
		b.outsideGit(other, "worktree", "add", "-q", filepath.Join(b.Base, "tree"))
		dot := func(work, to string) {
			if err := os.RemoveAll(filepath.Join(work, ".git")); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(filepath.Join(work, ".git"), []byte("gitdir: "+to+"\n"), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		for _, to := range []string{other + "/.git", other + "/.git/worktrees/tree"} {
			dot(b.Work, to)
			if out, _ := b.does(writesGit, "git log -p 2>&1; cat "+to+"/HEAD 2>&1"); strings.Contains(out, "canary") || strings.Contains(out, "refs/heads") {
				t.Errorf("by %s it reads %q", to, out)
			}
		}
		// The work tree itself is genuine: it can commit, but not configure
		// anything.
		b.place = New(Options{Folders: []string{filepath.Join(b.Base, "tree")}, Home: filepath.Join(b.Base, "home"), Temp: b.Temp, Cache: b.Cache})
		b.Work = filepath.Join(b.Base, "tree")
		out, p := b.does(writesGit, "echo x >x && git add x && git commit -qm inside && git log --format=%s; git config a.b c 2>/dev/null || echo refused; for f in config hooks/x worktrees/tree/gitdir worktrees/tree/commondir; do echo x 2>/dev/null >>"+other+"/.git/$f || echo refused; done; cat ../outside/other/private 2>/dev/null")
		if want := "inside\ncanary-17\nrefused\nrefused\nrefused\nrefused\nrefused\n"; out != want {
			t.Errorf("got %q, want %q", out, want)
		}
		if moved, err := p.MoveAside(); len(moved) > 0 || err != nil {
			t.Errorf("moved %v, %v", moved, err)
		}
	})
}

// A submodule can commit too, but its configuration and .git file cannot be
// changed.
func TestCommitInASubmodule(t *testing.T) {
	eachMeansOfA(t, func(t *testing.T, b *gitbed) {
		lib := filepath.Join(b.Outside, "lib")
		b.outsideGit(b.Outside, "init", "-q", "-b", "main", lib)
		b.outsideGit(lib, "commit", "-q", "--allow-empty", "-m", "lib")
		b.outsideGit(".", "-c", "protocol.file.allow=always", "submodule", "--quiet", "add", lib, "vendor/lib")
		b.outsideGit(".", "commit", "-q", "-m", "with lib")
		out, p := b.does(writesGit, `cd vendor/lib && echo x >x && git add x && git commit -qm inner && git log --format=%s -1; git config a.b c 2>/dev/null || echo refused
echo x 2>/dev/null >.git || echo refused; perl -e 'rename("../../.git/modules/vendor/lib", "../../.git/x") or print "refused\n"'; echo x 2>/dev/null >../../.git/modules/vendor/lib/hooks/post-commit || echo refused; perl -e 'rename("../lib", "../../build") or print "kept\n"'; cd ../.. && git status --short`)
		if want := "inner\nrefused\nrefused\nrefused\nrefused\nkept\n M vendor/lib\n"; out != want {
			t.Errorf("got %q, want %q", out, want)
		}
		if moved, err := p.MoveAside(); len(moved) > 0 || err != nil {
			t.Errorf("moved %v, %v", moved, err)
		}
	})
}

// Files that a repository's configuration makes git run are protected.
func TestFilesNamedByGitConfigAreProtected(t *testing.T) {
	if testing.Short() {
		t.Skip("attack test")
	}
	eachMeansOfA(t, func(t *testing.T, b *gitbed) {
		for _, f := range []string{"tools/hooks/pre-commit", "conf/git.inc", "conf/attributes", "tools/monitor"} {
			b.Put("work/"+f, "")
		}
		for name, value := range map[string]string{
			"core.hooksPath": "tools/hooks", "include.path": "../conf/git.inc", "includeIf.gitdir:/.path": filepath.Join(b.Work, "conf/absent.inc"),
			"core.attributesFile": "conf/attributes", "core.fsmonitor": "tools/monitor",
		} {
			b.outsideGit(".", "config", name, value)
		}
		out, p := b.does(noGit, `for f in tools/hooks/pre-commit tools/hooks/new conf/git.inc conf/attributes tools/monitor; do echo x 2>/dev/null >>$f || echo refused; rm -f $f 2>/dev/null; done; echo x >conf/absent.inc; echo fine >tools/other; ls tools/hooks conf tools`)
		if want := "refused\nrefused\nrefused\nrefused\nrefused\nconf:\nabsent.inc\nattributes\ngit.inc\n\ntools:\nhooks\nmonitor\nother\n\ntools/hooks:\npre-commit\n"; out != want {
			t.Errorf("got  %q\nwant %q", out, want)
		}
		moved, err := p.MoveAside()
		if err != nil || len(moved) != 1 || moved[0].From != b.Work+"/conf/absent.inc" {
			t.Errorf("moved %v, %v", moved, err)
		}
	})
}

// A pipe that replaces a file that git reads in every folder is moved aside
// before git is called.
func TestPipesThatWouldBlockGitAreMovedAside(t *testing.T) {
	attacktest.AsEachUser(t, func(t *testing.T) {
		b := newGitbed(t, attacktest.With(linux.StartInNamespaces))
		out, p := b.does(noGit, "mkfifo .gitignore2 sub/.gitignore sub/.mailmap sub/fine && rm -f .gitignore && mkfifo .gitignore && echo made")
		if out != "made\n" {
			t.Fatal(out)
		}
		moved, err := p.MoveAside()
		if err != nil || len(moved) != 3 {
			t.Errorf("moved %v, %v", moved, err)
		}
		b.outsideGit(".", "status", "--short")
	})
}
