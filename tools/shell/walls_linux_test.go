package shell_test

import (
	"cmp"
	"context"
	"flag"
	"fmt"
	"log/slog"
	"maps"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/txtar"
	"golang.org/x/sys/unix"

	"github.com/emendo-dev/emendo/ide"
	"github.com/emendo-dev/emendo/ide/disk"
	"github.com/emendo-dev/emendo/internal/sandbox"
	"github.com/emendo-dev/emendo/internal/sandbox/proxy"
	"github.com/emendo-dev/emendo/tools"
	"github.com/emendo-dev/emendo/tools/reach"
	"github.com/emendo-dev/emendo/tools/shell"
)

var walls = flag.Int("walls", 16, "how many of the failing commands run in the sandbox")

// A failing is a command that fails, as testdata/walls.txt has it.
type failing struct {
	tool, lacks, line string
}

func failingCommands(t *testing.T) []failing {
	t.Helper()
	text, err := os.ReadFile("testdata/walls.txt")
	if err != nil {
		t.Fatal(err)
	}
	var all []failing
	tool := ""
	for line := range strings.Lines(string(text)) {
		line = strings.TrimSpace(line)
		lacks, rest, has := strings.Cut(line, " ")
		switch {
		case strings.HasPrefix(line, "#"):
		case !has:
			tool = line
		default:
			all = append(all, failing{tool, lacks, rest})
		}
	}
	return all
}

// A site is a workspace whose commands run at level A, and a folder beside it.
type site struct {
	t    *testing.T
	work string
	out  string
	env  tools.Env
	tool tools.Tool

	options shell.Options // of tool

	mu      sync.Mutex
	refused map[string]int // requests of hosts by HTTP that were refused
}

// counting is [reach.Met] that counts refused requests too.
type counting struct {
	*reach.Met
	s *site
}

func (c counting) Refused(host string) {
	c.Met.Refused(host)
	c.s.mu.Lock()
	defer c.s.mu.Unlock()
	c.s.refused[host]++
}

// newSite returns a site whose server has these folders of the workspace first in its PATH.
func newSite(t *testing.T, path ...string) *site {
	t.Helper()
	base, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	home, err := os.UserHomeDir()
	if err != nil {
		t.Fatal(err)
	}
	// The commands have another home folder and cannot see this one, but for what runs them.
	beside, err := os.MkdirTemp(home, "emendo-beside-") //nolint:usetesting // their folder for temporary files is another one too
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(beside) })
	s := &site{t: t, work: filepath.Join(base, "work"), out: beside, refused: map[string]int{}}
	put := func(path, text string) {
		t.Helper()
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(strings.ReplaceAll(text, "OUT", s.out)), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	project, err := txtar.ParseFile("testdata/project.txtar")
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range project.Files {
		put(filepath.Join(s.work, f.Name), string(f.Data))
	}
	put(filepath.Join(s.out, "set.txt"), "set\n")
	for _, dir := range []string{s.work + "/locale", base + "/home", base + "/temp", base + "/cache"} {
		if err := os.MkdirAll(dir, 0o700); err != nil {
			t.Fatal(err)
		}
	}
	for _, argv := range [][]string{
		{"git", "init", "-q"},
		{"git", "add", "notes.txt"},
		{"git", "-c", "user.name=a", "-c", "user.email=a@example.com", "commit", "-qm", "one"},
		{"sh", "-c", "echo three >> notes.txt"},
		{"git", "init", "-q", s.out + "/repo"},
		{"localedef", "-i", "de_DE", "-f", "UTF-8", "locale/de_DE.UTF-8"}, // without it the messages are in English
	} {
		c := exec.CommandContext(t.Context(), argv[0], argv[1:]...)
		c.Dir, c.Env = s.work, append(os.Environ(), "GIT_CONFIG_GLOBAL=/dev/null") // a user's settings could sign, or run hooks
		if out, err := c.CombinedOutput(); err != nil && argv[0] != "localedef" {
			t.Fatalf("%q: %v: %s", argv, err, out)
		}
	}
	tree, err := disk.NewTree([]string{s.work})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { tree.Close() })
	environ := slices.DeleteFunc(os.Environ(), func(v string) bool {
		name, _, _ := strings.Cut(v, "=")
		return slices.Contains([]string{"HOME", "GOPROXY", "GOFLAGS", "GOTOOLCHAIN"}, name)
	})
	environ = append(environ, "GOTOOLCHAIN=local", "HOME="+base+"/home")
	if len(path) > 0 {
		for i, folder := range path {
			path[i] = filepath.Join(s.work, folder)
		}
		environ = slices.DeleteFunc(environ, func(v string) bool { return strings.HasPrefix(v, "PATH=") })
		environ = append(environ, "PATH="+strings.Join(append(path, os.Getenv("PATH")), ":"))
	}
	for name, dir := range map[string]string{"CARGO_HOME": ".cargo", "RUSTUP_HOME": ".rustup", "PYENV_ROOT": ".pyenv"} {
		if os.Getenv(name) == "" {
			environ = append(environ, name+"="+filepath.Join(home, dir))
		}
	}
	place := reach.New(reach.Options{
		Folders: []string{s.work}, Home: base + "/home", Environ: environ, Temp: base + "/temp", Cache: base + "/cache",
		Outlet: func(ctx context.Context, w sandbox.WayOut, met *reach.Met) {
			_ = proxy.ServeOutlet(ctx, w, counting{met, s}, slog.New(slog.DiscardHandler)) // a command that is not told is missed below
		},
	})
	s.options = shell.Options{
		Spawner: sandbox.NewGuard(sandbox.Options{Only: "A"}), Environ: environ, Keep: []string{"GOTOOLCHAIN"}, Timeout: time.Minute,
		Reach: func(_ []string, extra reach.Extra) (*reach.Profile, error) { return place.Profile(extra), nil },
	}
	s.tool = shell.New(s.options)
	jobs := &tools.Jobs{}
	t.Cleanup(jobs.Close)
	s.env = tools.Env{Dir: s.work, Session: t.Name(), Jobs: jobs, Snapshot: ide.NewWorkspace(tree, ide.UTF16).Snapshot()}
	return s
}

// run returns what a command met, its output, and how long it took.
func (s *site) run(line string) (tools.Wall, tools.Result, time.Duration) {
	s.t.Helper()
	began := time.Now()
	r := prepare(s.t, s.tool, s.env, map[string]any{"command": strings.ReplaceAll(line, "OUT", s.out)}).Run(s.t.Context(), func(tools.Progress) {})
	took := time.Since(began)
	if r.Met == nil {
		return tools.Wall{}, r, took
	}
	return r.Met.Wall, r, took
}

// has reports whether this machine has what runs a tool's commands. A cargo may be there that
// has no toolchain.
func (f failing) has() bool {
	program := map[string]string{"python": "python3", "pytest": "pytest", "cc": "gcc"}[f.tool]
	path, err := exec.LookPath(cmp.Or(program, f.tool))
	if err == nil && f.tool == "cargo" {
		err = exec.CommandContext(context.Background(), path, "--version").Run()
	}
	return err == nil
}

// soon is within what a package manager takes to give up by itself, on a busy machine too: it
// is over in less than two seconds on one that is not.
const soon = 20 * time.Second

// Of commands that fail, the user is asked only about those that failed at the sandbox: never
// about hosts without cause, and hardly ever about files.
func TestFailingCommandsAreAskedAboutWithCause(t *testing.T) {
	if testing.Short() {
		t.Skip("runs builds")
	}
	all := failingCommands(t)
	if len(all) != 200 {
		t.Fatalf("%d commands, want 200", len(all))
	}
	r := rand.New(rand.NewPCG(27, 1))
	r.Shuffle(len(all), func(i, j int) { all[i], all[j] = all[j], all[i] })
	s := newSite(t)
	var ran, met, missed, falseFiles int
	var slowest time.Duration
	for _, f := range all[:min(*walls, len(all))] {
		if !f.has() {
			continue
		}
		ran++
		w, result, took := s.run(f.line)
		host := len(w.Hosts) > 0 || len(w.Names) > 0 || w.Network
		file := len(w.Write) > 0 || len(w.Read) > 0
		about := fmt.Sprintf("%s: %s (%.1f s): %s\n%s", f.tool, f.line, took.Seconds(), w, result.Output)
		switch {
		case result.Exit != nil && *result.Exit == (tools.Exit{}):
			t.Errorf("it did not fail: %s", about)
		case host && f.lacks != "host":
			t.Errorf("a false question about hosts: %s", about)
		case file && f.lacks != "file":
			falseFiles++
			t.Logf("a false question about files: %s", about)
		case f.lacks == "host" && took > soon && f.tool != "go" && f.tool != "cargo": // which build first
			t.Errorf("it waited for the network: %s", about)
		case f.lacks != "own" && !host && !file:
			missed++
			t.Logf("missed: %s", about)
		}
		if f.lacks != "own" {
			met++
		}
		slowest = max(slowest, took)
	}
	t.Logf("%d ran, the slowest for %v; %d met something, %d of them missed; %d false questions about files", ran, slowest, met, missed, falseFiles)
	if missed > max(met/20, 1) {
		t.Errorf("%d of %d are missed, want at most 5 %%", missed, met)
	}
	if 100*falseFiles > ran {
		t.Errorf("%d of %d questions about files are false, want at most 1 %%", falseFiles, ran)
	}
}

// A command in the background that failed at the sandbox says so to whoever reads its output
// first, and can run again from its start. One that succeeded names the hosts and no more.
func TestABackgroundCommandMeetsTheWallWhenItsOutputIsRead(t *testing.T) {
	s := newSite(t)
	if err := unix.Mkfifo(filepath.Join(s.work, "go"), 0o600); err != nil {
		t.Fatal(err)
	}
	const line = "read -r word < go; getent hosts docs.example.com || exit 7"
	r := prepare(t, s.tool, s.env, map[string]any{"command": line, "is_background": true, "delay_ms": 0}).Run(t.Context(), func(tools.Progress) {})
	l := s.env.Jobs.List()
	if r.Met != nil || len(l) != 1 {
		t.Fatalf("while it runs: %+v, %d jobs", r, len(l))
	}
	if err := os.WriteFile(filepath.Join(s.work, "go"), []byte("go\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	<-l[0].Over()
	read := func() tools.Result {
		return prepare(t, shell.NewRead(), s.env, map[string]any{"pid": l[0].PID()}).Run(t.Context(), func(tools.Progress) {})
	}
	r = read()
	if r.Met == nil || !slices.Equal(r.Met.Names, []string{"docs.example.com"}) || r.Met.Again == nil || !r.Met.Runs.Background || !strings.Contains(r.Output, "docs.example.com") {
		t.Fatalf("got %+v\n%s", r.Met, r.Output)
	}
	if again := read(); again.Met != nil {
		t.Errorf("it is said again: %+v", again.Met)
	}
	r.Met.Again(tools.Access{})(t.Context(), func(tools.Progress) {})
	if n := len(s.env.Jobs.List()); n != 2 {
		t.Errorf("run again, there are %d jobs", n)
	}
	w, r, _ := s.run("getent hosts docs.example.com; echo went on")
	if r.Met != nil || !w.None() || !strings.Contains(r.Output, "docs.example.com") || !strings.Contains(r.Output, "went on") {
		t.Errorf("a command that succeeded: %+v\n%s", r.Met, r.Output)
	}
}

// What npm asks for is known after one request, whose answer it takes as final. Where nobody
// answers, it tries again for 70 seconds.
func TestNpmGivesUpAtTheFirstRefusal(t *testing.T) {
	if !(failing{tool: "npm"}).has() {
		t.Log("npm is not installed")
		return
	}
	s := newSite(t)
	for line, host := range map[string]string{
		"npm install left-pad": "registry.npmjs.org", "npm ci --prefix locked": "packages.example.com",
	} {
		clear(s.refused)
		w, r, took := s.run(line)
		if !maps.Equal(s.refused, map[string]int{host: 1}) || !slices.Equal(w.Hosts, []string{host}) || len(w.Names) > 0 {
			t.Errorf("%s: requests %v, met %s, want one request of %s\n%s", line, s.refused, w, host, r.Output)
		}
		t.Logf("%s: %.2f s", line, took.Seconds())
	}
}

// What the environments of the project have is found by its name inside the sandbox, where the
// server finds it. What runs with more than the sandbox gives to all finds none of that.
func TestEnvironmentsOfTheProjectAreFoundInTheSandbox(t *testing.T) {
	s := newSite(t, ".venv/bin", "node_modules/.bin", "own/bin", "env/bin")
	for _, dir := range []string{"node_modules/.bin", "own/bin", "env/bin"} {
		if err := os.MkdirAll(filepath.Join(s.work, dir), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(s.work, dir, "from-"+filepath.Dir(dir)), []byte("#!/bin/sh\necho it runs\n"), 0o700); err != nil { //nolint:gosec // a program
			t.Fatal(err)
		}
	}
	if err := os.WriteFile(filepath.Join(s.work, "env", "pyvenv.cfg"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if out, err := exec.CommandContext(t.Context(), "python3", "-m", "venv", "--without-pip", filepath.Join(s.work, ".venv")).CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	always := s.options
	always.SystemPath = true
	for _, c := range []struct {
		line string
		tool tools.Tool
		want string
	}{
		{"from-node_modules", s.tool, "it runs"},
		{"python -c 'import sys; print(sys.prefix)'", s.tool, s.work + "/.venv"},
		{"echo $PATH", s.tool, s.work + "/.venv/bin:" + s.work + "/node_modules/.bin:" + s.work + "/env/bin:/"},
		{"from-own", s.tool, "not found"}, // a folder of programs that is no environment
		{"from-node_modules", shell.New(always), "not found"},
		{"from-node_modules; git add -A", s.tool, "not found"},
		{"from-node_modules; git commit -m x", s.tool, "not found"},
		{"from-node_modules; docker ps", s.tool, "not found"},
		{"from-node_modules; git status", s.tool, "it runs"},
	} {
		r := prepare(t, c.tool, s.env, map[string]any{"command": c.line}).Run(t.Context(), func(tools.Progress) {})
		if !strings.Contains(r.Output, c.want) {
			t.Errorf("%s: %s, want %q", c.line, r.Output, c.want)
		}
	}
}
