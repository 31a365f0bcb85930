//go:build linux

package linux

import (
	"golang.org/x/sys/unix"

	"github.com/emendo-dev/emendo/internal/sandbox/profile"
)

// limits bounds each process of a command. No build comes near them, and a command that
// runs away does. A lower limit of the user's stays.
var limits = []struct {
	resource int
	most     uint64
	isolated bool // only if the count is of the command alone
}{
	{unix.RLIMIT_CORE, 0, false},
	{unix.RLIMIT_FSIZE, 64 << 30, false},
	{unix.RLIMIT_NPROC, 8192, true}, // processes and threads; root has no such limit
}

// limit sets the limits of this process, which its children inherit.
func limit(l profile.Level) error {
	for _, at := range limits {
		if at.isolated && l != profile.Isolated {
			continue
		}
		var now unix.Rlimit
		if err := unix.Getrlimit(at.resource, &now); err != nil {
			return err
		}
		most := min(at.most, now.Max)
		if err := unix.Setrlimit(at.resource, &unix.Rlimit{Cur: most, Max: most}); err != nil {
			return err
		}
	}
	return nil
}
