//go:build unix

package main

import (
	"errors"
	"os"
	"os/signal"
	"syscall"
)

// keepPipes turns writing to a closed pipe into an error. By default the signal
// would kill the process and leave its children running. Ignoring the signal would
// affect the children too; receiving it does not.
func keepPipes() { signal.Notify(make(chan os.Signal, 1), syscall.SIGPIPE) }

func isBrokenPipe(err error) bool { return errors.Is(err, syscall.EPIPE) }

func isDiskFull(err error) bool {
	return errors.Is(err, syscall.ENOSPC) || errors.Is(err, syscall.EDQUOT)
}
