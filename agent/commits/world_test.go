package commits

import (
	"context"
	"fmt"
	"log/slog"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/emendo-dev/emendo/agent/state"
	"github.com/emendo-dev/emendo/ide"
	"github.com/emendo-dev/emendo/ide/disk"
	"github.com/emendo-dev/emendo/ide/idetest"
	"github.com/emendo-dev/emendo/ide/ledger"
	"github.com/emendo-dev/emendo/internal/git"
	"github.com/emendo-dev/emendo/internal/settings"
)

// world is a repository, the state of emendo, and its processes.
type world struct {
	*testing.T
	dir   string // the work tree, with links resolved
	state string
	home  string
}

// newWorld has a repository with two files of 30 lines in one commit.
func newWorld(t *testing.T) *world {
	t.Helper()
	base, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	w := &world{T: t, dir: filepath.Join(base, "repo"), state: filepath.Join(t.TempDir(), "work"), home: t.TempDir()}
	if err := os.Mkdir(w.dir, 0o755); err != nil {
		t.Fatal(err)
	}
	w.git("init", "-q")
	w.write("a", numbered())
	w.write("b", numbered())
	w.git("add", "-A")
	w.git("commit", "-qm", "one", "--date=2001-02-03T04:05:06Z")
	return w
}

func numbered(capitals ...int) string {
	var s strings.Builder
	for n := range 30 {
		line := fmt.Sprintf("line %d", n+1)
		for _, c := range capitals {
			if c == n+1 {
				line = strings.ToUpper(line)
			}
		}
		s.WriteString(line + "\n")
	}
	return s.String()
}

func (w *world) path(name string) string {
	if filepath.IsAbs(name) {
		return name
	}
	return filepath.Join(w.dir, name)
}

func (w *world) write(name, text string) {
	w.Helper()
	if err := os.MkdirAll(filepath.Dir(w.path(name)), 0o755); err != nil {
		w.Fatal(err)
	}
	if err := os.WriteFile(w.path(name), []byte(text), 0o644); err != nil {
		w.Fatal(err)
	}
}

func (w *world) read(name string) string {
	w.Helper()
	b, err := os.ReadFile(w.path(name))
	if err != nil {
		w.Fatal(err)
	}
	return string(b)
}

// git runs git as a person does, at the top of the work tree or with -C elsewhere.
func (w *world) git(args ...string) string {
	w.Helper()
	return w.gitWith("", args...)
}

// gitWith has input, and variables before it that end with a line end.
func (w *world) gitWith(input string, args ...string) string {
	w.Helper()
	c := exec.Command("git", args...)
	c.Dir = w.dir
	c.Env = []string{
		"PATH=" + os.Getenv("PATH"), "HOME=" + w.home, "GIT_CONFIG_NOSYSTEM=1", "GIT_AUTHOR_NAME=a", "GIT_AUTHOR_EMAIL=a@b", "GIT_COMMITTER_NAME=a", "GIT_COMMITTER_EMAIL=a@b",
		"GIT_CONFIG_COUNT=2", "GIT_CONFIG_KEY_0=init.defaultBranch", "GIT_CONFIG_VALUE_0=main", "GIT_CONFIG_KEY_1=protocol.file.allow", "GIT_CONFIG_VALUE_1=always", "GIT_EDITOR=true",
	}
	c.Stdin = strings.NewReader(input)
	out, err := c.CombinedOutput()
	if err != nil {
		w.Fatalf("git %q: %v: %s", args, err, out)
	}
	return strings.TrimSpace(string(out))
}

// commit commits all changes of tracked files.
func (w *world) commit() {
	w.Helper()
	w.git("commit", "-qam", "user's")
}

// process is one of emendo.
type process struct {
	*world
	workspace *ide.Workspace
	editor    *idetest.Editor
	ledger    *ledger.Ledger
	commits   *Commits
	settings  *settings.Settings
	state     *state.Process
	late      time.Duration // how late it is
	folders   []string
	stop      func()
}

// start starts a process with sets of an earlier one, in folders; without any in the work tree.
func (w *world) start(sets []ledger.ChangeSet, folders ...string) *process {
	w.Helper()
	if len(folders) == 0 {
		folders = []string{w.dir}
	}
	tree, err := disk.NewTree(folders)
	if err != nil {
		w.Fatal(err)
	}
	p := &process{world: w, workspace: ide.NewWorkspace(tree, ide.UTF16), folders: folders}
	p.editor = idetest.New(p.workspace)
	n := len(sets)
	p.ledger = ledger.New(ledger.Options{Workspace: p.workspace, Editor: p.editor, NewID: func() string { n++; return fmt.Sprintf("set%d", n) }})
	set := settings.Defaults()
	p.settings = &set
	p.state = state.NewProcess(state.Options{
		WorkDir: w.state, Git: git.Find([]string{"HOME=" + w.home, "PATH=" + os.Getenv("PATH")}, nil), Ledger: p.ledger, Choices: state.Choices{Settings: p.settings},
		Now: func() time.Time { return time.Now().Add(p.late) }, Log: slog.New(slog.NewTextHandler(w.Output(), &slog.HandlerOptions{Level: slog.LevelDebug})),
	})
	p.commits = New(p.state)
	stopped := false
	p.stop = func() {
		if !stopped {
			stopped = true
			p.commits.Close()
			p.ledger.Close()
			p.editor.Wait()
			tree.Close()
		}
	}
	w.Cleanup(p.stop)
	if err := p.ledger.Restore(context.Background(), sets); err != nil {
		w.Fatal(err)
	}
	if len(sets) > 0 {
		p.commits.Forget()
	}
	return p
}

// turn is work in which the files get new texts, and then something happens. An empty text
// removes a file.
func (p *process) turn(files map[string]string, then func()) {
	p.Helper()
	work := p.begin()
	p.change(files)
	if then != nil {
		then()
	}
	work.End()
	p.commits.looks.Wait()
	p.commits.journal.writes.Wait()
}

// begin begins work that other processes know of.
func (p *process) begin() *Work {
	p.Helper()
	work := p.commits.Begin(p.Context(), p.folders)
	p.commits.journal.writes.Wait()
	return work
}

func (p *process) change(files map[string]string) {
	p.Helper()
	var l []ledger.RecordedFile
	for name, text := range files {
		f := ledger.RecordedFile{Path: p.path(name), Op: ledger.Modify, After: text}
		switch b, err := os.ReadFile(f.Path); {
		case err != nil:
			f.Op = ledger.Create
		default:
			f.Before = string(b)
		}
		if text == "" {
			f.Op = ledger.Delete
			if err := os.Remove(f.Path); err != nil {
				p.Fatal(err)
			}
		} else {
			p.write(name, text)
		}
		l = append(l, f)
	}
	if len(l) == 0 {
		return
	}
	if _, left, err := p.ledger.Record(p.Context(), ledger.Recorded{SessionID: "s", TurnID: "t", CallID: "c", Title: "run", Origin: ledger.OfCommand, Files: l}); err != nil || len(left) > 0 {
		p.Fatal(left, err)
	}
}

// hunks says of each hunk, in the order of the files, what is known: "-" it is to be reviewed, "kept", or
// "committed" and to be reviewed; another state by its name.
func (p *process) hunks() string {
	p.Helper()
	byFile := map[string][]string{}
	var names []string
	for _, cs := range p.ledger.List("", "", "") {
		for _, f := range cs.Files {
			name := filepath.Base(f.Path)
			if byFile[name] == nil {
				names = append(names, name)
			}
			for _, h := range f.Hunks {
				is := "-"
				switch {
				case h.State != ledger.Accepted:
					is = string(h.State)
				case h.Reviewed():
					is = "kept"
				case h.Committed:
					is = "committed"
				}
				byFile[name] = append(byFile[name], is)
			}
		}
	}
	var l []string
	for _, n := range sorted(names) {
		l = append(l, n+": "+strings.Join(byFile[n], " "))
	}
	return strings.Join(l, "; ")
}

// look looks, and compares what is known of the hunks.
func (p *process) look(want string) {
	p.Helper()
	p.commits.Check(p.Context())
	if got := p.hunks(); got != want {
		p.Errorf("got %s, want %s", got, want)
	}
}

// failing is a git that fails, and whether it was started.
func failing(t *testing.T) (g git.Program, started func() bool) {
	t.Helper()
	dir := t.TempDir()
	mark := filepath.Join(dir, "started")
	if err := os.WriteFile(filepath.Join(dir, "git"), []byte("#!/bin/sh\n: >"+mark+"\nexit 1\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	if g = git.Find([]string{"PATH=" + dir}, nil); !g.Found() {
		t.Fatal("the program is not found")
	}
	return g, func() bool {
		_, err := os.Stat(mark)
		return err == nil
	}
}
