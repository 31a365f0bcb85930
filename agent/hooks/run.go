package hooks

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/emendo-dev/emendo/internal/sandbox"
	"github.com/emendo-dev/emendo/internal/trust"
	"github.com/emendo-dev/emendo/tools/reach"
)

// A Runner runs a command line and waits for its end. [Shell] does so on this
// machine.
type Runner interface {
	// Run returns the output of the command and how it ended. The error says
	// why it could not be started. When ctx ends, the command and everything
	// that it started are killed, and Run returns soon after.
	Run(ctx context.Context, c Command) (Ran, error)
}

// Command is the input of a [Runner].
type Command struct {
	Line    string            // for the shell
	Dir     string            // working directory, absolute
	Folders []string          // the workspace's; programs in them are not looked up
	Env     map[string]string // added to the environment of every command
	Input   []byte            // its standard input
	Timeout time.Duration     // after which it is killed
	Sandbox bool              // run it in the sandbox
	Reads   []string          // may be read in the sandbox, besides the workspace
	Cleared trust.Cleared     // what was approved of it, if it needs approval
}

// Ran is the result of a command.
type Ran struct {
	Stdout, Stderr []byte
	Cut            bool // there was more output
	Exit           sandbox.Exit
	TimedOut       bool
	// Moved lists files that the command created in the sandbox under protected
	// names, which were moved aside. MovedErr says why there may be more.
	Moved    []reach.Moved
	MovedErr error
}

// AtMost returns a Runner that runs at most n commands at once. Waiting does
// not count towards a command's timeout.
func AtMost(n int, r Runner) Runner { return few{r, make(chan struct{}, n)} }

type few struct {
	runner  Runner
	running chan struct{} // one element for each
}

func (f few) Run(ctx context.Context, c Command) (Ran, error) {
	select {
	case f.running <- struct{}{}:
	case <-ctx.Done():
		return Ran{}, context.Cause(ctx)
	}
	defer func() { <-f.running }()
	return f.runner.Run(ctx, c)
}

// An Engine runs the hooks of a configuration.
type Engine struct {
	Config Config
	Runner Runner
}

// Run is the result of one hook.
type Run struct {
	Hook Hook
	Took time.Duration
	Said *Output // nil: no output
	// Moved lists files that it created under protected names, which were moved
	// aside. MovedErr says why there may be more.
	Moved    []reach.Moved
	MovedErr error
	Err      error // why it failed: it did not start, did not end, or failed without output
}

// Outcome is the result of an event.
type Outcome struct {
	Output               // merged
	Runs   []Run         // in the order of the plan
	Took   time.Duration // without the time that permit took
}

// Ran reports whether any hook ran.
func (o Outcome) Ran() bool { return len(o.Runs) > 0 }

// Fire runs the hooks of an event and waits for them. permit is called for each
// hook right before it starts; if it is nil, all hooks run. Of duplicates, the
// first that is permitted runs, in the version that permit returns.
func (e Engine) Fire(ctx context.Context, s Scene, in Input, permit func(Hook) (trust.Cleared, bool)) Outcome {
	all, sequential := e.Config.plan(in.Event(), in.subject(), within(in))
	runs := make([]Run, len(all))
	started := map[string]bool{}
	var running sync.WaitGroup
	for i, h := range all {
		if started[h.key()] {
			continue
		}
		var cleared trust.Cleared
		if permit != nil {
			var ok bool
			if cleared, ok = permit(h); !ok {
				continue
			}
		}
		started[h.key()] = true
		if !sequential {
			running.Go(func() { runs[i] = e.run(ctx, h, s, in, cleared) })
			continue
		}
		runs[i] = e.run(ctx, h, s, in, cleared)
		if said := runs[i].Said; said != nil {
			in = after(in, *said)
		}
	}
	running.Wait()
	if len(started) == 0 {
		return Outcome{}
	}
	runs = slices.DeleteFunc(runs, func(r Run) bool { return r.Hook.Command == "" })
	o := Outcome{Runs: runs}
	var said []Output
	for _, r := range runs {
		if r.Said != nil {
			said = append(said, *r.Said)
		}
		if sequential {
			o.Took += r.Took
		} else {
			o.Took = max(o.Took, r.Took)
		}
	}
	o.Output = merge(in.Event(), said)
	return o
}

// within returns the tool whose call an input is a part of, or "".
func within(in Input) string {
	switch in := in.(type) { //nolint:gochecksumtype // the others are about no tool
	case ToolInput:
		return in.Within
	case ToolOutcome:
		return in.Within
	}
	return ""
}

// run runs one hook.
func (e Engine) run(ctx context.Context, h Hook, s Scene, in Input, cleared trust.Cleared) Run {
	begun := time.Now()
	r := Run{Hook: h}
	if h.Folder != "" {
		s.Project = h.Folder // as it was approved
	}
	text, err := s.text(in)
	if err != nil {
		r.Err = fmt.Errorf("encode the event: %w", err)
		return r
	}
	ran, err := e.Runner.Run(ctx, Command{
		Line: s.inserted(h.Command), Dir: s.Cwd, Folders: s.Folders, Env: s.variables(h.Env), Input: text, Timeout: h.timeout(),
		Sandbox: e.Config.Sandboxed(h, s.Cwd), Reads: []string{s.Transcript, s.Plans, h.Home}, Cleared: cleared,
	})
	r.Took, r.Moved, r.MovedErr = time.Since(begun), ran.Moved, ran.MovedErr
	switch {
	case err != nil:
		r.Err = err
	case ctx.Err() != nil:
		r.Err = context.Cause(ctx)
	case ran.TimedOut:
		r.Err = fmt.Errorf("timed out after %s", h.timeout())
	case ran.Cut && ran.Exit.Code <= 1: // half of its output may mean the opposite
		r.Err = fmt.Errorf("wrote more than %d MiB; its output was ignored", maxOutput>>20)
	default:
		r.Said = parse(string(ran.Stdout), string(ran.Stderr), ran.Exit.Code)
		if r.Said == nil && ran.Exit.Code != 0 {
			r.Err = ended(ran.Exit)
		}
	}
	return r
}

func ended(x sandbox.Exit) error {
	if x.Signal != "" {
		return errors.New("ended by signal: " + x.Signal)
	}
	return fmt.Errorf("exited with code %d without output", x.Code)
}

// variables returns the environment of a hook: the places, under the names that
// scripts know, and the additions of its configuration.
func (s Scene) variables(more map[string]string) map[string]string {
	env := map[string]string{}
	for name, value := range s.places() {
		env[name] = value
		if rest, ok := strings.CutPrefix(name, "GEMINI_"); ok {
			env["EMENDO_"+rest] = value
		}
	}
	maps.Copy(env, more)
	return env
}

func (s Scene) places() map[string]string {
	return map[string]string{
		"GEMINI_PROJECT_DIR": s.Project, "GEMINI_CWD": s.Cwd, "GEMINI_PLANS_DIR": s.Plans, "GEMINI_SESSION_ID": s.SessionID, "CLAUDE_PROJECT_DIR": s.Project,
	}
}
