//go:build linux

package linux

import (
	"encoding/json"
	"errors"
	"fmt"
	"runtime"

	"golang.org/x/sys/unix"

	"github.com/emendo-dev/emendo/internal/sandbox/profile"
)

// A confinement describes how a supervisor confines a command.
type confinement struct {
	Level   profile.Level
	Profile *profile.Profile
	// Isolation is for level A, and nil at level B.
	Isolation *isolation `json:",omitempty"`
}

// Confine implements [process.Confiner].
func Confine(text json.RawMessage, start func() (int, error)) (int, error) {
	var c confinement
	if err := json.Unmarshal(text, &c); err != nil {
		return 0, fmt.Errorf("read the confinement of a command: %w", err)
	}
	if c.Profile == nil {
		return 0, errors.New("no profile to confine a command to")
	}
	if c.Isolation != nil {
		if err := c.Isolation.begin(); err != nil {
			return 0, err
		}
	}
	if err := limit(c.Level); err != nil {
		return 0, fmt.Errorf("limit what a command may use: %w", err)
	}
	switch c.Level {
	case profile.Restricted:
		return startConfined(c, socketsOf(c.Profile, false), start, func() error {
			if err := landlock(landsOf(c.Profile), c.Profile.Network.All); err != nil {
				return err
			}
			return dropCapabilities()
		})
	case profile.Isolated:
		if c.Isolation == nil {
			return 0, errors.New("no means to isolate a command")
		}
		return startConfined(c, socketsOf(c.Profile, true), start, dropRights)
	case profile.Open:
	}
	return 0, fmt.Errorf("level %v does not confine commands", c.Level)
}

// startConfined starts the command from a thread that confine and a system call
// filter have confined. Confinement is for good and is inherited by what the thread
// starts; the rest of the supervisor stays unconfined, out of the command's reach.
// The thread ends with its goroutine, since it is never unlocked.
func startConfined(c confinement, sockets sockets, start func() (int, error), confine func() error) (pid int, err error) {
	filter, err := filterFor(c.Level, sockets)
	if err != nil {
		return 0, err
	}
	done := make(chan struct{})
	go func() {
		defer close(done)
		runtime.LockOSThread()
		if err = confine(); err != nil {
			return
		}
		if err = filter.install(); err != nil {
			return
		}
		pid, err = start()
	}()
	<-done
	return pid, err
}

// rootKeeps lists the capabilities that a superuser's command keeps, since it may work
// on other users' files in the workspace.
var rootKeeps = map[uintptr]bool{unix.CAP_CHOWN: true, unix.CAP_DAC_OVERRIDE: true, unix.CAP_FOWNER: true, unix.CAP_FSETID: true, unix.CAP_SETGID: true, unix.CAP_SETUID: true, unix.CAP_KILL: true}

// dropCapabilities takes all other capabilities from the calling thread and from what
// it starts. Only a superuser has any.
func dropCapabilities() error {
	if unix.Geteuid() != 0 {
		return nil
	}
	for c := uintptr(0); c <= unix.CAP_LAST_CAP; c++ {
		if rootKeeps[c] {
			continue
		}
		if err := unix.Prctl(unix.PR_CAPBSET_DROP, c, 0, 0, 0); err != nil && err != unix.EINVAL { // not known to this kernel
			return fmt.Errorf("give up capability %d: %w", c, err)
		}
	}
	return nil
}
