package reach

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/emendo-dev/emendo/internal/paths"
	"github.com/emendo-dev/emendo/internal/sandbox"
	"github.com/emendo-dev/emendo/internal/sandbox/attacktest"
	"github.com/emendo-dev/emendo/internal/sandbox/linux"
)

// script writes a program that anybody may run.
func (b *gitbed) script(name string) {
	b.T.Helper()
	b.Put("work/"+name, "#!/bin/sh\n")
	if err := os.Chmod(filepath.Join(b.Work, name), 0o755); err != nil { //nolint:gosec // it is to be run
		b.T.Fatal(err)
	}
}

// link makes a link in the workspace.
func (b *gitbed) link(to, name string) {
	b.T.Helper()
	at := filepath.Join(b.Work, name)
	if err := errors.Join(os.RemoveAll(at), os.MkdirAll(filepath.Dir(at), 0o700), os.Symlink(to, at)); err != nil {
		b.T.Fatal(err)
	}
}

// aside returns what was moved aside after a command, relative to the
// workspace.
func (b *gitbed) aside(p *Profile) []string {
	b.T.Helper()
	moved, err := p.MoveAside()
	if err != nil {
		b.T.Error(err)
	}
	var names []string
	for _, m := range moved {
		rel, _ := filepath.Rel(b.Work, m.From)
		names = append(names, rel)
	}
	return names
}

// A command cannot change what the user's next git runs or reads: it is
// refused, or what it created is moved aside.
func TestCommandsLeaveNothingThatGitRuns(t *testing.T) {
	if testing.Short() {
		t.Skip("attack test")
	}
	const evil = "echo id >>"
	for _, c := range []struct {
		name  string
		setup func(b *gitbed)
		line  string   // prints nothing where all is refused or moved aside
		aside []string // what is moved aside
	}{
		{
			name:  "a hook that is a link into the project",
			setup: func(b *gitbed) { b.script("scripts/check"); b.link("../../scripts/check", ".git/hooks/pre-commit") },
			line:  evil + "scripts/check && echo written; mv scripts s; mkdir scripts; " + evil + "scripts/check",
			aside: []string{"scripts/check"},
		},
		{
			name:  "a folder of hooks that is a link into the project",
			setup: func(b *gitbed) { b.script("githooks/pre-commit"); b.link("../githooks", ".git/hooks") },
			line:  evil + "githooks/post-commit && echo written; rm .git/hooks; mkdir .git/hooks; " + evil + ".git/hooks/pre-commit",
			aside: []string{".git/hooks"},
		},
		{
			name: "a link among the settings that leads elsewhere",
			setup: func(b *gitbed) {
				b.Put("work/exclude", "")
				b.link("../../exclude", ".git/info/exclude")
				b.Put("work/other/x", "")
				b.link("../other", ".git/info")
			},
			line: "ln -sfn ../evil .git/info", aside: []string{".git/info"},
		},
		{
			name: "settings that settings include",
			setup: func(b *gitbed) {
				b.Put("work/conf/a", "[include]\npath = b\n")
				b.Put("work/conf/b", "[core]\nhooksPath = tools/h\n[include]\npath = c\n")
				b.Put("work/tools/h/x", "")
				b.outsideGit(".", "config", "include.path", "../conf/a")
			},
			line:  evil + "conf/a && echo a; " + evil + "conf/b && echo b; " + evil + "tools/h/pre-commit && echo hook; " + evil + "conf/c",
			aside: []string{"conf/c"},
		},
		{
			name: "settings and hooks in git's own folder",
			setup: func(b *gitbed) {
				b.Put("work/.git/extra", "")
				b.Put("work/.git/mine/post-commit", "")
				b.Put("work/.git/deep/hooks/x", "")
				b.Put("work/.git/deep/more", "")
				b.outsideGit(".", "config", "includeIf.gitdir:/.path", "deep/more")
				b.outsideGit(".", "config", "include.path", "extra")
				b.outsideGit(".", "config", "core.hooksPath", ".git/mine")
				b.outsideGit(".", "config", "core.attributesFile", ".git/attrs")
			},
			line:  evil + ".git/extra && echo extra; " + evil + ".git/mine/pre-commit && echo hook; mv .git/mine .git/x && echo moved; " + evil + ".git/attrs; mv .git/deep .git/old; mkdir .git/deep; " + evil + ".git/deep/more; " + evil + ".git/lazygit.yml; mkdir .git/safe",
			aside: []string{".git/attrs", ".git/deep/more", ".git/lazygit.yml", ".git/safe"},
		},
		{
			name: "programs that settings name",
			setup: func(b *gitbed) {
				for _, n := range []string{"clean", "diff", "merge", "sign", "edit"} {
					b.script("tools/" + n)
				}
				for key, value := range map[string]string{
					"filter.x.clean": "sh tools/clean %f", "diff.x.textconv": "./tools/diff", "merge.x.driver": "'tools/merge' %A", "gpg.program": b.Work + "/tools/sign", "core.editor": "env A=tools/edit sh tools/edit",
					"diff.external": "tools/absent",
				} {
					b.outsideGit(".", "config", key, value)
				}
			},
			line:  "for n in clean diff merge sign edit; do " + evil + "tools/$n && echo $n; done; " + evil + "tools/absent",
			aside: []string{"tools/absent"},
		},
		{
			name:  "hooks in the workspace's own folder",
			setup: func(b *gitbed) { b.script("commit-msg"); b.outsideGit(".", "config", "core.hooksPath", ".") },
			line:  evil + "commit-msg && echo written; " + evil + "pre-commit; echo fine >other",
			aside: []string{"pre-commit"},
		},
		{
			name: "the user's own settings, kept in the project",
			setup: func(b *gitbed) {
				b.Put("work/dot/gitconfig", "[core]\nhooksPath = "+b.Work+"/dot/hooks\n")
				b.Put("work/dot/hooks/x", "")
				b.Put("work/dot/nvim/init.lua", "")
				b.Put("work/dot/bashrc", "")
				home := filepath.Join(b.Base, "home")
				if err := errors.Join(os.MkdirAll(home+"/.config", 0o700), os.RemoveAll(home+"/.bashrc"), os.Symlink(b.Work+"/dot/gitconfig", home+"/.gitconfig"),
					os.Symlink(b.Work+"/dot/nvim", home+"/.config/nvim"), os.Symlink("../work/dot/bashrc", home+"/.bashrc")); err != nil {
					b.T.Fatal(err)
				}
			},
			line: "for n in gitconfig hooks/pre-commit nvim/init.lua nvim/x bashrc; do " + evil + "dot/$n && echo $n; done; echo fine >dot/README",
		},
		{
			name: "the user's own settings, in another folder for those",
			setup: func(b *gitbed) {
				b.Put("work/dot/config", "[core]\nhooksPath = "+b.Work+"/dot/hooks\n")
				b.Put("work/dot/hooks/x", "")
				b.Put("work/dot/nvim/init.lua", "")
				at := filepath.Join(b.Base, "settings")
				if err := errors.Join(os.MkdirAll(at+"/git", 0o700), os.Symlink(b.Work+"/dot/config", at+"/git/config"), os.Symlink(b.Work+"/dot/nvim", at+"/nvim")); err != nil {
					b.T.Fatal(err)
				}
				b.place.Environ = append(b.place.Environ, "XDG_CONFIG_HOME="+at)
			},
			line: "for n in config hooks/pre-commit nvim/init.lua; do " + evil + "dot/$n && echo $n; done; echo fine >dot/README",
		},
		{
			name: "a todo list that is too long to look through",
			line: "mkdir .git/rebase-merge; { head -c 5000000 /dev/zero | tr '\\0' '#'; echo; echo exec id; } >.git/rebase-merge/git-rebase-todo; mkdir -p .git/sequencer; { head -c 5000000 /dev/zero | tr '\\0' '#'; echo; } >.git/sequencer/opts",
			aside: []string{
				".git/rebase-merge/git-rebase-todo", ".git/sequencer/opts",
			},
		},
		{
			name:  "patches that reach out of the work tree",
			line:  "mkdir .git/rebase-apply; echo \"'--whitespace=fix' '-p1' '--unsafe-paths'\" >.git/rebase-apply/apply-opt",
			aside: []string{".git/rebase-apply/apply-opt"},
		},
		{
			name: "an index that we cannot read and git can", // the length of its only path is a lie
			line: `mkdir -p build/x/.git/objects build/x/.git/refs && echo 'ref: refs/heads/x' >build/x/.git/HEAD
git rm -rq --cached . && git update-index --add --cacheinfo 160000,$(git rev-parse HEAD),build/xy && perl -0777 -pi -e 's{build/xy}{build/x\0}; s{\0\x08build}{\0\x08build}' .git/index`,
			aside: []string{".git/index"},
		},
		{
			name:  "a pipe among the objects",
			line:  "mkfifo .git/objects/pack/pack-1.idx .git/objects/0.fifo; ln -s / .git/refs/heads/x",
			aside: []string{".git/objects/0.fifo", ".git/objects/pack/pack-1.idx", ".git/refs/heads/x"},
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			for means, start := range attacktest.MeansOfA {
				t.Run(means, func(t *testing.T) {
					b := newGitbed(t, start)
					if c.setup != nil {
						c.setup(b)
					}
					out, p := b.does(writesGit, "exec 2>/dev/null; "+c.line+"\ntrue")
					if out != "" {
						t.Errorf("done: %q", out)
					}
					if diff := cmp.Diff(c.aside, b.aside(p)); diff != "" {
						t.Errorf("moved aside (-want +got)\n%s", diff)
					}
					b.unharmed()
				})
			}
		})
	}
}

// Files that an enclosing repository makes git run in the workspace are
// protected too.
func TestEnclosingRepositoryIsProtected(t *testing.T) {
	b := newGitbed(t, attacktest.With(linux.StartInNamespaces))
	b.script("pkg/hooks/pre-commit")
	b.outsideGit(".", "config", "core.hooksPath", "pkg/hooks")
	b.place = New(Options{Folders: []string{b.Work + "/pkg"}, Home: filepath.Join(b.Base, "home"), Temp: b.Temp, Cache: b.Cache})
	b.Work += "/pkg"
	if out, _ := b.does(noGit, "echo id 2>/dev/null >>hooks/pre-commit && echo written; echo id 2>/dev/null >hooks/post-commit && echo made; echo fine >other"); out != "" {
		t.Errorf("done: %q", out)
	}
}

// What was moved aside is not a repository any more, nor is anything in it.
func TestMovedAsideRepositoryIsDisabled(t *testing.T) {
	b := newGitbed(t, attacktest.With(linux.StartInNamespaces))
	_, p := b.does(noGit, "for d in sub/.git sub/.git/modules/x other/bare; do mkdir -p $d/objects $d/refs; echo 'ref: refs/heads/x' >$d/HEAD; done")
	if diff := cmp.Diff([]string{"other/bare/HEAD", "sub/.git"}, b.aside(p)); diff != "" {
		t.Errorf("moved aside (-want +got)\n%s", diff)
	}
	_ = filepath.WalkDir(b.Work, func(path string, e os.DirEntry, _ error) error {
		if e.Name() == "HEAD" && !strings.HasPrefix(path, b.Work+"/.git/") {
			t.Errorf("%s is left", path)
		}
		return nil
	})
}

// A repository that a command creates in a folder of dependencies is found if
// git does not ignore the folder.
func TestUnignoredRepositoryIsFound(t *testing.T) {
	b := newGitbed(t, attacktest.With(linux.StartInNamespaces))
	b.place = New(Options{
		Folders: []string{b.Work}, Home: filepath.Join(b.Base, "home"), Temp: b.Temp, Cache: b.Cache, Secret: b.place.Secret,
		Ignored: func(path string) bool { return strings.HasPrefix(path, b.Work+"/node_modules") },
	})
	b.Put("work/vendor/lib/.npmrc", "fine\n")
	_, p := b.does(noGit, `for d in node_modules/p build/a/x vendor/lib slots/07/z; do mkdir -p $d/.git; done; mkdir -p slots/{0..9}{0..9} dist/bare/{objects,refs}; touch dist/bare/HEAD; rm vendor/lib/.npmrc; touch build/.env`)
	if diff := cmp.Diff([]string{"build/a/x/.git", "dist/bare/HEAD", "slots/07/z/.git", "vendor/lib/.git"}, b.aside(p)); diff != "" {
		t.Errorf("moved aside (-want +got)\n%s", diff)
	}
	if paths.Exists(b.Work + "/vendor/lib/.npmrc") {
		t.Error("what others made cannot be changed")
	}
}

// A command that writes git's data cannot remove packed objects.
func TestPackedHistoryIsProtected(t *testing.T) {
	for means, start := range attacktest.MeansOfA {
		t.Run(means, func(t *testing.T) {
			b := newGitbed(t, start)
			b.outsideGit(".", "gc", "-q")
			head := b.outsideGit(".", "rev-parse", "HEAD")
			out, _ := b.does(writesGit, "rm -rf .git/objects .git/refs .git/logs .git/packed-refs 2>/dev/null; mv .git/objects/pack .git/objects/p 2>/dev/null; git init -q . 2>/dev/null; for f in .git/objects/p*/*; do echo x 2>/dev/null >>$f && echo wrote $f; done; true")
			if out != "" {
				t.Errorf("done: %q", out)
			}
			if err := errors.Join(os.MkdirAll(b.Work+"/.git/refs/heads", 0o700), os.MkdirAll(b.Work+"/.git/objects/pack", 0o700)); err != nil {
				t.Fatal(err)
			}
			if packs, _ := filepath.Glob(b.Work + "/.git/objects/p/*"); len(packs) > 0 {
				for _, p := range packs {
					if err := os.Rename(p, b.Work+"/.git/objects/pack/"+filepath.Base(p)); err != nil {
						t.Fatal(err)
					}
				}
			}
			b.outsideGit(".", "fsck", "--full", strings.TrimSpace(head))
			b.outsideGit(".", "cat-file", "commit", strings.TrimSpace(head))
		})
	}
}

// A folder that is too deep for a path is not skipped silently.
func TestTooDeepFoldersAreReported(t *testing.T) {
	b := newGitbed(t, sandbox.NewGuard(sandbox.Options{Only: "A"}))
	_, p := b.does(noGit, "d=$(printf 'd%.0s' {1..200}); for n in {1..21}; do mkdir $d && cd $d; done 2>/dev/null; mkdir .git 2>/dev/null; true")
	if _, err := p.MoveAside(); err == nil {
		t.Error("a folder that cannot be looked through is passed over")
	}
	next := b.place.Profile(Extra{})
	if _, err := b.begin(next, "true"); err == nil {
		t.Error("a command was started")
	}
}
