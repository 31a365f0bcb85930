package hooks

import (
	"context"
	"fmt"
	"maps"
	"os"
	"slices"
	"time"

	"github.com/emendo-dev/emendo/internal/sandbox"
	"github.com/emendo-dev/emendo/tools/reach"
)

// lateGrace is for a hook that took too long to put things in order.
const lateGrace = 5 * time.Second

// maxOutput is how much of what a hook writes is heard, in bytes, of each of its
// two streams: more than the longest conversation with everything in it escaped,
// for a hook may write back all that it was told.
const maxOutput = 32 << 20

// Shell runs hooks in the system's shell.
type Shell struct {
	Spawner sandbox.Spawner // nil: [sandbox.System]
	Environ []string        // the process's environment, of which a hook gets what is harmless
	// Reach is what a hook in the sandbox may reach in a workspace of these folders,
	// and Sandbox starts it there; nil: there is no sandbox.
	Reach   func(folders []string, extra reach.Extra) (*reach.Profile, error)
	Sandbox sandbox.Spawner
}

// Run implements [Runner].
func (s Shell) Run(ctx context.Context, c Command) (Ran, error) {
	spawner := s.Spawner
	if spawner == nil {
		spawner = sandbox.System()
	}
	env := sandbox.Environment(s.Environ, nil, c.Folders)
	for _, name := range slices.Sorted(maps.Keys(c.Env)) {
		env = append(env, name+"="+c.Env[name])
	}
	argv, err := sandbox.Shell("", c.Line, env)
	if err != nil {
		return Ran{}, fmt.Errorf("it was not started: %w", err)
	}
	command := sandbox.Command{Argv: argv, Dir: c.Dir, Env: env}
	var profile *reach.Profile
	if c.Sandbox && s.Sandbox != nil {
		spawner = s.Sandbox
		if profile, err = s.Reach(c.Folders, reach.Extra{Read: existing(c.Reads)}); err != nil {
			return Ran{}, fmt.Errorf("it was not started: %w", err)
		}
		command.Profile = &profile.Profile
	}
	said, err := sandbox.Run(ctx, spawner, command, sandbox.Talk{
		Input: c.Input, Most: maxOutput, Timeout: c.Timeout, Late: lateGrace,
	})
	ran := Ran{Stdout: said.Output, Stderr: said.Errors, Cut: said.Cut, Exit: said.Exit, TimedOut: said.TimedOut}
	if profile != nil && said.Level > sandbox.Open {
		ran.Moved, ran.MovedErr = profile.MoveAside()
	}
	switch {
	case err != nil && ctx.Err() != nil:
		return ran, err
	case err != nil:
		return Ran{}, fmt.Errorf("it was not started: %w", err)
	}
	return ran, nil
}

// existing are those of the paths at which there is something.
func existing(paths []string) []string {
	return slices.DeleteFunc(slices.Clone(paths), func(path string) bool {
		_, err := os.Stat(path)
		return err != nil
	})
}
