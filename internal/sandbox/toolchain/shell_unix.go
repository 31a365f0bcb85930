//go:build unix

package toolchain

import (
	"path/filepath"
	"strings"
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
		return []string{shell, "--noprofile", "--norc", "-c", "--", command}
	}
	return []string{shell, "-c", "--", command} // else one that begins with a dash would be options
}
