//go:build unix

package confinement

import (
	"errors"
	"syscall"
)

// isRunning reports whether there is a process with that ID.
func isRunning(pid int) bool {
	err := syscall.Kill(pid, 0)
	return err == nil || errors.Is(err, syscall.EPERM)
}
