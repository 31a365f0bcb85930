package reach

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/emendo-dev/emendo/internal/sandbox"
	"github.com/emendo-dev/emendo/internal/sandbox/attacktest"
)

// hookNames are the hooks that git and its commands look for.
var hookNames = strings.Fields(`applypatch-msg pre-applypatch post-applypatch pre-commit pre-merge-commit prepare-commit-msg commit-msg post-commit pre-rebase post-checkout post-merge pre-push pre-receive update proc-receive post-receive post-update reference-transaction push-to-checkout pre-auto-gc post-rewrite sendemail-validate fsmonitor-watchman p4-changelist p4-prepare-changelist p4-post-changelist p4-pre-submit post-index-change`)

// attack commits by itself, without what locks the index, and says so.
const attack = `#!/bin/sh
test -z "$EVIL" || exit 0
export EVIL=1 GIT_INDEX_FILE=/tmp/index-$$
cd "%s" || exit
git update-ref refs/heads/evil "$(git commit-tree -m evil "$(git write-tree)" </dev/null)"
git config evil.key value; mkdir -p .git/hooks && echo evil >.git/hooks/evil
echo ran >>ran
`

// alone runs a line in which nothing but git runs and which nobody allowed.
func (b *gitbed) alone(line string, hooks bool) (string, *Profile) {
	b.T.Helper()
	p := b.place.Profile(Extra{Git: writesGit, Unasked: true})
	env := append(gitIdentity, "PATH=/usr/bin:/bin", "HOME="+filepath.Join(b.Base, "home"), "GIT_CONFIG_COUNT=1", "GIT_CONFIG_KEY_0=core.fsmonitor", "GIT_CONFIG_VALUE_0=false")
	if hooks {
		env = env[:len(env)-3]
	} else {
		env = sandbox.GitAlone(env)
	}
	proc, err := b.start.Start(b.T.Context(), sandbox.Command{Argv: []string{"/bin/bash", "--noprofile", "--norc", "-c", line}, Dir: b.Work, Profile: &p.Profile, Env: env})
	if err != nil {
		b.T.Fatal(err)
	}
	defer proc.Kill(0)
	return attacktest.ReadAll(b.T, proc), p
}

// state returns HEAD, the branches and the settings of the repository.
func (b *gitbed) state() string {
	return b.outsideGit(".", "-c", "core.fsmonitor=false", "-c", "core.hooksPath=/dev/null", "for-each-ref") + b.text(".git/HEAD") + b.text(".git/config")
}

// Of a line in which nothing but git runs, whose commands are easily undone, git runs no
// program of the repository's: no hook, no monitor. With a filter git's data stays as it is.
// With hooks, as the user runs it, the attack works.
func TestGitAloneRunsNothingOfTheRepository(t *testing.T) {
	if testing.Short() {
		t.Skip("attack test")
	}
	lines := []string{
		"git add -A", "git add main.go && git status", "git mv main.go x.go && git mv x.go main.go", "git rm -q --cached main.go", "git restore --staged .", "git reset -q", "git reset HEAD main.go",
		"git switch -q -c one", "git checkout -q -b two", "git status", "git log -p", "git diff", "cd sub && git add .", "git fetch . 2>/dev/null; git ls-files",
	}
	eachMeansOfA(t, func(t *testing.T, b *gitbed) {
		script := b.Put("work/commit.sh", strings.Replace(attack, "%s", b.Work, 1))
		for _, name := range hookNames {
			b.Put("work/.git/hooks/"+name, "#!/bin/sh\nexec sh "+script+"\n")
			if err := os.Chmod(filepath.Join(b.Work, ".git/hooks", name), 0o755); err != nil { //nolint:gosec // it is run
				t.Fatal(err)
			}
		}
		for key, value := range map[string]string{"core.fsmonitor": "sh " + script, "core.alternateRefsCommand": "sh " + script, "gpg.program": script, "log.showSignature": "true"} {
			b.outsideGit(".", "-c", "core.hooksPath=/dev/null", "config", key, value)
		}
		fresh := func() {
			for _, args := range []string{"update-ref -d refs/heads/evil", "symbolic-ref HEAD refs/heads/main", "branch -D one two"} {
				cmd := "git -c core.fsmonitor=false -c core.hooksPath=/dev/null " + args + " >/dev/null 2>&1; true"
				b.outsideShell(cmd)
			}
			b.outsideShell("rm -f ran; git -c core.fsmonitor=false -c core.hooksPath=/dev/null reset -q")
		}
		for _, line := range []string{"git add -A", "git switch -q -c one"} {
			b.Put("work/new", line)
			out, _ := b.alone(line, true)
			if b.text("ran") == "" || !strings.Contains(b.state(), "refs/heads/evil") {
				t.Errorf("%s, with hooks: the attack does not work: %s, %s", line, out, b.text("ran")+b.state())
			}
			fresh()
		}
		for _, line := range lines {
			fresh()
			b.Put("work/new", line)
			before := b.state()
			out, p := b.alone(line, false)
			if ran := b.text("ran"); ran != "" {
				t.Errorf("%s runs a program of the repository: %s", line, out)
			}
			after := b.state()
			for _, name := range []string{"one", "two"} { // its own
				after = strings.ReplaceAll(after, "refs/heads/"+name, "refs/heads/main")
			}
			main := strings.SplitAfterN(before, "\n", 2)[0]
			if after = strings.Replace(after, main+main, main, 1); after != before {
				t.Errorf("%s: git's data was\n%s\nand is\n%s", line, before, after)
			}
			if moved := b.aside(p); len(moved) > 0 {
				t.Errorf("%s: moved %v", line, moved)
			}
		}
		fresh()
		if out, _ := b.alone("git add -A && git diff --cached --name-only && git reset -q && git switch -qc one && git branch --show-current", false); !strings.Contains(out, "new\n") || !strings.HasSuffix(out, "one\n") {
			t.Errorf("git does not work: %s", out)
		}

		fresh()
		b.Put("work/.gitattributes", "* filter=x\n")
		b.outsideGit(".", "-c", "core.hooksPath=/dev/null", "config", "filter.x.clean", "sh "+script)
		before := b.state()
		b.alone("git add -A; git switch -qc one", false)
		if got := b.state(); got != before {
			t.Errorf("with a filter git's data was\n%s\nand is\n%s", before, got)
		}
		b.unharmed()
	})
}

// outsideShell runs a line as the user does.
func (b *gitbed) outsideShell(line string) {
	b.T.Helper()
	p, err := sandbox.System().Start(b.T.Context(), sandbox.Command{Argv: []string{"/bin/sh", "-c", line}, Dir: b.Work, Env: append(gitIdentity, "PATH=/usr/bin:/bin", "HOME=/nonexistent")})
	if err != nil {
		b.T.Fatal(err)
	}
	defer p.Kill(0)
	attacktest.ReadAll(b.T, p)
}

// Other lines that nobody allowed leave git's data as it is, whatever calls git.
func TestUnaskedCommandsLeaveGitsData(t *testing.T) {
	eachMeansOfA(t, func(t *testing.T, b *gitbed) {
		b.Put("work/commit.sh", strings.Replace(attack, "%s", b.Work, 1))
		b.Put("work/new", "")
		before := b.state()
		const line = "git add -A; sh ./commit.sh; git commit -qam x"
		b.with(b.place.Profile(Extra{Git: GitUse{Calls: true}, Unasked: true}), line)
		if got := b.state(); got != before {
			t.Errorf("git's data was\n%s\nand is\n%s", before, got)
		}
		b.outsideShell(line)
		if got := b.state(); !strings.Contains(got, "evil") {
			t.Error("the attack does not work")
		}
	})
}
