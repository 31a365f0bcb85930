package toolchain

import (
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
)

// interpreter returns the first of [interpreters] that exists in the folders, or "".
func interpreter(folders []string) string {
	for _, name := range interpreters {
		for _, f := range append(folders, usualPath...) {
			p := filepath.Join(f, name)
			if info, err := os.Stat(p); err == nil && info.Mode().IsRegular() && (runtime.GOOS == "windows" || info.Mode()&0o111 != 0) {
				return p
			}
		}
	}
	return ""
}

// Shell returns the arguments by which a shell runs a command line and nothing else,
// such as start files. program is the shell, absolute; if it is empty, a shell is
// looked up in the search path of environ.
func Shell(program, line string, environ []string) ([]string, error) {
	if program == "" {
		if program = interpreter(SearchPath(environ)); program == "" {
			return nil, fmt.Errorf("there is no %s in the search path", strings.Join(interpreters, " or "))
		}
	}
	return shellArguments(program, line), nil
}
