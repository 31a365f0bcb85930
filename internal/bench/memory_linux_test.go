package bench

import (
	"fmt"
	"os"
	"strings"
	"testing"
)

// memory returns the memory of a process in MiB; shared memory counts in part.
func memory(tb testing.TB, pid int) float64 {
	tb.Helper()
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/smaps_rollup", pid))
	if err != nil {
		tb.Fatal(err)
	}
	for line := range strings.Lines(string(text)) {
		var kib float64
		if n, _ := fmt.Sscanf(line, "Pss: %f kB", &kib); n == 1 {
			return kib / 1024
		}
	}
	tb.Fatalf("the kernel reports no Pss of process %d", pid)
	return 0
}

// descriptors returns the number of open files and sockets of a process.
func descriptors(tb testing.TB, pid int) int {
	tb.Helper()
	l, err := os.ReadDir(fmt.Sprintf("/proc/%d/fd", pid))
	if err != nil {
		tb.Fatal(err)
	}
	return len(l)
}
