package process

import (
	"errors"
	"fmt"
	"os"

	"github.com/creack/pty"
	"golang.org/x/term"
)

// ErrNoTerminal says that no terminal is available; the command can run with [Merged]
// streams instead.
var ErrNoTerminal = errors.New("no terminal is available")

// openWatched opens a terminal that the command can only write to. Programs write as
// they do for a user who watches, and cannot prompt.
func (s *streams) openWatched(rows, columns uint16) error {
	ours, theirs, err := pty.Open()
	if err != nil {
		return fmt.Errorf("make a terminal for a command: %w (%w)", ErrNoTerminal, err)
	}
	defer theirs.Close()
	if s.output, err = unblock(ours); err != nil {
		return fmt.Errorf("make a terminal for a command: %w (%w)", ErrNoTerminal, err)
	}
	if err := pty.Setsize(theirs, &pty.Winsize{Rows: rows, Cols: columns}); err != nil {
		return fmt.Errorf("set the size of a command's terminal: %w (%w)", ErrNoTerminal, err)
	}
	if err := theirs.Chmod(0o200); err != nil { // a pager opens it by name; root's still can
		return fmt.Errorf("keep a command's terminal from being read: %w (%w)", ErrNoTerminal, err)
	}
	if _, err := term.MakeRaw(int(theirs.Fd())); err != nil { // passes bytes on unchanged, and much faster
		return fmt.Errorf("set a command's terminal up: %w (%w)", ErrNoTerminal, err)
	}
	if s.theirs[1], err = os.OpenFile(theirs.Name(), os.O_WRONLY|noControl, 0); err != nil {
		return fmt.Errorf("open a command's terminal: %w (%w)", ErrNoTerminal, err)
	}
	s.theirs[2] = s.theirs[1]
	if s.theirs[0], err = os.Open(os.DevNull); err != nil {
		return fmt.Errorf("open what a command has to read: %w", err)
	}
	return nil
}

// openInteractive opens a terminal for a command to read, write and control.
func (s *streams) openInteractive(rows, columns uint16) error {
	ours, theirs, err := pty.Open()
	if err != nil {
		return fmt.Errorf("make a terminal: %w (%w)", ErrNoTerminal, err)
	}
	s.theirs = [3]*os.File{theirs, theirs, theirs}
	if s.output, err = unblock(ours); err != nil {
		return fmt.Errorf("make a terminal: %w (%w)", ErrNoTerminal, err)
	}
	s.input = s.output
	return s.Resize(rows, columns)
}

// Resize sets the size of an [Interactive] terminal, of which its programs are notified.
func (s *streams) Resize(rows, columns uint16) error {
	if err := resize(s.output, rows, columns); err != nil {
		return fmt.Errorf("set the size of a terminal: %w", err)
	}
	return nil
}
