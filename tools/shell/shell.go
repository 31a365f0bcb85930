package shell

import (
	"context"
	_ "embed" // for the words to the model
	"encoding/json"
	"fmt"
	"path/filepath"
	"strings"
	"time"

	"github.com/emendo-dev/emendo/tools"
	"github.com/emendo-dev/emendo/tools/sandbox"
)

// Name is what the model calls the tool.
const Name = "run_shell_command"

//go:embed run_shell_command.md
var runText string // what the model reads about this tool, with what the user has chosen left open

// maxCommand is what Linux takes as one argument, in bytes.
const maxCommand = 128<<10 - 1

// Options choose how commands run. The zero value works.
type Options struct {
	Spawner sandbox.Spawner // the operating system when nil
	// Reach is what a command may reach in a workspace of these folders; nil:
	// all that the user can.
	Reach func(folders []string, wider sandbox.Wider) (*sandbox.Profile, error)
	// Environ is the server's environment, "NAME=value", of which a command
	// gets the names that are known to be harmless and those in Keep. Without
	// it a command gets little more than a PATH.
	Environ []string
	Keep    []string      // further names that commands get
	Timeout time.Duration // of a command, from start to end; 10 minutes when zero
	Idle    time.Duration // for which a command may print nothing; 2 minutes when zero, or [Forever]
	Grace   time.Duration // between asking a process to end and forcing it; 100 ms when zero
	// Watched gives programs a terminal to write to, where there are terminals:
	// they show what they do as they do it, in the order of its doing.
	Watched bool
	Shell   string // the interpreter, absolute; bash, else sh, when empty
}

// Forever bounds nothing.
const Forever time.Duration = -1

// New makes the tool that runs commands.
func New(o Options) tools.Tool {
	if o.Spawner == nil {
		o.Spawner = sandbox.System()
	}
	for _, d := range []struct {
		option *time.Duration
		usual  time.Duration
	}{{&o.Timeout, 10 * time.Minute}, {&o.Idle, 2 * time.Minute}, {&o.Grace, 100 * time.Millisecond}} {
		if *d.option == 0 {
			*d.option = d.usual
		}
	}
	return &tool{o}
}

type tool struct{ Options }

// arguments of a call, as the model gives them.
type arguments struct {
	Command     string `json:"command"`
	Description string `json:"description"`
	Dir         string `json:"dir_path"`
	Background  bool   `json:"is_background"`
	Delay       *int   `json:"delay_ms"`
}

const schema = `{
  "type": "object",
  "properties": {
    "command": {"type": "string", "description": "The command line, exactly as the shell shall read it."},
    "description": {"type": "string", "description": "What the command is for, in a few words, for the user who is asked about it."},
    "dir_path": {"type": "string", "description": "The folder to run in: absolute, or relative to the session's folder, which is used when this is left out. It must be inside the workspace."},
    "is_background": {"type": "boolean", "description": "Whether the command goes on when the call has ended, for servers and watchers. Do not also end the command with &."},
    "delay_ms": {"type": "integer", "description": "Of a command in the background: after how many milliseconds the call ends, with what was printed by then; 200 when this is left out, at most 60000."}
  },
  "required": ["command"],
  "additionalProperties": false
}`

func (t *tool) Spec() tools.Spec {
	return tools.Spec{
		Name:        Name,
		Display:     "Shell",
		Kind:        tools.Execute,
		Description: t.description(),
		Schema:      json.RawMessage(schema),
	}
}

// description is what the model reads, with the bounds that hold.
func (t *tool) description() string {
	bounds := "is ended after " + spoken(t.Timeout)
	if t.Idle != Forever {
		bounds += ", and after " + spoken(t.Idle) + " in which it prints nothing"
	}
	terminal := "Programs write into a pipe, so some hold their output back until they end."
	if t.Watched {
		terminal = fmt.Sprintf("Programs see a terminal to write to, %d columns wide and without colours: some, such as ps and gh, cut their lines there or set them in columns. Where you need whole lines or one name a line, add `| cat`.", screenColumns)
	}
	return strings.NewReplacer("{bounds}", bounds, "{terminal}", terminal).Replace(runText)
}

// spoken is a time as people say it.
func spoken(d time.Duration) string {
	if m := d.Minutes(); m >= 1 && d%time.Minute == 0 {
		return count(int(m), "minute")
	}
	return count(int(d.Seconds()), "second")
}

func (t *tool) Prepare(_ context.Context, env tools.Env, args json.RawMessage) (tools.Action, error) {
	var a arguments
	if err := tools.Decode(args, &a, "command"); err != nil {
		return tools.Action{}, err
	}
	switch {
	case strings.TrimSpace(a.Command) == "":
		return tools.Action{}, tools.Errorf(tools.InvalidParams, "command is empty: give the command line to run")
	case strings.ContainsRune(a.Command, 0):
		return tools.Action{}, tools.Errorf(tools.InvalidParams, "command holds a NUL character, which no shell can read: leave it out")
	case len(a.Command) > maxCommand:
		return tools.Action{}, tools.Errorf(tools.InvalidParams, "command is %d bytes long, at most %d can be started: write a script to a file and run that", len(a.Command), maxCommand)
	case a.Background && env.Jobs == nil:
		return tools.Action{}, tools.Errorf(tools.InvalidParams, "is_background: nothing can go on in the background here: run it in the foreground, within %v", t.Timeout)
	case !a.Background && a.Delay != nil:
		return tools.Action{}, tools.Errorf(tools.InvalidParams, "delay_ms is for commands in the background: give is_background too, or leave it out")
	}
	delay, err := delayOf(a.Delay)
	if err != nil {
		return tools.Action{}, err
	}
	dir, err := folder(env, a.Dir)
	if err != nil {
		return tools.Action{}, err
	}
	runs := Analyze(a.Command, dir, env.Snapshot.Tree().Folders())
	runs.Background = a.Background
	widened := func(w tools.Wider) func(context.Context, func(tools.Progress)) tools.Result {
		return func(ctx context.Context, live func(tools.Progress)) tools.Result {
			if a.Background {
				return t.background(ctx, env, runs, w, delay, live)
			}
			return t.run(ctx, env, runs, w, live)
		}
	}
	action := tools.Action{Title: title(a, dir, env.Dir), Effect: runs, Run: widened(tools.Wider{})}
	if t.Reach != nil {
		action.Widened = widened
	}
	return action, nil
}

// folder is where the command runs.
func folder(env tools.Env, name string) (string, error) {
	if name == "" {
		return env.Dir, nil
	}
	full := name
	if !filepath.IsAbs(name) { // not joined, which would take "link/.." away before the link is followed
		full = env.Dir + string(filepath.Separator) + name
	}
	name = escaped(name)
	tree := env.Snapshot.Tree()
	p, err := tree.Resolve(full)
	if err != nil {
		return "", tools.Errorf(tools.NotInWorkspace, "dir_path %s: %v: name a folder inside the workspace, whose folders are %s", name, err, strings.Join(tree.Folders(), ", "))
	}
	switch info, err := tree.Stat(p); {
	case err != nil:
		return "", tools.Errorf(tools.FileNotFound, "dir_path %s: there is no such folder", name)
	case !info.IsDir():
		return "", tools.Errorf(tools.NotADirectory, "dir_path %s is no folder: name the folder that it is in", name)
	}
	return p.Abs, nil
}

// title is the command as one line, and where it runs when that is unusual.
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

// oneLine shows a text in at most n characters, with nothing hidden in it.
func oneLine(s string, n int) string {
	r := []rune(escaped(strings.Join(strings.Fields(s), " ")))
	if len(r) > n {
		return string(r[:n-1]) + "…"
	}
	return string(r)
}

// command is what the operating system is told to start.
func (t *tool) command(env tools.Env, r tools.Runs, w tools.Wider) (sandbox.Command, error) {
	folders := env.Snapshot.Tree().Folders()
	environ := sandbox.Environment(t.Environ, t.Keep, append(folders[:len(folders):len(folders)], env.Dir))
	argv, err := sandbox.Shell(t.Shell, r.Command, environ)
	if err != nil {
		return sandbox.Command{}, err
	}
	c := sandbox.Command{Argv: argv, Dir: r.Dir, Env: environ}
	if t.Reach != nil {
		c.Profile, err = t.Reach(folders, sandbox.Wider{Write: w.Write, Read: w.Read, Network: sandbox.Network{All: w.Network, Hosts: w.Hosts}})
	}
	return c, err
}
