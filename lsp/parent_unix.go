//go:build unix

package lsp

import (
	"errors"
	"syscall"
)

// alive says whether a process exists; one of another user does too.
func alive(pid int) bool {
	err := syscall.Kill(pid, 0)
	return err == nil || errors.Is(err, syscall.EPERM)
}
