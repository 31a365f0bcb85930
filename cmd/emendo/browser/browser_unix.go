//go:build unix

package browser

import (
	"os/exec"
	"syscall"
)

// apart keeps a program out of emendo's process group, whose end with Ctrl-C would be
// its end.
func apart(c *exec.Cmd) { c.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} }
