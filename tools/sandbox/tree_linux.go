package sandbox

import (
	"bytes"
	"os"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"
)

// A tree is a command and everything that comes from it. It is found by its
// parents, by its session and group, and by the mark in its environment, which
// stays when a process starts a session of its own and its parent ends. What
// has shed all of that is found because the server adopts it.
type tree struct {
	pid  int
	mark []byte
	born map[int]uint64 // when the processes found last were started, by their ids
}

// A seen is one process as /proc shows it.
type seen struct {
	pid, parent, group, session int
	dead                        bool
	born                        uint64 // in ticks since the machine was started
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
	for i, n := range []*int{&s.parent, &s.group, &s.session} {
		*n, _ = strconv.Atoi(f[1+i]) // the kernel writes numbers
	}
	s.born, _ = strconv.ParseUint(f[19], 10, 64)
	return s, true
}

// since are the processes that are no older than one born then.
func since(born uint64) []seen {
	d, err := os.Open("/proc")
	if err != nil {
		return nil
	}
	defer d.Close()
	names, _ := d.Readdirnames(-1) // what was read counts
	var l []seen
	for _, name := range names {
		if pid, err := strconv.Atoi(name); err == nil && pid != os.Getpid() {
			if s, ok := look(pid); ok && s.born >= born {
				l = append(l, s)
			}
		}
	}
	return l
}

// living are the processes of the tree that run, the command first.
func (t *tree) living() []int {
	adopted.Lock()
	defer adopted.Unlock()
	all := since(adopted.first)
	member := map[int]bool{}
	for _, s := range all {
		member[s.pid] = s.pid == t.pid || s.session == t.pid || t.marked(s.pid) || adopted.stray(s, t.pid)
	}
	for grown := true; grown; {
		grown = false
		for _, s := range all {
			if !member[s.pid] && (member[s.parent] || member[s.group] || member[s.session]) {
				member[s.pid], grown = true, true
			}
		}
	}
	var l []int
	t.born = map[int]uint64{}
	for _, s := range all {
		if s.dead {
			adopted.reap(s.pid)
		} else if member[s.pid] {
			l = append(l, s.pid)
			t.born[s.pid] = s.born
		}
	}
	slices.SortFunc(l, func(a, b int) int { return t.rank(a) - t.rank(b) })
	return l
}

func (t *tree) rank(pid int) int {
	if pid == t.pid {
		return 0
	}
	return pid
}

// marked says whether a process has the tree's mark; one of another user does
// not say.
func (t *tree) marked(pid int) bool {
	b, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/environ")
	return err == nil && slices.ContainsFunc(bytes.Split(b, []byte{0}), func(v []byte) bool { return bytes.Equal(v, t.mark) })
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
		if now, ok := look(pid); ok && now.born == t.born[pid] {
			unix.PidfdSendSignal(fd, s, nil, 0) // what cannot be signalled is told as left
		}
		unix.Close(fd)
	}
}
