//go:build unix

package toolchain

import (
	"path/filepath"
	"strings"
)

// interpreters are the shells that may run commands, best first; usualPath is the search
// path if the environment has none.
var (
	interpreters = []string{"bash", "sh"}
	usualPath    = []string{"/usr/local/bin", "/usr/bin", "/bin", "/usr/sbin", "/sbin"}
)

// shellArguments returns the arguments by which a shell runs a command and nothing else, such as
// start files.
func shellArguments(shell, command string) []string {
	if strings.HasPrefix(filepath.Base(shell), "bash") {
		return []string{shell, "--noprofile", "--norc", "-c", "--", command}
	}
	return []string{shell, "-c", "--", command} // the command may begin with a dash
}
