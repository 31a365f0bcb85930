package sandbox

import (
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"syscall"

	"golang.org/x/sys/windows"
)

// interpreters are what may run commands, best first; usualPath is where
// programs are when the search path does not say.
var (
	interpreters = []string{"pwsh.exe", "powershell.exe"}
	usualPath    = []string{`C:\Windows\System32\WindowsPowerShell\v1.0`, `C:\Windows\System32`, `C:\Windows`}
)

// argv is how the interpreter is told to run a command and nothing else, such
// as the user's profile.
func argv(shell, command string) []string {
	return []string{shell, "-NoLogo", "-NoProfile", "-NonInteractive", "-Command", command}
}

func ownSession() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{CreationFlags: syscall.CREATE_NEW_PROCESS_GROUP, HideWindow: true}
}

func exit(s *os.ProcessState) Exit { return Exit{Code: s.ExitCode()} }

// A tree is a command and what it has started. Windows knows who started whom
// only while the starter lives, so a command that has ended is not followed.
type tree struct{ pid int }

// plant starts a command.
func plant(cmd *exec.Cmd, _ string) (*tree, error) {
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	return &tree{cmd.Process.Pid}, nil
}

func (t *tree) living() []int {
	p, err := os.FindProcess(t.pid) // fails when there is none
	if err != nil {
		return nil
	}
	p.Release()
	return []int{t.pid}
}

// signal ends the whole tree: there is no asking.
func (t *tree) signal(pids []int, _ bool) {
	folder, err := windows.GetSystemDirectory()
	if err != nil {
		return // what still runs is told
	}
	taskkill := filepath.Join(folder, "taskkill.exe")
	for _, pid := range pids {
		exec.Command(taskkill, "/T", "/F", "/PID", strconv.Itoa(pid)).Run() // it may be gone already
	}
}

func (t *tree) close() {}
