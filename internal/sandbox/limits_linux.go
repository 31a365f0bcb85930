package sandbox

import (
	"os"

	"golang.org/x/sys/unix"
)

// limits bound each process of a command: what they are for no build comes near,
// and a command that runs away does. A lower limit of the user's own stays.
var limits = []struct {
	resource int
	most     uint64
	isolated bool // only where processes are counted for the command alone
}{
	{unix.RLIMIT_CORE, 0, false},
	{unix.RLIMIT_FSIZE, 64 << 30, false},
	{unix.RLIMIT_NPROC, 8192, true}, // processes and threads; root has no such limit
}

// firstToGo is how much sooner than others a command's processes are ended when the
// machine runs out of memory, in thousandths of that.
const firstToGo = "500"

// limit sets the limits of this process, a supervisor, for what it starts.
func limit(l Level) error {
	for _, at := range limits {
		if at.isolated && l != Isolated {
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

// goFirst offers this process, and what it starts, to the kernel when memory runs
// out. It comes before the process is closed to others of the user, and so to itself.
func goFirst() {
	_ = os.WriteFile("/proc/self/oom_score_adj", []byte(firstToGo), 0) // without it the machine chooses by size
}
