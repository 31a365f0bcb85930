//go:build !linux

package git

import "os/exec"

// bind does nothing: here no process can be bound to this one. What it asks ends by
// itself, or after its time is up.
func bind(*exec.Cmd) (done func()) { return func() {} }
