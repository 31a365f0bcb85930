package process

import (
	"os"

	"golang.org/x/sys/unix"
)

// Self is the running program, even if its file was replaced since.
const Self = "/proc/self/exe"

// adopts says that what has lost its parent becomes the supervisor's child.
const adopts = true

func redirect(from, to int) error { return unix.Dup3(from, to, 0) }

// waitsFor returns what a supervisor waits for: all its children.
func waitsFor(int) int { return -1 }

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
	if err := unix.CloseRange(ControlFD, ^uint(0), unix.CLOSE_RANGE_CLOEXEC); err != nil && err != unix.ENOSYS {
		return err
	}
	_ = unix.Prctl(unix.PR_SET_DUMPABLE, 0, 0, 0, 0) // cannot fail
	return unix.Prctl(unix.PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)
}

// firstToGo is how much sooner than others a command's processes are ended when the
// machine runs out of memory, in thousandths of that.
const firstToGo = "500"

// goFirst offers this process, and what it starts, to the kernel when memory runs
// out. It comes before the process is closed to others of the user, and so to itself.
func goFirst() {
	_ = os.WriteFile("/proc/self/oom_score_adj", []byte(firstToGo), 0) // without it the machine chooses by size
}
