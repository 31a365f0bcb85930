package hooks

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/emendo-dev/emendo/tools/sandbox"
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
	said, err := sandbox.Run(ctx, spawner, sandbox.Command{Argv: argv, Dir: c.Dir, Env: env}, sandbox.Talk{
		Input: c.Input, Most: maxOutput, Timeout: c.Timeout, Late: lateGrace,
	})
	switch {
	case err != nil && ctx.Err() != nil:
		return Ran{}, err
	case err != nil:
		return Ran{}, fmt.Errorf("it was not started: %w", err)
	}
	return Ran{Stdout: said.Output, Stderr: said.Errors, Cut: said.Cut, Exit: said.Exit, TimedOut: said.TimedOut}, nil
}
