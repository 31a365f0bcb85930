package toolchain

import (
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
)

// interpreter is the first program of [interpreters] that a folder holds, or
// empty.
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

// Shell is how the operating system's shell is told to run a command line and
// nothing else, such as the user's start files. program is that shell, absolute;
// empty, it is looked for in the search path of environ, and the error says
// that there is none.
func Shell(program, line string, environ []string) ([]string, error) {
	if program == "" {
		if program = interpreter(SearchPath(environ)); program == "" {
			return nil, fmt.Errorf("there is no %s in the search path", strings.Join(interpreters, " or "))
		}
	}
	return argv(program, line), nil
}
