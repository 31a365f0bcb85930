package shell

import (
	"context"
	_ "embed"
	"encoding/json"
	"fmt"
	"math"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/google/jsonschema-go/jsonschema"

	"github.com/emendo-dev/emendo/internal/sandbox"
	"github.com/emendo-dev/emendo/internal/shellcmd"
	"github.com/emendo-dev/emendo/internal/terminal"
	"github.com/emendo-dev/emendo/internal/visible"
	"github.com/emendo-dev/emendo/tools"
	"github.com/emendo-dev/emendo/tools/reach"
)

// Name is the tool's name.
const Name = "run_shell_command"

//go:embed run_shell_command.md
var runText string // the tool's description for the model, with placeholders

// maxCommand is the longest argument that Linux accepts, in bytes.
const maxCommand = 128<<10 - 1

// Terminals start commands without a sandbox where the user of a session sees them. The
// error is [sandbox.ErrNoTerminal] for any other command.
type Terminals interface {
	Start(ctx context.Context, session string, c sandbox.Command) (sandbox.Process, error)
}

// Options configure how commands run. The zero value works.
type Options struct {
	Spawner   sandbox.Spawner // if nil, the operating system
	Terminals Terminals       // may be nil
	// Reach returns what a command may reach in a workspace of these folders.
	// If it is nil, commands are not sandboxed.
	Reach func(folders []string, extra reach.Extra) (*reach.Profile, error)
	// Ended is called when the commands of a session have ended for good; may be nil.
	Ended func(session string)
	// Environ is the server's environment, "NAME=value". A command gets only
	// the variables that are known to be harmless and those in Keep; without
	// Environ, little more than PATH.
	Environ []string
	Keep    []string      // names of further variables that commands get
	Timeout time.Duration // maximum run time; 10 minutes if zero
	Idle    time.Duration // maximum time without output; 5 minutes if zero; see [Forever]
	Context []string      // names of context files beside the usual ones
	Limits  reach.Limits  // of what commands write that nobody allowed
	Grace   time.Duration // between SIGTERM and SIGKILL; 100 ms if zero
	// Watched lets programs write to a terminal instead of a pipe, where
	// terminals are available.
	Watched bool
	Shell   string // the shell, absolute; if empty, bash, else sh
	// SystemPath: commands find no program of the project's own environments by its name,
	// such as those in .venv/bin. Without it they do inside a sandbox.
	SystemPath bool
}

// Forever means no limit.
const Forever time.Duration = -1

// All returns the tools of this package.
func All(o Options) []tools.Tool {
	return []tools.Tool{New(o), NewList(), NewRead(), NewKill()}
}

// New returns the tool that runs commands.
func New(o Options) tools.Tool {
	if o.Spawner == nil {
		o.Spawner = sandbox.System()
	}
	for _, d := range []struct {
		option *time.Duration
		usual  time.Duration
	}{{&o.Timeout, 10 * time.Minute}, {&o.Idle, 5 * time.Minute}, {&o.Grace, 100 * time.Millisecond}} {
		if *d.option == 0 {
			*d.option = d.usual
		}
	}
	params := tools.NewParams[arguments](func(s *jsonschema.Schema) {
		s.Properties["timeout"].Maximum = new(math.Trunc(o.Timeout.Seconds()))
	})
	return &tool{o, params}
}

type tool struct {
	Options
	params *tools.Params[arguments]
}

// arguments holds the arguments of a call.
type arguments struct {
	Command     string `json:"command" jsonschema:"The command line, for bash."`
	Description string `json:"description,omitempty" jsonschema:"The purpose of the command in a few words, shown to the user."`
	Dir         string `json:"dir_path,omitempty" jsonschema:"Folder to run in, inside the workspace. Default: the session folder."`
	Timeout     *int   `json:"timeout,omitempty" min:"1" jsonschema:"Time limit in seconds. With it, the limit for silence does not apply."`
	Background  bool   `json:"is_background,omitempty" jsonschema:"Keep the command running after the call, for servers and watchers. Do not append &."`
	Delay       *int   `json:"delay_ms,omitempty" min:"0" max:"60000" jsonschema:"Background only: milliseconds until the call returns. Default: 200."`
}

func (t *tool) Spec() tools.Spec {
	return tools.Spec{
		Name:        Name,
		Display:     "Shell",
		Kind:        tools.Execute,
		Description: t.description(),
		Schema:      t.params.Schema(),
		Aliases:     []string{"Bash", "bash", "shell", "run_terminal_cmd", "run_command", "execute_command", "run_in_terminal"},
		Synonyms: map[string]string{
			"directory": "dir_path", "workdir": "dir_path", "cwd": "dir_path", "timeout_seconds": "timeout", "run_in_background": "is_background", "explanation": "description",
			"cmd": "command", "isBackground": "is_background", "background": "is_background", "dirPath": "dir_path", "dir": "dir_path",
		},
		Similar: []string{"bash", "sh", "shell", "exec", "execute", "runcommand", "terminal", "runterminalcmd"}, FormerNames: []string{"ShellTool"}, ClaudeNames: []string{"Bash"},
		Needs: tools.Needs{Trust: true},
	}
}

// description returns the tool's description with the limits in effect.
func (t *tool) description() string {
	bounds := "is killed after " + durationText(t.Timeout)
	if t.Idle != Forever {
		bounds += ", or after " + durationText(t.Idle) + " without output"
	}
	columns := ""
	if t.Watched {
		columns = fmt.Sprintf("\n- Programs see a terminal %d columns wide. Add `| cat` where you need whole lines or one name a line.", terminal.Columns)
	}
	return strings.NewReplacer("{bounds}", bounds, "{terminal}", columns).Replace(runText)
}

// durationText formats a duration for the model.
func durationText(d time.Duration) string {
	if m := d.Minutes(); m >= 1 && d%time.Minute == 0 {
		return tools.Count(int(m), "minute", "minutes")
	}
	return tools.Count(int(d.Seconds()), "second", "seconds")
}

func (t *tool) Prepare(_ context.Context, env tools.Env, args json.RawMessage) (tools.Action, error) {
	a, err := t.params.Decode(args)
	if err != nil {
		return tools.Action{}, err
	}
	switch {
	case strings.TrimSpace(a.Command) == "":
		return tools.Action{}, tools.Errorf(tools.InvalidParams, "command is empty")
	case strings.ContainsRune(a.Command, 0):
		return tools.Action{}, tools.Errorf(tools.InvalidParams, "command has a NUL character, which a shell cannot read")
	case len(a.Command) > maxCommand:
		return tools.Action{}, tools.Errorf(tools.InvalidParams, "command has %d bytes, more than the limit of %d: write a script to a file and run that", len(a.Command), maxCommand)
	case a.Background && env.Jobs == nil:
		return tools.Action{}, tools.Errorf(tools.InvalidParams, "is_background is not available here: run the command in the foreground, within %v", t.Timeout)
	case !a.Background && a.Delay != nil:
		return tools.Action{}, tools.Errorf(tools.InvalidParams, "delay_ms needs is_background")
	}
	limits, err := t.limits(a)
	if err != nil {
		return tools.Action{}, err
	}
	delay := defaultDelay
	if a.Delay != nil {
		delay = time.Duration(*a.Delay) * time.Millisecond
	}
	dir, err := folder(env, a.Dir)
	if err != nil {
		return tools.Action{}, err
	}
	runs := tools.Runs{
		Analysis:   shellcmd.Analyze(a.Command, dir, append(slices.Clone(env.Snapshot.Tree().Folders()), outputFolders(env)...)),
		Background: a.Background,
	}
	var widened rerun
	widened = func(w tools.Access) func(context.Context, func(tools.Progress)) tools.Result {
		return func(ctx context.Context, live func(tools.Progress)) tools.Result {
			if a.Background {
				return t.background(ctx, env, runs, w, delay, widened, live)
			}
			return limits.run(ctx, env, runs, w, live)
		}
	}
	action := tools.Action{Title: title(a, dir, env.Dir), Effect: runs, Run: widened(tools.Access{})}
	if t.Reach != nil {
		action.WithAccess = widened
	}
	return action, nil
}

// limits returns the tool with the time limits that the call asks for. A
// command with a limit of its own may be silent until then.
func (t *tool) limits(a arguments) (*tool, error) {
	if a.Timeout == nil {
		return t, nil
	}
	if a.Background {
		return nil, tools.Errorf(tools.InvalidParams, "timeout applies to foreground commands only; a background command runs until %s ends it", killName)
	}
	own := *t
	own.Timeout, own.Idle = time.Duration(*a.Timeout)*time.Second, Forever
	return &own, nil
}

// outputFolders returns the directory with outputs that were too long for the model,
// which commands may read.
func outputFolders(env tools.Env) []string {
	if env.Outputs == nil {
		return nil
	}
	return env.Outputs.Folders()
}

// folder returns where the command runs.
func folder(env tools.Env, name string) (string, error) {
	if name == "" {
		return env.Dir, nil
	}
	name = tools.TrimAt(env, name)
	full := name
	if !filepath.IsAbs(name) { // not joined: that would remove "link/.." before the link is followed
		full = env.Dir + string(filepath.Separator) + name
	}
	name = visible.Escape(name)
	tree := env.Snapshot.Tree()
	p, err := tree.Resolve(full)
	if err != nil {
		return "", tools.Errorf(tools.NotInWorkspace, "dir_path %s: %v; the workspace is %s", name, err, strings.Join(tree.Folders(), ", "))
	}
	switch info, err := tree.Stat(p); {
	case err != nil:
		return "", tools.Errorf(tools.FileNotFound, "dir_path %s does not exist", name)
	case !info.IsDir():
		return "", tools.Errorf(tools.NotADirectory, "dir_path %s is a file, not a directory", name)
	}
	return p.Abs, nil
}

// title returns the command on one line, with its directory if that is unusual.
func title(a arguments, dir, usual string) string {
	s := oneLine(a.Command, 160)
	if dir != usual {
		s += " [in " + oneLine(dir, 80) + "]"
	}
	if a.Background {
		s += " [in the background]"
	}
	if a.Description != "" {
		s += " (" + oneLine(a.Description, 80) + ")"
	}
	return s
}

// oneLine returns s on one line of at most n characters, with hidden characters
// escaped.
func oneLine(s string, n int) string {
	return visible.Short(visible.Escape(visible.OneLine(s)), n)
}

// command returns the command to start, and its profile if it is sandboxed.
func (t *tool) command(env tools.Env, r tools.Runs, w tools.Access) (sandbox.Command, *reach.Profile, error) {
	folders := env.Snapshot.Tree().Folders()
	environ := sandbox.Environment(t.Environ, t.Keep, append(folders[:len(folders):len(folders)], env.Dir))
	line := r.Line()
	if w.Verbatim {
		line = r.Command
	}
	argv, err := sandbox.Shell(t.Shell, line, environ)
	if err != nil {
		return sandbox.Command{}, nil, err
	}
	c := sandbox.Command{Argv: argv, Dir: r.Dir, Env: environ}
	if t.Reach == nil || w.Outside {
		return c, nil, nil
	}
	git := reach.GitUse{Calls: r.Git.Calls, Alone: r.Git.Alone, Writes: r.Git.Writes && !r.Background && (!w.Unasked || r.Git.Only)}
	if w.Unasked && git.Writes {
		c.Env = sandbox.GitAlone(environ)
	}
	session := ""
	if env.Jobs != nil {
		session = env.Session
		env.Jobs.AfterClose(func() {
			if t.Ended != nil {
				t.Ended(session)
			}
			sandbox.EndSession(session)
		})
	}
	extra := reach.Extra{Session: session, Write: w.Write, Read: w.Read, Outputs: outputFolders(env), Context: t.Context, Copies: env.Copies, Network: sandbox.Network{All: w.Network, Hosts: w.Hosts}, Git: git, Unasked: w.Unasked, Untrusted: w.Untrusted, Closed: w.Closed, Keeps: w.Keeps}
	profile, err := t.Reach(folders, extra)
	if err != nil || profile == nil {
		return c, nil, err
	}
	profile.Hide(r.Secrets())
	if !t.SystemPath && !crosses(r) {
		profile.SearchPath = sandbox.SearchPathInside(t.Environ, append(folders[:len(folders):len(folders)], env.Dir))
	}
	c.Profile = &profile.Profile
	return c, profile, nil
}

// crosses reports whether a command has more than the sandbox gives to all: it changes what
// git keeps, or needs something outside.
func crosses(r tools.Runs) bool {
	return r.Git.Writes || slices.ContainsFunc(r.Parts, func(p shellcmd.Part) bool { return p.Lasting != "" || p.Needs != "" })
}
