package sandbox

import (
	"os"
	"os/exec"
	"sync"

	"golang.org/x/sys/unix"
)

// adopted knows which commands run, so that the others among the server's
// children are known for orphans of theirs. The kernel adopts per process,
// hence one for all. It counts on this: whatever else the server starts stays
// in the server's session, or is started by a [Spawner].
var adopted orphanage

type orphanage struct {
	sync.Mutex // held while a command is started and while processes are looked at
	subreaper  bool
	running    map[int]bool // commands that are not over, by process id
	first      uint64       // when the first of them was started; nothing of theirs is older
}

// plant starts a command. From then on its orphans become the server's
// children, and not those of the machine's first process.
func plant(cmd *exec.Cmd, mark string) (*tree, error) {
	adopted.Lock()
	defer adopted.Unlock()
	if !adopted.subreaper {
		adopted.subreaper = unix.Prctl(unix.PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0) == nil // without it, the mark finds nearly all
		adopted.running = map[int]bool{}
	}
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	pid := cmd.Process.Pid
	if len(adopted.running) == 0 {
		self, _ := look(pid) // a zombie at the least: it is not waited for yet
		adopted.first = self.born
	}
	adopted.running[pid] = true
	return &tree{pid: pid, mark: []byte(mark)}, nil
}

// close is called when nothing of the tree runs any more.
func (t *tree) close() {
	adopted.Lock()
	defer adopted.Unlock()
	delete(adopted.running, t.pid)
}

// stray says whether a process is an orphan of the command with that process
// id and bears no sign of it. While several commands run nobody knows whose it
// is, and it is left to the last of them.
func (o *orphanage) stray(s seen, pid int) bool {
	return len(o.running) == 1 && o.running[pid] && o.orphan(s)
}

func (o *orphanage) orphan(s seen) bool {
	own, err := unix.Getsid(0)
	return err == nil && s.parent == os.Getpid() && s.session != own && !o.running[s.pid]
}

// reap takes a dead orphan away. It is looked at again, since its parent may
// have died after it.
func (o *orphanage) reap(pid int) {
	if s, ok := look(pid); ok && s.dead && o.orphan(s) {
		unix.Wait4(pid, nil, unix.WNOHANG, nil) // there is nothing to do when it is gone
	}
}
