package process

import (
	"context"
	"io"
	"time"

	"github.com/emendo-dev/emendo/internal/sandbox/profile"
)

// A Spawner starts commands: [System] on this machine; package sandboxtest
// plays scripts.
type Spawner interface {
	// Start starts c in a session of its own. ctx matters until Start returns;
	// after that [Process.Kill] ends the command. An error says why it was
	// not started.
	Start(ctx context.Context, c Command) (Process, error)
}

// Command is what is started.
type Command struct {
	Argv    []string // the program, absolute, and its arguments
	Dir     string   // where it runs, absolute
	Env     []string // all of its environment, "NAME=value"
	Streams Streams
	// Rows and Columns are the size of its terminal, [Watched] or [Terminal].
	Rows, Columns uint16
	// Profile is what it may reach; nil: all that the user can.
	Profile *profile.Profile
}

// Streams are what a command reads and writes.
type Streams int

const (
	// Merged is nothing to read; output and errors are one stream, in the order
	// written.
	Merged Streams = iota
	// Separate is three pipes.
	Separate
	// Watched is nothing to read; output and errors are one terminal, in the
	// order written, of which the command knows the size and which it can
	// neither read nor control. There is none on Windows: [ErrNoTerminal].
	Watched
	// Terminal is a terminal, which is the command's to control. There is none
	// on Windows.
	Terminal
)

// A Process is a started command and everything that it has started in turn.
type Process interface {
	// PID is the command's, as this process sees it.
	PID() int
	// Input is what the command reads; nil when it has nothing to read. The
	// writer closes it.
	Input() io.WriteCloser
	// Output is what the command writes: with [Separate] streams its standard
	// output, else that and its standard error in the order written. It ends
	// when every writer is gone, and soon after Kill in any case. The reader
	// closes it.
	Output() io.ReadCloser
	// Errors is what the command writes to its standard error, with
	// [Separate] streams, and else nil. It ends as Output does.
	Errors() io.ReadCloser
	// Resize gives the command's [Terminal] another size.
	Resize(rows, columns uint16) error
	// Wait waits for the command itself; what it left running goes on. It
	// also returns when Kill had to leave the command running.
	Wait() Exit
	// Kill asks all that is running to end and, after grace, forces it; another
	// Kill meanwhile may leave it less grace, not more. It returns when all is
	// gone, with the ids of the processes that it ended,
	// and of those that it could not end, which belong to another user.
	Kill(grace time.Duration) (ended, left []int)
}

// LevelOf is how firmly a process is held.
func LevelOf(p Process) profile.Level {
	if held, ok := p.(interface{ Level() profile.Level }); ok {
		return held.Level()
	}
	return profile.Open
}

// Exit is how a command ended.
type Exit struct {
	Code   int    // -1 when a signal ended it
	Signal string // its name, such as "killed"; empty when the command exited by itself
}
