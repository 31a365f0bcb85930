package sandbox

import (
	"errors"
	"fmt"
	"runtime"

	"golang.org/x/sys/unix"
)

// adopts says that what has lost its parent becomes the supervisor's child.
const adopts = true

func redirect(from, to int) error { return unix.Dup3(from, to, 0) }

// waitsFor is what a supervisor waits for: all its children.
func waitsFor(int) int { return -1 }

// launch starts the command, held as its level says.
func launch(s spec) (int, error) {
	if s.Level > Open {
		if err := limit(s.Level); err != nil {
			return 0, fmt.Errorf("limit what a command may use: %w", err)
		}
	}
	switch s.Level {
	case Open:
		return s.start()
	case Restricted:
		if s.Profile == nil {
			return 0, errors.New("there is no profile to hold a command to")
		}
		return s.startHeld(socketsOf(s.Profile, false), func() error {
			if err := landlock(s.Profile.lands(), s.Profile.Network.All); err != nil {
				return err
			}
			return dropCapabilities()
		})
	case Isolated:
		if s.Isolation == nil || s.Profile == nil {
			return 0, errors.New("there is nothing to isolate a command with")
		}
		return s.startHeld(socketsOf(s.Profile, true), dropRights)
	}
	panic("sandbox: unknown level")
}

// startHeld starts the command from a thread that was held first, by hold and
// by a filter of system calls. What is held stays so, and passes on to what is
// started; the rest of the supervisor goes free, and is out of the command's
// reach. The thread ends with its goroutine, since it is never unlocked.
func (s spec) startHeld(sockets sockets, hold func() error) (pid int, err error) {
	filter, err := filterFor(s.Level, sockets)
	if err != nil {
		return 0, err
	}
	done := make(chan struct{})
	go func() {
		defer close(done)
		runtime.LockOSThread()
		if err = hold(); err != nil {
			return
		}
		if err = filter.install(); err != nil {
			return
		}
		pid, err = s.start()
	}()
	<-done
	return pid, err
}

// rootKeeps are the capabilities of a superuser's command: those without which
// it could not work on other users' files in the workspace.
var rootKeeps = map[uintptr]bool{unix.CAP_CHOWN: true, unix.CAP_DAC_OVERRIDE: true, unix.CAP_FOWNER: true, unix.CAP_FSETID: true, unix.CAP_SETGID: true, unix.CAP_SETUID: true, unix.CAP_KILL: true}

// dropCapabilities takes the others from the calling thread and from what it
// starts. Who is no superuser has none to lose.
func dropCapabilities() error {
	if unix.Geteuid() != 0 {
		return nil
	}
	for c := uintptr(0); c <= unix.CAP_LAST_CAP; c++ {
		if rootKeeps[c] {
			continue
		}
		if err := unix.Prctl(unix.PR_CAPBSET_DROP, c, 0, 0, 0); err != nil && err != unix.EINVAL { // which this kernel has not
			return fmt.Errorf("give up capability %d: %w", c, err)
		}
	}
	return nil
}
