package reach

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/emendo-dev/emendo/internal/sandbox/attacktest"
	"github.com/emendo-dev/emendo/internal/sandbox/linux"
)

// A command that writes git's data is ended when the user changes git's
// configuration, since the new file is not protected. Its changes to the file
// are reverted.
func TestCommandEndsWhenGitConfigIsReplaced(t *testing.T) {
	for means, start := range attacktest.MeansOfA {
		t.Run(means, func(t *testing.T) {
			b := newGitbed(t, start)
			p := b.place.Profile(Extra{Git: writesGit})
			proc, err := b.begin(p, `trap "" TERM; echo begun; while :; do echo "[core] fsmonitor = evil" 2>/dev/null >>.git/config; done`)
			if err != nil {
				t.Fatal(err)
			}
			defer proc.Kill(0)
			var begun [6]byte
			if _, err := proc.Output().Read(begun[:]); err != nil {
				t.Fatal(err)
			}
			b.outsideGit(".", "config", "branch.main.remote", "origin")
			proc.Wait()
			proc.Kill(0)
			if got := p.Replaced(); len(got) != 1 || got[0] != b.Work+"/.git/config" {
				t.Errorf("replaced %v", got)
			}
			if _, err := p.MoveAside(); err != nil {
				t.Error(err)
			}
			if text, err := os.ReadFile(b.Work + "/.git/config"); err != nil || strings.Contains(string(text), "evil") {
				t.Errorf("the settings are %q, %v", text, err)
			}
			b.outsideGit(".", "status")
		})
	}
}

// New harmless settings stay. Settings that run something may be the command's,
// so the file is moved aside and restored.
func TestDangerousGitConfigIsReverted(t *testing.T) {
	b := newGitbed(t, attacktest.With(linux.StartInNamespaces))
	for _, c := range []struct {
		key, value string
		stays      bool
	}{{"branch.main.remote", "origin", true}, {"user.name", "x", true}, {"core.pager", "evil", false}, {"alias.st", "!evil", false}, {"remote.o.url", "ext::evil", false}, {"core.worktree", "/", false}} {
		p := b.place.Profile(Extra{Git: writesGit})
		b.outsideGit(".", "config", c.key, c.value)
		moved, err := p.MoveAside()
		if err != nil {
			t.Error(err)
		}
		text, err := os.ReadFile(filepath.Join(b.Work, ".git/config"))
		if stays := strings.Contains(string(text), c.value); err != nil || stays != c.stays || len(moved) > 0 == c.stays {
			t.Errorf("%s: stays %v, moved %v, %v", c.key, stays, moved, err)
		}
	}
}

// Files that its configuration names stay protected after a command has broken
// a repository.
func TestBrokenRepositoryStaysProtected(t *testing.T) {
	b := newGitbed(t, attacktest.With(linux.StartInNamespaces))
	b.script("tools/hooks/pre-commit")
	b.outsideGit(".", "config", "core.hooksPath", "tools/hooks")
	b.does(writesGit, "rm .git/HEAD")
	if out, _ := b.does(writesGit, "echo id 2>/dev/null >>tools/hooks/pre-commit && echo written; echo 'ref: refs/heads/main' 2>/dev/null >.git/HEAD && echo fixed"); out != "" {
		t.Errorf("done: %q", out)
	}
}
