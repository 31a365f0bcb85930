package process

import (
	"context"
	"io"
	"time"

	"github.com/emendo-dev/emendo/internal/sandbox/profile"
)

// A Spawner starts commands: [System] does on this machine; package sandboxtest plays
// scripts.
type Spawner interface {
	// Start starts c in a session of its own. After Start has returned, ctx no longer
	// matters; call [Process.Kill] to end the command.
	Start(ctx context.Context, c Command) (Process, error)
}

// Command describes a command to start.
type Command struct {
	Argv    []string // the program, absolute, and its arguments
	Dir     string   // working directory, absolute
	Env     []string // its whole environment, "NAME=value"
	Streams Streams
	// Rows and Columns are the size of a terminal.
	Rows, Columns uint16
	// Profile is what the command may reach. If it is nil, the command is not confined.
	Profile *profile.Profile
}

// Streams selects the standard streams of a command.
type Streams int

const (
	// Merged has no input; standard output and error are one pipe, in the order written.
	Merged Streams = iota
	// Separate has three pipes.
	Separate
	// Watched has no input; standard output and error are one terminal. The command knows
	// its size, and can neither read nor control it. On Windows: [ErrNoTerminal].
	Watched
	// Interactive is a terminal that the command reads, writes and controls. Its process has
	// the method Resize. What runs in it counts as the user's own: [Below] is false there. On
	// Windows: [ErrNoTerminal].
	Interactive
)

// A Process is a started command together with everything that it has started.
type Process interface {
	// PID returns the command's process ID, as this process sees it.
	PID() int
	// Input is the command's standard input, or nil if it has none. The writer closes it.
	Input() io.WriteCloser
	// Output is the command's standard output, or with streams other than [Separate] both
	// outputs in the order written. It ends when every writer is gone, and in any case
	// soon after Kill; what was written by then can still be read. The reader closes it.
	Output() io.ReadCloser
	// Errors is the command's standard error with [Separate] streams, and else nil. It
	// ends as Output does.
	Errors() io.ReadCloser
	// Wait waits for the command itself; processes that it has left behind continue. It
	// also returns when Kill could not end the command.
	Wait() Exit
	// Kill asks all processes to end and kills them after grace. Another call meanwhile
	// can shorten the grace, not extend it. Kill returns when all processes are gone, with
	// the IDs of those that it ended and of those that it could not end, which belong to
	// another user.
	Kill(grace time.Duration) (ended, left []int)
}

// LevelOf returns the level at which p is confined.
func LevelOf(p Process) profile.Level {
	if confined, ok := p.(interface{ Level() profile.Level }); ok {
		return confined.Level()
	}
	return profile.Open
}

// Exit describes how a command ended.
type Exit struct {
	Code   int    // -1 if a signal ended it
	Signal string // its name, such as "killed"; empty if the command exited
}
