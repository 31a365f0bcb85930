package sandbox

import (
	"os"

	"golang.org/x/sys/unix"
)

// self is the running program, even if its file was replaced since.
const self = "/proc/self/exe"

// isControl says whether a descriptor is a socket from the parent, as a server
// makes it. In a namespace of its own a child cannot see who that is.
func isControl(fd int) bool {
	peer, err := unix.GetsockoptUcred(fd, unix.SOL_SOCKET, unix.SO_PEERCRED)
	return err == nil && (int(peer.Pid) == os.Getppid() || peer.Pid == 0)
}

// becomeAncestor makes this process the parent of all orphans among its
// descendants, so that none gets away, and closes it to other processes of the
// user: it knows the environments of commands. Files that the server was given
// by whoever started it are no business of a command's.
func becomeAncestor() error {
	goFirst()
	if err := unix.CloseRange(controlFD, ^uint(0), unix.CLOSE_RANGE_CLOEXEC); err != nil && err != unix.ENOSYS {
		return err
	}
	_ = unix.Prctl(unix.PR_SET_DUMPABLE, 0, 0, 0, 0) // cannot fail
	return unix.Prctl(unix.PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)
}
