//go:build unix && !linux

package process

import (
	"os/exec"
	"slices"
	"strconv"
	"strings"
	"syscall"
)

// A tree is a command and what it has started: its process group, and the descendants
// that ps lists. A process that leaves the group and loses its parent before ps lists
// it is not found.
type tree struct {
	pid  int
	seen []int // found earlier; their parents may be gone
}

func newTree(command int) *tree { return &tree{pid: command, seen: []int{command}} }

func (t *tree) living() []int {
	out, err := exec.Command("/bin/ps", "-axo", "pid=,ppid=,pgid=,stat=").Output()
	if err != nil {
		return nil
	}
	type process struct{ pid, parent, group int }
	var all []process
	for row := range strings.Lines(string(out)) {
		f := strings.Fields(row)
		if len(f) < 4 || strings.HasPrefix(f[3], "Z") {
			continue
		}
		var p process
		for i, n := range []*int{&p.pid, &p.parent, &p.group} {
			*n, _ = strconv.Atoi(f[i]) // ps writes numbers
		}
		all = append(all, p)
	}
	for grown := true; grown; {
		grown = false
		for _, p := range all {
			if !slices.Contains(t.seen, p.pid) && (p.group == t.pid || slices.Contains(t.seen, p.parent)) {
				t.seen, grown = append(t.seen, p.pid), true
			}
		}
	}
	var l []int
	for _, p := range all {
		if slices.Contains(t.seen, p.pid) {
			l = append(l, p.pid)
		}
	}
	t.seen = append(slices.Clone(l), t.pid)
	return l
}

func (t *tree) signal(pids []int, s syscall.Signal) {
	syscall.Kill(-t.pid, s) // fails if the group is gone
	for _, pid := range pids {
		syscall.Kill(pid, s)
	}
}
