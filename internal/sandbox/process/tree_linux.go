package process

import (
	"bytes"
	"os"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"
)

// A tree is a command and everything that comes from it: all descendants of
// this process, which adopts what loses its parent.
type tree struct {
	command int
	born    map[int]uint64 // when the processes found last were started, by their ids
}

func newTree(command int) *tree { return &tree{command: command} }

// A seen is one process as /proc shows it.
type seen struct {
	pid, parent int
	dead        bool
	born        uint64 // in ticks since the machine was started
}

// look reads the state of a process; there is none when it is gone.
func look(pid int) (seen, bool) {
	b, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/stat")
	if err != nil {
		return seen{}, false
	}
	f := strings.Fields(string(b[bytes.LastIndexByte(b, ')')+1:])) // a name may hold anything
	if len(f) < 20 {
		return seen{}, false
	}
	s := seen{pid: pid, dead: strings.Contains("ZX", f[0])}
	s.parent, _ = strconv.Atoi(f[1]) // the kernel writes numbers
	s.born, _ = strconv.ParseUint(f[19], 10, 64)
	return s, true
}

// everyProcess is all that /proc shows.
func everyProcess() []seen {
	d, err := os.Open("/proc")
	if err != nil {
		return nil
	}
	defer d.Close()
	names, _ := d.Readdirnames(-1) // what was read counts
	var l []seen
	for _, name := range names {
		if pid, err := strconv.Atoi(name); err == nil {
			if s, ok := look(pid); ok {
				l = append(l, s)
			}
		}
	}
	return l
}

// living are the processes of the tree that run, the command first.
func (t *tree) living() []int {
	all := everyProcess()
	children := map[int][]seen{}
	for _, s := range all {
		children[s.parent] = append(children[s.parent], s)
	}
	var l []int
	t.born = map[int]uint64{}
	next := []int{os.Getpid()}
	for len(next) > 0 {
		parent := next[0]
		next = next[1:]
		for _, s := range children[parent] {
			next = append(next, s.pid) // a dead one may have living threads, and those children
			if !s.dead {
				l = append(l, s.pid)
				t.born[s.pid] = s.born
			}
		}
	}
	if len(all) == 0 && unix.Kill(t.command, 0) == nil { // there is no /proc
		l = []int{t.command}
	}
	slices.SortFunc(l, func(a, b int) int { return t.rank(a) - t.rank(b) })
	return l
}

func (t *tree) rank(pid int) int {
	if pid == t.command {
		return 0
	}
	return pid
}

// signal asks the processes to end, or forces them. Each is held while it is
// looked at once more, so that the signal reaches no other that was given the
// same number since.
func (t *tree) signal(pids []int, force bool) {
	s := unix.SIGTERM
	if force {
		s = unix.SIGKILL
	}
	for _, pid := range pids {
		fd, err := unix.PidfdOpen(pid, 0)
		if err != nil { // gone, or a kernel without such handles
			if err == unix.ENOSYS {
				unix.Kill(pid, s)
			}
			continue
		}
		if now, ok := look(pid); !ok || now.born == t.born[pid] {
			unix.PidfdSendSignal(fd, s, nil, 0) // what cannot be signalled is told as left
		}
		unix.Close(fd)
	}
}
