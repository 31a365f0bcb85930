package git

import (
	"os/exec"
	"runtime"
	"syscall"
)

// bind makes git end with this process, however this process ends. The kernel
// ties git to the thread that started it, which therefore stays locked until
// done is called.
func bind(cmd *exec.Cmd) (done func()) {
	runtime.LockOSThread()
	cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
	return runtime.UnlockOSThread
}
