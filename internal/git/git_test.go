package git

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

func write(t *testing.T, path, text string, mode os.FileMode) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), mode); err != nil {
		t.Fatal(err)
	}
}

// here returns the machine's git, for a user without settings.
func here(t *testing.T) Program {
	t.Helper()
	p := Find([]string{"HOME=" + t.TempDir(), "PATH=" + os.Getenv("PATH"), "GIT_DIR=nowhere", "GIT_EXTERNAL_DIFF=nothing"}, nil)
	if !p.Found() {
		t.Fatal("these tests need git: install it")
	}
	return p
}

func (p Program) must(t *testing.T, dir string, args ...string) {
	t.Helper()
	args = append([]string{"-c", "user.name=a", "-c", "user.email=a@b", "-c", "init.defaultBranch=main", "-c", "commit.gpgsign=false"}, args...)
	if _, err := p.Run(t.Context(), dir, nil, args...); err != nil {
		t.Fatal(err)
	}
}

// repository creates a repository with a commit and changed files, so that git
// has to read them.
func repository(t *testing.T, p Program) string {
	t.Helper()
	dir := t.TempDir()
	for _, name := range []string{"a", "b.pic", "sub/c"} {
		write(t, filepath.Join(dir, name), "one\n", 0o644)
	}
	p.must(t, dir, "init", "-q")
	p.must(t, dir, "add", "-A")
	p.must(t, dir, "commit", "-q", "-m", "one")
	write(t, filepath.Join(dir, "b.pic"), "two\n", 0o644)
	if err := os.Chtimes(filepath.Join(dir, "a"), time.Unix(0, 0), time.Unix(1, 0)); err != nil {
		t.Fatal(err)
	}
	write(t, filepath.Join(dir, ".gitattributes"), "* filter=evil diff=evil merge=evil\n", 0o644)
	return dir
}

// questions are the commands that emendo runs.
var questions = [][]string{
	{"rev-parse", "--show-prefix"},
	{"rev-parse", "--verify", "--quiet", "HEAD^{commit}"},
	{"status", "--porcelain=v1", "-z", "--untracked-files=all", "--no-renames", "--ignore-submodules=all", "--", "."},
	{"diff-index", "--raw", "-z", "--no-renames", "--no-abbrev", "--relative", "--ignore-submodules=all", "HEAD", "--", "."},
	{"check-attr", "-z", "filter", "--", "a"},
	{"cat-file", "--batch-check=%(objecttype) %(objectsize)"},
	{"cat-file", "--batch=%(objectsize)"},
}

func TestProgramsOfARepositoryDoNotRun(t *testing.T) {
	if testing.Short() {
		t.Skip("attack test")
	}
	for _, c := range []struct {
		name   string
		config string // EVIL is a program that records that it ran
		file   string // inside the repository, with config as its text; empty: config is appended to .git/config
		run    bool   // plain git runs it, so the case proves something
	}{
		{name: "a monitor", config: "[core]\nfsmonitor = EVIL", run: true},
		{name: "the monitor that is built in", config: "[core]\nfsmonitor = true"},
		{name: "a filter", config: "[filter \"evil\"]\nclean = EVIL\nsmudge = EVIL\nrequired = true", run: true},
		{name: "a filter that lives on", config: "[filter \"evil\"]\nprocess = EVIL", run: true},
		{name: "a filter with a strange name", config: "[filter \"e=v.i\\\"l\"]\nclean = EVIL"},
		{name: "hooks elsewhere", config: "[core]\nhooksPath = evil-hooks"},
		{name: "a pager", config: "[core]\npager = EVIL\n[pager]\nstatus = EVIL\ndiff-index = true"},
		{name: "an alias of a command", config: "[alias]\nstatus = !EVIL\ncat-file = !EVIL"},
		{name: "another way to show differences", config: "[diff]\nexternal = EVIL\n[diff \"evil\"]\ncommand = EVIL\ntextconv = EVIL"},
		{name: "a way to merge", config: "[merge \"evil\"]\ndriver = EVIL"},
		{name: "a signature's program", config: "[gpg]\nprogram = EVIL\n[log]\nshowSignature = true"},
		{name: "a remote that promises objects", config: "[remote \"origin\"]\nurl = ssh://nowhere/x\npromisor = true\n[extensions]\npartialClone = origin\n[core]\nsshCommand = EVIL\ngitProxy = EVIL"},
		{name: "a remote that is a program", config: "[remote \"origin\"]\nurl = ext::EVIL\npromisor = true\nuploadpack = EVIL\n[extensions]\npartialClone = origin\n[protocol \"ext\"]\nallow = always"},
		{name: "credentials and questions", config: "[credential]\nhelper = !EVIL\n[core]\naskPass = EVIL\neditor = EVIL\n[sequence]\neditor = EVIL"},
		{name: "references of an alternate", config: "[core]\nalternateRefsCommand = EVIL"},
		{name: "a file that is included", config: "[include]\npath = evil.config", run: true},
		{name: "a file that is included for this folder", config: "[includeIf \"gitdir:/\"]\npath = evil.config", run: true},
		{name: "settings of the work tree", config: "[core]\nfsmonitor = EVIL\n[filter \"evil\"]\nclean = EVIL", file: ".git/config.worktree", run: true},
		{name: "attributes in the repository", config: "* filter=other\n", file: ".git/info/attributes"},
		{name: "submodules", config: "[submodule \"sub\"]\npath = sub\nurl = ext::EVIL\nupdate = !EVIL", file: ".gitmodules"},
	} {
		t.Run(c.name, func(t *testing.T) {
			p := here(t)
			dir := repository(t, p)
			ran := filepath.Join(t.TempDir(), "ran")
			evil := filepath.Join(t.TempDir(), "evil")
			write(t, evil, "#!/bin/sh\necho \"$0 $*\" >>"+ran+"\ncat\n", 0o755)
			for _, hook := range []string{"post-index-change", "reference-transaction", "post-checkout", "fsmonitor-watchman"} {
				for _, in := range []string{".git/hooks", "evil-hooks"} {
					write(t, filepath.Join(dir, in, hook), "#!/bin/sh\necho "+hook+" >>"+ran+"\n", 0o755)
				}
			}
			write(t, filepath.Join(dir, ".git", "evil.config"), "[core]\nfsmonitor = "+evil+"\n[filter \"evil\"]\nclean = "+evil+"\n", 0o644)
			config := filepath.Join(dir, ".git", "config")
			before, err := os.ReadFile(config)
			if err != nil {
				t.Fatal(err)
			}
			text := strings.ReplaceAll(c.config, "EVIL", evil) + "\n"
			if c.file == "" {
				write(t, config, string(before)+text, 0o644)
			} else {
				write(t, filepath.Join(dir, c.file), text, 0o644)
				write(t, config, string(before)+"[extensions]\nworktreeConfig = true\n", 0o644)
			}

			held, err := p.WithoutFilters(t.Context(), dir)
			if err != nil {
				t.Fatal(err)
			}
			for _, q := range questions {
				if _, err := held.Run(t.Context(), dir, []byte("HEAD:a\n1111111111111111111111111111111111111111\n"), q...); err != nil {
					t.Errorf("%v: %v", q, err)
				}
			}
			if b, err := os.ReadFile(ran); err == nil {
				t.Errorf("these were run:\n%s", b)
			}

			// Plain git runs the program.
			was, wasEnv := always, alwaysEnv
			always, alwaysEnv = nil, nil
			defer func() { always, alwaysEnv = was, wasEnv }()
			for _, q := range questions {
				p.Run(t.Context(), dir, nil, q...) // the result does not matter
			}
			if _, err := os.Stat(ran); c.run && err != nil {
				t.Error("nothing is run when git is not held back: the case proves nothing")
			}
		})
	}
}

func TestGitIsNotTheWorkspacesOwn(t *testing.T) {
	real := here(t)
	work := t.TempDir()
	write(t, filepath.Join(work, "bin", "git"), "#!/bin/sh\n", 0o755)
	elsewhere := t.TempDir()
	if err := os.Symlink(filepath.Join(work, "bin", "git"), filepath.Join(elsewhere, "git")); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ name, path, want string }{
		{name: "in the workspace", path: filepath.Join(work, "bin")},
		{name: "a link into the workspace", path: elsewhere},
		{name: "where one happens to be", path: ".:bin:"},
		{name: "nowhere", path: ""},
		{name: "behind those", path: filepath.Join(work, "bin") + ":.:" + elsewhere + ":" + filepath.Dir(real.path), want: real.path},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Chdir(work)
			p := Find([]string{"PATH=" + c.path}, []string{work})
			if p.path != c.want || p.Found() != (c.want != "") {
				t.Errorf("found %q, want %q", p.path, c.want)
			}
			for _, v := range p.env {
				if strings.Contains(v, work) {
					t.Errorf("it is given %s", v)
				}
			}
		})
	}
}

func TestVariablesThatRedirectGitAreNotPassedOn(t *testing.T) {
	p := here(t)
	dir := repository(t, p)
	out, err := p.Run(t.Context(), dir, nil, "rev-parse", "--is-inside-work-tree")
	if err != nil || string(out) != "true\n" { // GIT_DIR leads nowhere
		t.Errorf("got %q, %v", out, err)
	}
	for _, v := range p.env {
		if name, _, _ := strings.Cut(v, "="); name != "HOME" && name != "PATH" {
			t.Errorf("it is given %s", v)
		}
	}
}

func TestOnlyGitsFirstErrorLineIsKept(t *testing.T) {
	p := here(t)
	dir := repository(t, p)
	write(t, filepath.Join(dir, ".gitattributes"), strings.Repeat("!x filter=y\n", 10_000), 0o644) // each line is an error
	_, err := p.Run(t.Context(), dir, nil, "diff-index", "--raw", "nothing", "--", "a")
	if err == nil || !strings.Contains(err.Error(), "nothing") || len(err.Error()) > maxComplaint+200 {
		t.Errorf("got %.300v", err)
	}
	var b beginning
	for range 3 {
		if n, err := b.Write(make([]byte, maxComplaint/2+1)); n != maxComplaint/2+1 || err != nil {
			t.Error(n, err)
		}
	}
	if len(b) != maxComplaint {
		t.Errorf("%d bytes are kept", len(b))
	}
}

func TestGitEndsWithItsContext(t *testing.T) {
	p := here(t)
	dir := repository(t, p)
	ctx, cancel := context.WithCancelCause(t.Context())
	enough := errors.New("enough")
	cancel(enough)
	if _, err := p.Run(ctx, dir, nil, "status"); !errors.Is(err, enough) {
		t.Errorf("got %v", err)
	}
	if _, err := p.Run(t.Context(), dir, nil, "rev-parse", "--verify", "--quiet", "nothing"); ExitCode(err) != 1 {
		t.Errorf("got %v, status %d", err, ExitCode(err))
	}
	if ExitCode(errors.New("another")) != -1 {
		t.Error("another error has a status")
	}
}
