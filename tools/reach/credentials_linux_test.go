package reach

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/emendo-dev/emendo/internal/gitdir"
	"github.com/emendo-dev/emendo/internal/sandbox"
	"github.com/emendo-dev/emendo/internal/sandbox/attacktest"
	"github.com/emendo-dev/emendo/internal/sandbox/linux"
)

const token = "ghp_0123456789abcdef"

// No command can read the passwords in git's configuration, and git works
// without them.
func TestGitPasswordsAreHiddenFromCommands(t *testing.T) {
	eachMeansOfA(t, func(t *testing.T, b *gitbed) {
		b.outsideGit(".", "remote", "add", "origin", "https://bob:"+token+"@example.com/x/y.git")
		b.outsideGit(".", "config", "http.https://example.com/.extraheader", "AUTHORIZATION: basic "+token)
		b.outsideGit(".", "config", "alias.told", "log --format=%s")
		b.outsideGit(".", "init", "-q", "sub/inner")
		b.outsideGit("sub/inner", "config", "remote.origin.url", "https://"+token+"@example.com/z.git")
		b.Put("home/.gitconfig", "[url \"https://"+token+"@example.com/\"]\n\tinsteadOf = ours:\n")
		const read = "cat .git/config sub/inner/.git/config ~/.gitconfig; "
		for name, c := range map[string]struct {
			use  GitUse
			line string
			want []string
		}{
			"a command that calls no git":    {noGit, read, []string{"https://example.com/x/y.git", "https://example.com/z.git", "told"}},
			"git that only reads":            {readsGit, "git told; git remote get-url origin; git status --short --branch; " + read, []string{"first\n", "https://example.com/x/y.git", "## main"}},
			"git that writes":                {writesGit, "echo >x; git add x; git commit -qm more; git told; " + read, []string{"more\nfirst\n"}},
			"git that nobody knows of":       {noGit, "git told; git status --short", []string{"first\n"}},
			"what is moved out of its place": {noGit, "mv sub away; cat away/inner/.git/config; cp -r .git all; cat all/config", []string{"https://example.com/x/y.git"}},
		} {
			out, p := b.does(c.use, c.line+" 2>&1")
			if strings.Contains(out, token) {
				t.Errorf("%s: it is told: %s", name, out)
			}
			for _, want := range c.want {
				if !strings.Contains(out, want) {
					t.Errorf("%s: it does not say %q: %s", name, want, out)
				}
			}
			b.aside(p)
		}
		p := b.place.Profile(Extra{Git: readsGit, Read: []string{b.Tools}, Network: sandbox.Network{Hosts: []string{"example.com"}}})
		if p.Shown != nil {
			t.Error("git is to reach the network without its passwords")
		}
	})
}

// Where no copy can be shown, the file is hidden from commands that do not call
// git.
func TestGitConfigIsHiddenAtLevelB(t *testing.T) {
	b := newGitbed(t, attacktest.With(linux.StartRestricted))
	b.outsideGit(".", "remote", "add", "origin", "https://bob:"+token+"@example.com/x/y.git")
	for _, line := range []string{"cat .git/config", "grep -r bob .git"} {
		if out, _ := b.does(noGit, line); strings.Contains(out, token) {
			t.Errorf("%s: it is told: %s", line, out)
		}
	}
	if out, _ := b.does(readsGit, "git log --format=%s"); out != "first\n" {
		t.Errorf("git says %q", out)
	}
	out, _ := b.does(noGit, "cat .git/HEAD")
	if out != "ref: refs/heads/main\n" {
		t.Errorf("other files of git's: %q", out)
	}
}

func TestSettingsWithoutCredentials(t *testing.T) {
	got := gitdir.ParseConfig(withoutCredentials("[core]\n\tbare = false\n[remote \"a \\\"b\"]\n\turl = https://me:word@host/a\n\tfetch = +refs/heads/*:refs/remotes/a/*\n" +
		"[url \"https://" + token + "@host/\"]\n\tinsteadOf = gh:\n[http]\n\textraHeader = \"AUTHORIZATION: x\"\n[github]\n\toauth-token = abc\n[alias]\n\tx = \"!f() { echo \\\"a;\\tb\\\\\\\"; }; f\"\n[user]\n\tname = a b # c\n"))
	want := []gitdir.Setting{
		{Section: "core", Key: "bare", Value: "false"},
		{Section: "remote", Sub: `a "b`, Named: true, Key: "url", Value: "https://host/a"},
		{Section: "remote", Sub: `a "b`, Named: true, Key: "fetch", Value: "+refs/heads/*:refs/remotes/a/*"},
		{Section: "url", Sub: "https://host/", Named: true, Key: "insteadof", Value: "gh:"},
		{Section: "alias", Key: "x", Value: "!f() { echo \"a;\tb\\\"; }; f"},
		{Section: "user", Key: "name", Value: "a b"},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
}
