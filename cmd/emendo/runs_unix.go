//go:build unix

package main

import (
	"errors"
	"syscall"
)

// runs says whether there is a process with that id.
func runs(pid int) bool {
	err := syscall.Kill(pid, 0)
	return err == nil || errors.Is(err, syscall.EPERM)
}
