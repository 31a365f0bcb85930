package main

import (
	"fmt"
	"os"
	"strings"
	"testing"
)

// The server keeps little of what a program writes faster than the editor reads.
func TestAFloodInATerminal(t *testing.T) {
	if testing.Short() {
		t.Skip("it writes 100 MB")
	}
	const all, most = 100_000_000, 20 << 10
	v := edit(t, newWorld(t))
	v.waitForShown(v.terminal(object{"command": "true"}), "")
	before := peakMemory(t, v.pid)
	id := v.terminal(object{"command": fmt.Sprintf("head -c %d /dev/zero | tr '\\0' x", all)})
	text := v.waitForShown(id, "")
	if strings.Trim(text, "x") != "" || len(text) != all {
		t.Errorf("%d bytes came", len(text))
	}
	if after := peakMemory(t, v.pid); after-before > most {
		t.Errorf("it took %d KiB more, want at most %d", after-before, most)
	}
}

// peakMemory returns the most memory that a process has had, in KiB.
func peakMemory(t *testing.T, pid int) int {
	t.Helper()
	b, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	if err != nil {
		t.Fatal(err)
	}
	var kib int
	_, rest, _ := strings.Cut(string(b), "VmHWM:")
	if _, err := fmt.Sscan(rest, &kib); err != nil {
		t.Fatal(err)
	}
	return kib
}
