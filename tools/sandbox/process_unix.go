//go:build unix

package sandbox

import (
	"os"
	"path/filepath"
	"strings"
	"syscall"
)

// interpreters are what may run commands, best first; usualPath is where
// programs are when the search path does not say.
var (
	interpreters = []string{"bash", "sh"}
	usualPath    = []string{"/usr/local/bin", "/usr/bin", "/bin", "/usr/sbin", "/sbin"}
)

// argv is how the interpreter is told to run a command and nothing else, such
// as the user's start files.
func argv(shell, command string) []string {
	if strings.HasPrefix(filepath.Base(shell), "bash") {
		return []string{shell, "--noprofile", "--norc", "-c", command}
	}
	return []string{shell, "-c", command}
}

// ownSession puts the command into a session and a process group of its own.
// It then has no terminal either, so no password can be asked for there.
func ownSession() *syscall.SysProcAttr { return &syscall.SysProcAttr{Setsid: true} }

func exit(s *os.ProcessState) Exit {
	if s == nil {
		return Exit{Code: -1} // it was waited for elsewhere
	}
	if w, ok := s.Sys().(syscall.WaitStatus); ok && w.Signaled() {
		return Exit{Code: -1, Signal: w.Signal().String()}
	}
	return Exit{Code: s.ExitCode()}
}
