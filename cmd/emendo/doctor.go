package main

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/emendo-dev/emendo/agent/subagent"
	"github.com/emendo-dev/emendo/cmd/emendo/auth"
	"github.com/emendo-dev/emendo/cmd/emendo/cli"
	"github.com/emendo-dev/emendo/cmd/emendo/provider"
	"github.com/emendo-dev/emendo/cmd/emendo/servers"
	"github.com/emendo-dev/emendo/internal/private"
	"github.com/emendo-dev/emendo/internal/sandbox"
	"github.com/emendo-dev/emendo/internal/settings"
	"github.com/emendo-dev/emendo/internal/trust"
	"github.com/emendo-dev/emendo/internal/visible"
	"github.com/emendo-dev/emendo/tools/reach"
)

// A finding is the result of one check.
type finding struct {
	Name   string  `json:"name"`
	Status verdict `json:"status"`
	Says   string  `json:"message"`
	Fix    string  `json:"fix,omitempty"` // suggested fix
	// StartMS is the time that a no-op command takes, in milliseconds.
	StartMS float64 `json:"startMs,omitempty"`
}

// A verdict is the severity of a finding.
type verdict string

const (
	fine    verdict = "ok"
	lacking verdict = "warning" // emendo works with limitations
	broken  verdict = "failure" // emendo does not work
)

// An examination holds the inputs and the findings of the checks.
type examination struct {
	process  process
	paths    settings.Paths
	settings settings.Settings
	dir      string
	trusted  bool
	online   bool // whether to send a request to the model
	found    []finding
	level    sandbox.Level // of commands
}

func (e *examination) add(name string, v verdict, fix, format string, a ...any) {
	says := visible.OneLine(printable(e.process.secrets.Text(fmt.Sprintf(format, a...))))
	e.found = append(e.found, finding{Name: name, Status: v, Says: says, Fix: fix})
}

// doctor checks the installation and suggests fixes.
func (p commands) doctor(f *flag.FlagSet) cli.Run {
	e := &examination{process: p.process}
	asJSON := f.Bool("json", false, "print JSON")
	f.BoolVar(&e.online, "online", false, "also send one short request to the model")
	return func(ctx context.Context, _ []string) error { return e.run(ctx, *asJSON) }
}

// run runs all checks and prints the findings.
func (e *examination) run(ctx context.Context, asJSON bool) error {
	if e.places() {
		for _, check := range []func(context.Context){e.settingsCheck, e.trustCheck, e.storage, e.provider, e.sandbox, e.programs, e.languages, e.servers, e.agents, e.editors} {
			check(ctx)
		}
	}
	if err := e.print(asJSON); err != nil {
		return err
	}
	for _, found := range e.found {
		if found.Status == broken {
			return exit{code: exitFailure}
		}
	}
	return nil
}

// places finds the folders. It returns false if no further check is possible.
func (e *examination) places() bool {
	var err error
	if e.paths, err = e.process.folders(); err != nil {
		e.add("folders", broken, "set HOME or EMENDO_HOME to an absolute path", "%v", err)
		return false
	}
	if e.dir, err = realDir("."); err != nil {
		e.add("folders", broken, "change to a folder that exists", "%v", err)
		return false
	}
	level, err := trust.Open(e.paths.State).Decide(e.dir)
	if err != nil {
		e.add("trust", broken, "fix or remove that file", "%v", err)
	}
	e.trusted = err == nil && level == trust.Trusted
	return true
}

// settingsCheck reads every settings file and every policy file.
func (e *examination) settingsCheck(context.Context) {
	var wrong []string
	warn := func(text string) { wrong = append(wrong, text) }
	set, err := e.process.load(e.paths, e.dir, e.trusted, nil, nil, warn)
	if err != nil {
		e.add("settings", broken, "fix the file at this position", "%v", err)
		set = settings.Defaults()
	}
	e.settings = set
	rules := &policies{paths: e.paths, warn: warn}
	if err := rules.usable(e.dir, []string{e.dir}, e.trusted); err != nil {
		e.add("policies", broken, "fix the rule; until then every call needs your approval", "%v", err)
	}
	for _, text := range wrong {
		e.add("settings", lacking, "fix the file at this position", "%s", text)
	}
	if err == nil && len(wrong) == 0 {
		e.add("settings", fine, "", "read from %s", e.paths.Config)
	}
}

func (e *examination) trustCheck(context.Context) {
	if e.trusted {
		e.add("trust", fine, "", "%s is trusted", e.dir)
		return
	}
	e.add("trust", lacking, "emendo trust add", "%s is restricted: the agent can read and propose edits, but not run commands", e.dir)
}

// provider checks the credentials, the network and, if the user asked for that, the
// model.
func (e *examination) provider(ctx context.Context) {
	c, err := e.process.logged(e.paths, e.settings)
	if err != nil {
		e.add("credentials", broken, "fix the setting", "%v", err)
		return
	}
	auth.Examination{
		Command: c, Env: e.process.env, Settings: e.settings.Network, Network: provider.Network(e.settings.Network, e.process.env, e.process.secrets),
		Add: func(check string, v auth.Verdict, fix, format string, a ...any) {
			e.add(check, verdict(v), fix, format, a...)
		},
	}.Run(ctx, e.online)
}

// servers checks the configured MCP servers without starting them.
func (e *examination) servers(context.Context) {
	c := servers.Command{Settings: e.settings, Store: trust.Open(e.paths.State), Dir: e.dir, Trusted: e.trusted, Gemini: e.process.geminiDir()}
	c.Env, c.Logins = e.process.env, wiring{process: e.process, paths: e.paths, settings: e.settings}.servers().Logins
	c.Extensions = wiring{process: e.process, paths: e.paths, settings: e.settings}.extensions()(e.dir).Used()
	problems, n := c.Problems()
	for _, p := range problems {
		e.add("mcp", lacking, "emendo mcp list", "%s", p)
	}
	if n > 0 {
		e.add("mcp", fine, "", "configured MCP servers: %d; `emendo mcp test` starts them", n)
	}
}

// agents fetches the cards of the user's remote agents if --online is set.
func (e *examination) agents(ctx context.Context) {
	l := subagent.Remotes(ctx, e.paths.Config, e.process.geminiDir())
	if len(l) > 0 && !e.online {
		e.add("agents", fine, "", "%d remote agents are defined; `emendo doctor --online` asks for their cards", len(l))
		return
	}
	for _, a := range l {
		if err := a.Check(ctx, remoteAgents(e.process, e.settings)); err != nil {
			e.add("agents", lacking, "see docs/agents.md", "the remote agent %s at %s cannot be used: %v", a.Name, a.Place(), err)
			continue
		}
		e.add("agents", fine, "", "the remote agent %s at %s answers", a.Name, a.Place())
	}
}

// marks are the prefixes of findings.
var marks = map[verdict]string{fine: "ok  ", lacking: "warn", broken: "FAIL"}

// print prints the findings.
func (e *examination) print(asJSON bool) error {
	usable := true
	for _, f := range e.found {
		usable = usable && f.Status != broken
	}
	if asJSON {
		return json.NewEncoder(e.process.stdout).Encode(map[string]any{"version": version, "usable": usable, "checks": e.found})
	}
	var b strings.Builder
	for _, f := range e.found {
		fmt.Fprintf(&b, "%s  %-12s %s\n", marks[f.Status], f.Name, f.Says)
		if f.Fix != "" {
			fmt.Fprintf(&b, "%19s→ %s\n", "", f.Fix)
		}
	}
	_, err := io.WriteString(e.process.stdout, b.String())
	return err
}

// storage checks that emendo can write its files.
func (e *examination) storage(context.Context) {
	if err := keepsFiles(e.paths.State); err != nil {
		e.add("storage", broken, "free disk space and check permissions, or set EMENDO_HOME to another folder", "sessions cannot be stored: %v", err)
		return
	}
	e.add("storage", fine, "", "sessions are stored in %s", e.paths.State)
}

// keepsFiles tests writing a file to a folder.
func keepsFiles(dir string) error {
	if err := private.Folder(dir); err != nil {
		return err
	}
	f, err := os.CreateTemp(dir, "doctor-")
	if err != nil {
		return err
	}
	_, err = f.Write(make([]byte, 4<<10))
	return errors.Join(err, f.Sync(), f.Close(), os.Remove(f.Name()))
}

// sandbox checks the level of the sandbox, and why it is not higher.
func (e *examination) sandbox(ctx context.Context) {
	confined := &confinement{process: e.process, paths: e.paths, log: e.process.logger()}
	defer confined.close()
	g := confined.as(e.settings.Tools.Sandbox)
	s := g.Survey()
	if s.Err != nil {
		e.add("sandbox", broken, "fix the causes, or set tools.sandbox to auto", "%v", s.Err)
		return
	}
	e.level = s.Level
	v, by, fix := fine, "", ""
	if s.Means != "" {
		by = " (" + s.Means + ")"
	}
	var why []string
	for _, f := range s.Findings {
		if f.Err != nil && f.Level > s.Level {
			why, fix = append(why, f.Means+": "+f.Err.Error()), f.Fix
		}
	}
	if s.Level < sandbox.Isolated {
		v = lacking
	}
	if len(s.Findings) == 0 && s.Level == sandbox.Open {
		why = []string{"it is disabled or not available on this system"}
	}
	text := fmt.Sprintf("commands run at level %s%s", s.Level, by)
	took, err := e.spawn(ctx, g, confined)
	ms := float64(took.Microseconds()) / 1000
	if err == nil {
		text += fmt.Sprintf("; starting one takes %.1f ms", ms)
	} else {
		v, text = broken, text+", but a test command could not be started: "+err.Error()
	}
	if len(why) > 0 {
		text += "; a higher level is not available: " + strings.Join(why, ", ")
	}
	e.add("sandbox", v, fix, "%s", text)
	e.found[len(e.found)-1].StartMS = ms
}

// spawn measures the time to run a no-op command: the shortest of several runs.
func (e *examination) spawn(ctx context.Context, g *sandbox.Guard, confined *confinement) (time.Duration, error) {
	dir, err := confined.temp()
	if err != nil {
		return 0, err
	}
	profile, err := confined.reach([]string{dir}, reach.Extra{})
	if err != nil {
		return 0, err
	}
	env := sandbox.Environment(e.process.environ, nil, []string{dir, e.dir})
	argv, err := sandbox.Shell("", ":", env)
	if err != nil {
		return 0, err
	}
	least := time.Hour
	for range 5 {
		began := time.Now()
		said, err := sandbox.Run(ctx, g, sandbox.Command{Argv: argv, Dir: dir, Env: env, Profile: &profile.Profile}, sandbox.Talk{})
		if err != nil {
			return 0, err
		}
		if said.Exit != (sandbox.Exit{}) {
			return 0, fmt.Errorf("it failed: %s", said.Errors)
		}
		least = min(least, time.Since(began))
	}
	return least, nil
}

// programs checks for optional programs.
func (e *examination) programs(ctx context.Context) {
	for _, p := range []struct{ name, without, fix string }{
		{"git", "changes by commands cannot be undone, and the model does not see version control", "install git"},
		{"bash", "commands run in sh", "install bash"},
	} {
		if v, ok := e.version(ctx, p.name); ok {
			e.add(p.name, fine, "", "%s", v)
		} else {
			e.add(p.name, lacking, p.fix, "not installed: %s", p.without)
		}
	}
	if v, ok := e.version(ctx, "rg"); ok {
		e.add("rg", fine, "", "%s", v)
	}
}

// editors lists the installed editors. None is required.
func (e *examination) editors(ctx context.Context) {
	var there []string
	for _, name := range []string{"nvim", "code", "hx", "zed", "emacs"} {
		if v, ok := e.version(ctx, name); ok {
			there = append(there, v)
		}
	}
	if len(there) == 0 {
		e.add("editors", lacking, "see README.md for how to set one up", "none found on PATH; `emendo run` does not need one")
		return
	}
	e.add("editors", fine, "", "%s", strings.Join(there, ", "))
}

// longestVersion limits the wait for a program's version.
const longestVersion = 3 * time.Second

// version returns the version line of a program on PATH. Programs inside the folder
// are not run.
func (e *examination) version(ctx context.Context, name string) (string, bool) {
	env := sandbox.Environment(e.process.environ, nil, []string{e.dir})
	path := ""
	for _, v := range env {
		if list, ok := strings.CutPrefix(v, "PATH="); ok {
			path = list
		}
	}
	for _, dir := range filepath.SplitList(path) {
		program := filepath.Join(dir, name)
		if _, err := exec.LookPath(program); err != nil {
			continue
		}
		said, err := sandbox.Run(ctx, sandbox.System(), sandbox.Command{Argv: []string{program, "--version"}, Dir: filepath.Dir(program), Env: env}, sandbox.Talk{Timeout: longestVersion, Most: 4 << 10})
		if err != nil || said.Exit != (sandbox.Exit{}) {
			continue
		}
		lines := slices.Collect(strings.Lines(string(said.Output)))
		if len(lines) == 0 {
			continue
		}
		line := strings.TrimSpace(lines[0])
		if !strings.Contains(strings.ToLower(line), strings.ToLower(name)) {
			line = name + " " + line
		}
		return line, true
	}
	return "", false
}
