package sandbox

import (
	"context"
	"io"
	"time"
)

// A Spawner starts commands: [System] on this machine; package sandboxtest
// plays scripts.
type Spawner interface {
	// Start starts c in a process group of its own with nothing to read. ctx
	// matters until Start returns; after that [Process.Kill] ends the command.
	Start(ctx context.Context, c Command) (Process, error)
}

// Command is what is started.
type Command struct {
	Argv []string // the program, absolute, and its arguments
	Dir  string   // where it runs, absolute
	Env  []string // all of its environment, "NAME=value"
}

// A Process is a started command and everything that it has started in turn.
type Process interface {
	PID() int
	// Output is what the command writes to its standard output and error, in
	// the order written. It ends when every writer is gone, and soon after
	// Kill in any case. The reader closes it.
	Output() io.ReadCloser
	// Wait waits for the command itself; what it left running goes on. It
	// also returns when Kill had to leave the command running.
	Wait() Exit
	// Kill asks all that is running to end and, after grace, forces it. It
	// returns when all is gone, with the ids of the processes that it ended,
	// and of those that it could not end, which belong to another user.
	Kill(grace time.Duration) (ended, left []int)
}

// Exit is how a command ended.
type Exit struct {
	Code   int    // -1 when a signal ended it
	Signal string // its name, such as "killed"; empty when the command exited by itself
}
