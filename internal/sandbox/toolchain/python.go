package toolchain

import (
	"path/filepath"
	"strings"

	"github.com/emendo-dev/emendo/internal/paths"
)

// PythonSafe is the variable with which Python does not search the folder in which it
// starts, or that of its script, for modules.
const PythonSafe = "PYTHONSAFEPATH"

// SafePython reports whether [PythonSafe] should be set for a program that is started in a
// folder. It should not for a script, whose modules are beside it, nor for a module
// of the folder.
func SafePython(argv []string, dir string) bool {
	for i, w := range argv {
		switch {
		case i > 0 && strings.HasPrefix(filepath.Base(argv[i-1]), "python") && strings.HasSuffix(w, ".py"),
			i > 0 && strings.HasSuffix(w, ".py") && paths.Exists(paths.Absolute(w, dir)):
			return false
		case i > 0 && argv[i-1] == "-m":
			module := filepath.Join(dir, strings.ReplaceAll(w, ".", "/"))
			return !paths.Exists(module) && !paths.Exists(module+".py")
		}
	}
	return true
}
