//go:build unix && !linux

package process

import (
	"os"

	"golang.org/x/sys/unix"
)

// adopts reports that orphans do not become children of the supervisor. A process that
// leaves the command's group and loses its parent before it was seen escapes.
const adopts = false

// Self is the running program.
var Self, _ = os.Executable()

// isControl reports whether fd is a socket.
func isControl(fd int) bool {
	kind, err := unix.GetsockoptInt(fd, unix.SOL_SOCKET, unix.SO_TYPE)
	return err == nil && kind == unix.SOCK_STREAM
}

func becomeAncestor() error { return nil }

func redirect(from, to int) error { return unix.Dup2(from, to) }

// waitsFor returns the pid that the supervisor waits for: only the command, since it
// also starts ps.
func waitsFor(command int) int { return command }

// shown runs f. Nothing conceals this process here.
func shown(f func() error) error { return f() }
