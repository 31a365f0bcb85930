package hooks

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/emendo-dev/emendo/internal/sandbox"
	"github.com/emendo-dev/emendo/tools/reach"
)

// A Runner runs one command line of the user's and waits for its end: [Shell]
// on this machine.
type Runner interface {
	// Run gives what the command wrote and how it ended. The error says why it
	// could not be started. When ctx ends, the command and all that it has
	// started are ended, and Run returns soon after.
	Run(ctx context.Context, c Command) (Ran, error)
}

// Command is what a [Runner] runs.
type Command struct {
	Line    string            // for the shell
	Dir     string            // where it runs, absolute
	Folders []string          // the workspace's, in which no program of it is looked for
	Env     map[string]string // beside what every command gets
	Input   []byte            // what it reads
	Timeout time.Duration     // after which it is ended
	Sandbox bool              // it runs in the sandbox
	Reads   []string          // what it may read there beside the workspace
}

// Ran is how a command went.
type Ran struct {
	Stdout, Stderr []byte
	Cut            bool // it wrote more than is heard
	Exit           sandbox.Exit
	TimedOut       bool
	// Moved are files that it made in the sandbox under protected names, which were
	// moved aside. MovedErr says why there may be more.
	Moved    []reach.Moved
	MovedErr error
}

// AtMost runs no more than n commands at once; the others wait for their turn,
// which takes nothing off their time.
func AtMost(n int, r Runner) Runner { return few{r, make(chan struct{}, n)} }

type few struct {
	runner  Runner
	running chan struct{} // holds one for each
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

// Engine runs the hooks of a configuration.
type Engine struct {
	Config Config
	Runner Runner
}

// Run is one hook that ran.
type Run struct {
	Hook Hook
	Took time.Duration
	Said *Output // nil: nothing
	// Moved are files that it made under protected names, which were moved aside.
	// MovedErr says why there may be more.
	Moved    []reach.Moved
	MovedErr error
	Err      error // why it counts as failed: it was not started, did not end, or ended badly without a word
}

// Outcome is what became of an event.
type Outcome struct {
	Output               // of all hooks together
	Runs   []Run         // in the order of the plan
	Took   time.Duration // without the time in which leave was asked for
}

// Ran reports whether any hook ran.
func (o Outcome) Ran() bool { return len(o.Runs) > 0 }

// Fire runs the hooks of an event and waits for them. permit is asked about each
// hook right before it is started; nil lets all run. Of hooks that are alike one
// runs, the first that is permitted.
func (e Engine) Fire(ctx context.Context, s Scene, in Input, permit func(Hook) bool) Outcome {
	all, sequential := e.Config.plan(in.Event(), in.subject())
	runs := make([]Run, len(all))
	started := map[string]bool{}
	var running sync.WaitGroup
	for i, h := range all {
		if started[h.key()] || permit != nil && !permit(h) {
			continue
		}
		started[h.key()] = true
		if !sequential {
			running.Go(func() { runs[i] = e.run(ctx, h, s, in) })
			continue
		}
		runs[i] = e.run(ctx, h, s, in)
		if said := runs[i].Said; said != nil {
			in = in.after(*said)
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

// run runs one hook.
func (e Engine) run(ctx context.Context, h Hook, s Scene, in Input) Run {
	begun := time.Now()
	r := Run{Hook: h}
	if h.Folder != "" {
		s.Project = h.Folder // what was approved is what is there
	}
	text, err := s.text(in)
	if err != nil {
		r.Err = fmt.Errorf("telling it of the event: %w", err)
		return r
	}
	ran, err := e.Runner.Run(ctx, Command{
		Line: s.inserted(h.Command), Dir: s.Cwd, Folders: s.Folders, Env: s.variables(h.Env), Input: text, Timeout: h.timeout(),
		Sandbox: e.Config.Sandboxed(h), Reads: []string{s.Transcript, s.Plans},
	})
	r.Took, r.Moved, r.MovedErr = time.Since(begun), ran.Moved, ran.MovedErr
	switch {
	case err != nil:
		r.Err = err
	case ctx.Err() != nil:
		r.Err = context.Cause(ctx)
	case ran.TimedOut:
		r.Err = fmt.Errorf("it ran longer than %s and was ended", h.timeout())
	case ran.Cut && ran.Exit.Code <= 1: // half of what it said may say the opposite
		r.Err = fmt.Errorf("it wrote more than %d MiB, so nothing of it is heeded", maxOutput>>20)
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
		return errors.New("it was ended by a signal: " + x.Signal)
	}
	return fmt.Errorf("it exited with code %d and said nothing", x.Code)
}

// variables is what a hook gets in its environment: where it is, under the
// names that scripts know, and what its configuration adds.
func (s Scene) variables(more map[string]string) map[string]string {
	env := map[string]string{}
	for name, value := range s.places() {
		env[name] = value
		if rest, ok := strings.CutPrefix(name, "GEMINI_"); ok {
			env["EMENDO_"+rest] = value
		}
	}
	for name, value := range more {
		env[name] = value
	}
	return env
}

func (s Scene) places() map[string]string {
	return map[string]string{
		"GEMINI_PROJECT_DIR": s.Project, "GEMINI_CWD": s.Cwd, "GEMINI_PLANS_DIR": s.Plans, "GEMINI_SESSION_ID": s.SessionID, "CLAUDE_PROJECT_DIR": s.Project,
	}
}
