package git

import (
	"os/exec"
	"runtime"
	"syscall"
)

// bind has git end with this process, however that ends. The kernel goes by the
// thread that started it, which therefore stays until done is called.
func bind(cmd *exec.Cmd) (done func()) {
	runtime.LockOSThread()
	cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
	return runtime.UnlockOSThread
}
