//go:build !linux

package bench

import (
	"os/exec"
	"strconv"
	"strings"
	"testing"
)

// memory returns the memory of a process in MiB by ps, or 0 without ps.
func memory(_ testing.TB, pid int) float64 {
	out, err := exec.Command("ps", "-o", "rss=", "-p", strconv.Itoa(pid)).Output()
	if err != nil {
		return 0
	}
	kib, _ := strconv.ParseFloat(strings.TrimSpace(string(out)), 64)
	return kib / 1024
}

// descriptors returns 0: the number is not available here.
func descriptors(testing.TB, int) int { return 0 }
