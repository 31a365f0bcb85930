//go:build unix && !linux

package sandbox

import "github.com/emendo-dev/emendo/internal/sandbox/process"

// confiner is nil: programs of the system confine commands here.
var confiner process.Confiner
