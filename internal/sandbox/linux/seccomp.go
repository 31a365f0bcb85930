//go:build linux

package linux

import (
	"errors"
	"fmt"
	"slices"
	"unsafe"

	"golang.org/x/sys/unix"

	"github.com/emendo-dev/emendo/internal/sandbox/profile"
)

// sockets selects the sockets that the filter lets a process create.
type sockets int

const (
	// noSockets allows none, and only those socket pairs that stay connected to each
	// other; one end of a datagram pair can send elsewhere by name.
	noSockets sockets = iota
	// ownSockets allows sockets by IP and by path, and netlink for addresses. They are
	// bounded by the view and by the network namespace, so this is only for namespaces.
	ownSockets
	// hostSockets allows sockets by IP and netlink for addresses, where a command may use
	// the machine's own network. Unix sockets stay closed: services behind them do more
	// than pass on what they are sent.
	hostSockets
)

// socketsOf returns the sockets that a profile allows. own says that the command has a
// network namespace.
func socketsOf(p *profile.Profile, own bool) sockets {
	switch {
	case p.Network.All:
		return hostSockets
	case own:
		return ownSockets
	}
	return noSockets
}

// Refused are system calls that reach into other processes, change what every process
// sees, or use parts of the kernel that no build needs. They fail with EPERM.
var Refused = []uintptr{
	unix.SYS_PTRACE, unix.SYS_PROCESS_VM_READV, unix.SYS_PROCESS_VM_WRITEV, unix.SYS_PIDFD_GETFD, unix.SYS_KCMP, unix.SYS_PROCESS_MADVISE,
	unix.SYS_KEYCTL, unix.SYS_ADD_KEY, unix.SYS_REQUEST_KEY,
	unix.SYS_BPF, unix.SYS_USERFAULTFD, unix.SYS_PERF_EVENT_OPEN, unix.SYS_FANOTIFY_INIT, unix.SYS_LOOKUP_DCOOKIE,
	unix.SYS_MOUNT, unix.SYS_UMOUNT2, unix.SYS_PIVOT_ROOT, unix.SYS_CHROOT, unix.SYS_MOVE_MOUNT, unix.SYS_OPEN_TREE, unix.SYS_OPEN_TREE_ATTR, unix.SYS_MOUNT_SETATTR,
	unix.SYS_FSOPEN, unix.SYS_FSCONFIG, unix.SYS_FSMOUNT, unix.SYS_FSPICK, unix.SYS_QUOTACTL, unix.SYS_QUOTACTL_FD,
	unix.SYS_UNSHARE, unix.SYS_SETNS, unix.SYS_NAME_TO_HANDLE_AT, unix.SYS_OPEN_BY_HANDLE_AT,
	unix.SYS_KEXEC_LOAD, unix.SYS_KEXEC_FILE_LOAD, unix.SYS_INIT_MODULE, unix.SYS_FINIT_MODULE, unix.SYS_DELETE_MODULE,
	unix.SYS_REBOOT, unix.SYS_SWAPON, unix.SYS_SWAPOFF, unix.SYS_ACCT, unix.SYS_SYSLOG, unix.SYS_NFSSERVCTL, unix.SYS_VHANGUP,
	unix.SYS_SETTIMEOFDAY, unix.SYS_CLOCK_SETTIME, unix.SYS_CLOCK_ADJTIME, unix.SYS_ADJTIMEX, unix.SYS_SETHOSTNAME, unix.SYS_SETDOMAINNAME,
}

// sharing are system calls for System V IPC and message queues, which the machine's
// processes share. At level A a command has its own.
var sharing = []uintptr{
	unix.SYS_SHMGET, unix.SYS_SHMAT, unix.SYS_SHMCTL, unix.SYS_MSGGET, unix.SYS_MSGSND, unix.SYS_MSGRCV, unix.SYS_MSGCTL,
	unix.SYS_SEMGET, unix.SYS_SEMOP, unix.SYS_SEMTIMEDOP, unix.SYS_SEMCTL, unix.SYS_MQ_OPEN, unix.SYS_MQ_UNLINK,
}

// Absent are system calls that fail with ENOSYS, for which programs have a fallback. The
// flags of clone3 and the modes of openat2 are in memory, which a filter cannot read.
var Absent = []uintptr{unix.SYS_CLONE3, unix.SYS_OPENAT2, unix.SYS_IO_URING_SETUP, unix.SYS_IO_URING_ENTER, unix.SYS_IO_URING_REGISTER}

// A modeCall is a system call that sets the mode of a file, with the indexes of its
// arguments: the mode, and the flags that say whether there is one, or -1.
type modeCall struct {
	number      uintptr
	mode, flags int
}

var modeCalls = []modeCall{
	{unix.SYS_FCHMOD, 1, -1},
	{unix.SYS_FCHMODAT, 2, -1},
	{unix.SYS_FCHMODAT2, 2, -1},
	{unix.SYS_MKNODAT, 2, -1},
	{unix.SYS_OPENAT, 3, 2},
}

// Set-user-ID files would outlive the sandbox, and pass the user's rights to whoever
// runs them.
const (
	setsID  = unix.S_ISUID | unix.S_ISGID
	creates = unix.O_CREAT | unix.O_TMPFILE&^unix.O_DIRECTORY
)

// refuse refuses modes with a set-user-ID or set-group-ID bit.
func (c modeCall) refuse(p *filterProgram) {
	bits := func(p *filterProgram) {
		p.load(atArgument(c.mode))
		p.unless(unix.BPF_JSET, setsID, func(p *filterProgram) { p.returnAction(denied) })
		p.returnAction(allow)
	}
	if c.flags < 0 {
		bits(p)
		return
	}
	p.load(atArgument(c.flags))
	p.unless(unix.BPF_JSET, creates, bits)
	p.returnAction(allow)
}

// namespaces are the flags of clone that create namespaces.
const namespaces = unix.CLONE_NEWNS | unix.CLONE_NEWCGROUP | unix.CLONE_NEWUTS | unix.CLONE_NEWIPC | unix.CLONE_NEWUSER | unix.CLONE_NEWPID | unix.CLONE_NEWNET

// Offsets in struct seccomp_data.
const (
	atNumber       = 0
	atArchitecture = 4
)

// atArgument returns the offset of the lower half of an argument. The kernel ignores
// the upper half of the arguments that are compared here. Both architectures are
// little-endian.
func atArgument(n int) uint32 { return uint32(16 + 8*n) }

const (
	allow   = unix.SECCOMP_RET_ALLOW
	kill    = unix.SECCOMP_RET_KILL_PROCESS
	denied  = unix.SECCOMP_RET_ERRNO | uint32(unix.EPERM)
	unknown = unix.SECCOMP_RET_ERRNO | uint32(unix.ENOSYS)
)

// A filterProgram is a system call filter in BPF.
type filterProgram []unix.SockFilter

func (p *filterProgram) load(at uint32) { p.add(unix.BPF_LD|unix.BPF_W|unix.BPF_ABS, 0, 0, at) }
func (p *filterProgram) returnAction(action uint32) {
	p.add(unix.BPF_RET|unix.BPF_K, 0, 0, action)
}

func (p *filterProgram) add(code uint16, yes, no uint8, k uint32) {
	*p = append(*p, unix.SockFilter{Code: code, Jt: yes, Jf: no, K: k})
}

// ifEqual runs then if the loaded value is k.
func (p *filterProgram) ifEqual(k uint32, then func(*filterProgram)) {
	p.unless(unix.BPF_JEQ, k, then)
}

// unless skips then if the comparison with k is false.
func (p *filterProgram) unless(comparison uint16, k uint32, then func(*filterProgram)) {
	var inner filterProgram
	then(&inner)
	p.add(unix.BPF_JMP|unix.BPF_K|comparison, 0, uint8(len(inner)), k)
	*p = append(*p, inner...)
}

// filterFor returns the filter of a level that allows the given sockets. System calls
// of another architecture, whose numbers mean something else, kill the process.
func filterFor(l profile.Level, s sockets) (filterProgram, error) {
	if architecture == 0 {
		return nil, errors.New("emendo has no system call filter for this processor")
	}
	always := func(action uint32) func(*filterProgram) {
		return func(p *filterProgram) { p.returnAction(action) }
	}
	var p filterProgram
	p.load(atArchitecture)
	p.ifEqual(architecture, func(p *filterProgram) {
		p.load(atNumber)
		if ForeignCalls != 0 {
			p.unless(unix.BPF_JGE, ForeignCalls, always(kill))
		}
		for _, n := range slices.Concat(Refused, RefusedHere) {
			p.ifEqual(uint32(n), always(denied))
		}
		for _, n := range Absent {
			p.ifEqual(uint32(n), always(unknown))
		}
		if l == profile.Restricted {
			for _, n := range sharing {
				p.ifEqual(uint32(n), always(denied))
			}
			p.ifEqual(unix.SYS_PRLIMIT64, func(p *filterProgram) { // a CPU limit would kill another process
				p.load(atArgument(0))
				p.ifEqual(0, always(allow))
				p.returnAction(denied)
			})
		}
		p.ifEqual(unix.SYS_CLONE, func(p *filterProgram) {
			p.load(atArgument(0))
			p.unless(unix.BPF_JSET, namespaces, always(denied))
			p.returnAction(allow)
		})
		for _, c := range slices.Concat(modeCalls, modeCallsHere) {
			p.ifEqual(uint32(c.number), c.refuse)
		}
		p.ifEqual(unix.SYS_IOCTL, func(p *filterProgram) { // fake input to a terminal
			p.load(atArgument(1))
			p.ifEqual(unix.TIOCSTI, always(denied))
			p.ifEqual(tiocLinux, always(denied))
			p.returnAction(allow)
		})
		p.ifEqual(unix.SYS_SOCKET, func(p *filterProgram) { s.decideSocket(p) })
		p.ifEqual(unix.SYS_SOCKETPAIR, func(p *filterProgram) { s.decideSocketPair(p) })
		p.returnAction(allow)
	})
	p.returnAction(kill)
	return p, nil
}

const tiocLinux = 0x541c // TIOCLINUX, which x/sys lacks

// decideSocket appends the decision on socket(family, type, protocol).
func (s sockets) decideSocket(p *filterProgram) {
	if s == noSockets {
		p.returnAction(denied)
		return
	}
	p.load(atArgument(0))
	families := []uint32{unix.AF_INET, unix.AF_INET6}
	if s == ownSockets {
		families = append(families, unix.AF_UNIX)
	}
	for _, family := range families {
		p.ifEqual(family, func(p *filterProgram) { p.returnAction(allow) })
	}
	p.ifEqual(unix.AF_NETLINK, func(p *filterProgram) {
		p.load(atArgument(2))
		p.ifEqual(unix.NETLINK_ROUTE, func(p *filterProgram) { p.returnAction(allow) })
		p.returnAction(denied)
	})
	p.returnAction(denied)
}

// decideSocketPair appends the decision on socketpair(family, type, protocol, pair).
func (s sockets) decideSocketPair(p *filterProgram) {
	p.load(atArgument(0))
	p.ifEqual(unix.AF_UNIX, func(p *filterProgram) {
		if s == ownSockets {
			p.returnAction(allow)
			return
		}
		p.load(atArgument(1))
		p.add(unix.BPF_ALU|unix.BPF_AND|unix.BPF_K, 0, 0, 0xf) // the type without its flags
		p.ifEqual(unix.SOCK_STREAM, func(p *filterProgram) { p.returnAction(allow) })
		p.ifEqual(unix.SOCK_SEQPACKET, func(p *filterProgram) { p.returnAction(allow) })
		p.returnAction(denied)
	})
	p.returnAction(denied)
}

// install applies the filter to the calling thread and to what it starts, for good. It
// also sets no_new_privs.
func (p filterProgram) install() error {
	if err := unix.Prctl(unix.PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0); err != nil {
		return fmt.Errorf("giving up new rights: %w", err)
	}
	program := unix.SockFprog{Len: uint16(len(p)), Filter: unsafe.SliceData(p)}
	if _, _, errno := unix.Syscall(unix.SYS_SECCOMP, unix.SECCOMP_SET_MODE_FILTER, 0, uintptr(unsafe.Pointer(&program))); errno != 0 {
		return fmt.Errorf("filtering system calls: %w", errno)
	}
	return nil
}
