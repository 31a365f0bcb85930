//go:build unix

package main

import (
	"errors"
	"os"
	"os/signal"
	"syscall"
)

// keepPipes makes writing to a pipe that nobody reads an error, where it would
// end the process at once and leave what it had started. Ignoring the signal
// would do so for every child too; receiving it does not.
func keepPipes() { signal.Notify(make(chan os.Signal, 1), syscall.SIGPIPE) }

func isPipeClosed(err error) bool { return errors.Is(err, syscall.EPIPE) }

func isDiskFull(err error) bool {
	return errors.Is(err, syscall.ENOSPC) || errors.Is(err, syscall.EDQUOT)
}

// runs says whether there is a process with that id.
func runs(pid int) bool {
	err := syscall.Kill(pid, 0)
	return err == nil || errors.Is(err, syscall.EPERM)
}
