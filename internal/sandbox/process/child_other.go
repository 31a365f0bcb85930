//go:build unix && !linux

package process

import (
	"os"

	"golang.org/x/sys/unix"
)

// adopts says that what has lost its parent becomes the supervisor's child.
// Here it does not: what has left the command's group and lost its parent
// before it was seen gets away.
const adopts = false

// Self is the running program.
var Self, _ = os.Executable()

// isControl says whether a descriptor is a socket, as a server gives it.
func isControl(fd int) bool {
	kind, err := unix.GetsockoptInt(fd, unix.SOL_SOCKET, unix.SO_TYPE)
	return err == nil && kind == unix.SOCK_STREAM
}

func becomeAncestor() error { return nil }

func redirect(from, to int) error { return unix.Dup2(from, to) }

// waitsFor is what a supervisor waits for: the command alone, since it starts
// others to look around.
func waitsFor(command int) int { return command }

// shown runs f. Nothing conceals this process here.
func shown(f func() error) error { return f() }
