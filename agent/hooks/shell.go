package hooks

import (
	"context"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/emendo-dev/emendo/internal/sandbox"
	"github.com/emendo-dev/emendo/tools/reach"
)

// lateGrace is the time that a hook has to clean up after its timeout.
const lateGrace = 5 * time.Second

// maxOutput limits each of a hook's two output streams, in bytes. It exceeds
// the longest conversation with every character escaped, since a hook may echo
// its input.
const maxOutput = 32 << 20

// Shell runs hooks in the system's shell.
type Shell struct {
	Spawner sandbox.Spawner // nil: [sandbox.System]
	Environ []string        // the process's environment; hooks get the harmless part of it
	Sandbox Sandbox         // nil: none is available
}

// A Sandbox starts hooks within what they may reach.
type Sandbox interface {
	sandbox.Spawner
	// Reach returns what a hook may reach in a workspace of these folders.
	Reach(folders []string, extra reach.Extra) (*reach.Profile, error)
	// Copies makes a private folder for copies of files, which [Shell.Run] deletes.
	Copies() (string, error)
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
	if c.Env[sandbox.PythonSafe] == "" && sandbox.SafePython(strings.Fields(c.Line), c.Dir) {
		env = append(env, sandbox.PythonSafe+"=1")
	}
	argv, err := sandbox.Shell("", c.Line, env)
	if err != nil {
		return Ran{}, fmt.Errorf("cannot start: %w", err)
	}
	command := sandbox.Command{Argv: argv, Dir: c.Dir, Env: env}
	var profile *reach.Profile
	if c.Sandbox && s.Sandbox != nil {
		spawner = s.Sandbox
		extra := reach.Extra{Read: existing(c.Reads)}
		if c.Cleared.Sum != "" {
			temp, err := s.Sandbox.Copies()
			if err != nil {
				return Ran{}, fmt.Errorf("cannot start: %w", err)
			}
			defer os.RemoveAll(temp)
			if extra.Copies, err = c.Cleared.Copy(temp); err != nil {
				return Ran{}, fmt.Errorf("not started: %w", err)
			}
		}
		if profile, err = s.Sandbox.Reach(c.Folders, extra); err != nil {
			return Ran{}, fmt.Errorf("cannot start: %w", err)
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
	if profile != nil && len(profile.Replaced()) > 0 && ctx.Err() == nil {
		return Ran{Moved: ran.Moved, MovedErr: ran.MovedErr}, fmt.Errorf("it was ended, because %s was replaced while it ran", profile.Replaced()[0])
	}
	switch {
	case err != nil && ctx.Err() != nil:
		return ran, err
	case err != nil:
		return Ran{}, fmt.Errorf("cannot start: %w", err)
	}
	return ran, nil
}

// existing returns the paths that exist.
func existing(paths []string) []string {
	return slices.DeleteFunc(slices.Clone(paths), func(path string) bool {
		_, err := os.Stat(path)
		return err != nil
	})
}
