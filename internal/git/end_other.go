//go:build !linux

package git

import "os/exec"

// bind does nothing: this system cannot tie a process to another. Git ends by
// itself or when its time is up.
func bind(*exec.Cmd) (done func()) { return func() {} }
