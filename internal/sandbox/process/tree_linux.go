package process

import (
	"bytes"
	"os"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"
)

// A tree is a command and everything that comes from it: all descendants of this
// process, which adopts orphans.
type tree struct {
	command int
	born    map[int]uint64 // start times of the processes found last, by ID
}

func newTree(command int) *tree { return &tree{command: command} }

// A procStat is the state of one process, from /proc.
type procStat struct {
	pid, parent int
	dead        bool
	born        uint64 // in ticks since boot
}

// readStat returns the state of a process, and false if it is gone.
func readStat(pid int) (procStat, bool) {
	b, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/stat")
	if err != nil {
		return procStat{}, false
	}
	f := strings.Fields(string(b[bytes.LastIndexByte(b, ')')+1:])) // a name may contain anything
	if len(f) < 20 {
		return procStat{}, false
	}
	s := procStat{pid: pid, dead: strings.Contains("ZX", f[0])}
	s.parent, _ = strconv.Atoi(f[1]) // the kernel writes numbers
	s.born, _ = strconv.ParseUint(f[19], 10, 64)
	return s, true
}

// everyProcess returns the processes that /proc lists.
func everyProcess() []procStat {
	d, err := os.Open("/proc")
	if err != nil {
		return nil
	}
	defer d.Close()
	names, _ := d.Readdirnames(-1) // use what could be read
	var l []procStat
	for _, name := range names {
		if pid, err := strconv.Atoi(name); err == nil {
			if s, ok := readStat(pid); ok {
				l = append(l, s)
			}
		}
	}
	return l
}

// living returns the processes of the tree that run, the command first.
func (t *tree) living() []int {
	all := everyProcess()
	children := map[int][]procStat{}
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
			next = append(next, s.pid) // a zombie may have living threads with children
			if !s.dead {
				l = append(l, s.pid)
				t.born[s.pid] = s.born
			}
		}
	}
	if len(all) == 0 && unix.Kill(t.command, 0) == nil { // there is no /proc
		l = []int{t.command}
	}
	slices.SortFunc(l, func(a, b int) int { return t.orderOf(a) - t.orderOf(b) })
	return l
}

func (t *tree) orderOf(pid int) int {
	if pid == t.command {
		return 0
	}
	return pid
}

// signal sends the processes a signal. It checks the start time of each
// through a pidfd, so that it does not signal another process that has got the same ID.
func (t *tree) signal(pids []int, s unix.Signal) {
	for _, pid := range pids {
		fd, err := unix.PidfdOpen(pid, 0)
		if err != nil { // gone, or a kernel without pidfds
			if err == unix.ENOSYS {
				unix.Kill(pid, s)
			}
			continue
		}
		if now, ok := readStat(pid); !ok || now.born == t.born[pid] {
			unix.PidfdSendSignal(fd, s, nil, 0) // what cannot be signalled is left
		}
		unix.Close(fd)
	}
}
