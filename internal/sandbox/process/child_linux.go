package process

import (
	"os"

	"golang.org/x/sys/unix"
)

// Self is the running program, even if its file has been replaced.
const Self = "/proc/self/exe"

// adopts reports that orphans become children of the supervisor.
const adopts = true

func redirect(from, to int) error { return unix.Dup3(from, to, 0) }

// waitsFor returns the pid that the supervisor waits for: -1, which is any child.
func waitsFor(int) int { return -1 }

// isControl reports whether fd is a socket that the parent process has made. In a PID
// namespace of its own, a child cannot see the parent's pid.
func isControl(fd int) bool {
	peer, err := unix.GetsockoptUcred(fd, unix.SOL_SOCKET, unix.SO_PEERCRED)
	return err == nil && (int(peer.Pid) == os.Getppid() || peer.Pid == 0)
}

// becomeAncestor makes this process adopt orphans among its descendants, so that none
// escapes. It also makes the process inaccessible to others of the same user, since it
// knows the environment of the command, and closes files inherited from whoever started
// the server.
func becomeAncestor() error {
	raiseOOMScore()
	if err := unix.CloseRange(ControlFD, ^uint(0), unix.CLOSE_RANGE_CLOEXEC); err != nil && err != unix.ENOSYS {
		return err
	}
	_ = unix.Prctl(unix.PR_SET_DUMPABLE, 0, 0, 0, 0) // cannot fail
	return unix.Prctl(unix.PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)
}

// oomScore is the OOM score of a command's processes: the kernel kills them first.
const oomScore = "500"

// raiseOOMScore has the kernel kill this process and its descendants first when memory
// runs out. Call it before the process becomes inaccessible to others, and so to
// itself.
func raiseOOMScore() {
	_ = os.WriteFile("/proc/self/oom_score_adj", []byte(oomScore), 0) // on failure the kernel chooses by size
}
