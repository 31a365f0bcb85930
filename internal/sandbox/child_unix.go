//go:build unix

package sandbox

import (
	"os"

	"github.com/emendo-dev/emendo/internal/sandbox/process"
)

// Each command has a supervisor between itself and the server: the same program,
// started again. A supervisor begins here, before main and before everything else
// that the program initializes, which would take three times as long as all that a
// supervisor does. So it is in every program that imports this package, tests
// included, and this package imports little.
func init() { process.Supervise(os.Args, confiner) }
