package client

import "io"

// ErrNoJob answers a request about a command in the background that a session does not have.
var ErrNoJob = Unable("the command is not there any more: commands in the background end with emendo")

// TerminalProgram is what the user starts in a terminal of the client.
type TerminalProgram struct {
	Command       string // a line for the user's shell; empty: the shell itself
	Dir           string // absolute
	Rows, Columns uint16
}

// Terminal is a program that runs in a terminal, with all that it has started.
type Terminal interface {
	// Read reads what it writes until it has ended; Write types something.
	io.ReadWriter
	// Resize sets the size, which the program learns.
	Resize(rows, columns uint16) error
	// Wait returns how the program ended: its exit code, or the signal.
	Wait() (code int, signal string)
	// Close ends it, and returns when all that it has started has ended.
	Close() error
}
