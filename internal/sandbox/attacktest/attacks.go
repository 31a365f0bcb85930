//go:build linux

package attacktest

import (
	"errors"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"unsafe"

	"golang.org/x/sys/unix"

	"github.com/emendo-dev/emendo/internal/sandbox/linux"
)

// attack tries everything that a sandbox must prevent, one attack after the
// other. For each it prints "done", or why it failed. on lists the targets.
func attack(names, on []string) {
	for _, name := range names {
		try := attacks[name]
		switch name {
		case ForeignCall:
			try = func([]string) error { return call(linux.ForeignCalls | unix.SYS_GETPID) }
		case SwapLinks:
			try = swap
		case Serve:
			try = serve
		}
		result := "done"
		if err := try(on); err != nil {
			result = "refused: " + err.Error()
		}
		fmt.Printf("%s: %s\n", name, result) //nolint:forbidigo // the test reads it
	}
	os.Exit(0)
}

// These do not return, so they are not among attacks.
const (
	ForeignCall = "make a foreign call"
	SwapLinks   = "swap a folder for a link"
	Serve       = "serve a word on loopback"
)

var attacks = map[string]func(on []string) error{
	// Files: on the workspace, on the bystander, on the secret.
	"write a file outside": func(on []string) error { return os.WriteFile(on[1], []byte("changed\n"), 0o600) },
	"append to a file outside": func(on []string) error {
		f, err := os.OpenFile(on[1], os.O_APPEND|os.O_WRONLY, 0)
		if err == nil {
			_, err = f.WriteString("changed\n")
		}
		return err
	},
	"cut a file outside":    func(on []string) error { return unix.Truncate(on[1], 1) },
	"make a file outside":   func(on []string) error { return os.WriteFile(on[1]+".new", nil, 0o600) },
	"make a folder outside": func(on []string) error { return os.Mkdir(on[1]+".d", 0o700) },
	"make a link outside":   func(on []string) error { return os.Symlink("x", on[1]+".l") },
	"make a pipe outside":   func(on []string) error { return unix.Mkfifo(on[1]+".p", 0o600) },
	"make a device inside":  func(on []string) error { return unix.Mknod(on[0]+"/sub/device", unix.S_IFBLK|0o600, 8<<8) },
	"remove a file outside": func(on []string) error { return os.Remove(on[1]) },
	"move a file out":       func(on []string) error { return os.Rename(on[0]+"/sub/code.go", on[1]) },
	"move a file in":        func(on []string) error { return os.Rename(on[1], on[0]+"/sub/moved") },
	"exchange files": func(on []string) error {
		return unix.Renameat2(unix.AT_FDCWD, on[1], unix.AT_FDCWD, on[0]+"/sub/code.go", unix.RENAME_EXCHANGE)
	},
	"make a file set its user": func(on []string) error {
		return anyMode(on[0]+"/sub/set", unix.S_ISUID|0o755)
	},
	"make a file set its group": func(on []string) error {
		return anyMode(on[0]+"/sub/group", unix.S_ISGID|0o755)
	},
	"read a secret outside":        func(on []string) error { return readable(on[2]) },
	"read a secret of the project": func(on []string) error { return readable(on[0] + "/.env") },
	"read a secret by a hard link": func(on []string) error {
		if err := os.Link(on[2], on[0]+"/sub/hard"); err != nil {
			return err
		}
		return readable(on[0] + "/sub/hard")
	},
	"read the project's by a hard link": func(on []string) error {
		if err := os.Link(on[0]+"/.env", on[0]+"/sub/env"); err != nil {
			return err
		}
		return readable(on[0] + "/sub/env")
	},
	"read a secret by a link": func(on []string) error {
		if err := os.Symlink(on[2], on[0]+"/sub/soft"); err != nil {
			return err
		}
		return readable(on[0] + "/sub/soft")
	},
	"write outside by a link": func(on []string) error {
		if err := os.Symlink(filepath.Dir(on[1]), on[0]+"/sub/way"); err != nil {
			return err
		}
		return os.WriteFile(on[0]+"/sub/way/bystander", nil, 0o600)
	},
	"read a secret by way of up":   func(on []string) error { return readable(on[0] + "/sub/../../outside/secret") },
	"list a folder outside":        func(on []string) error { _, err := os.ReadDir(filepath.Dir(on[1])); return err },
	"read a secret by a handle":    func(on []string) error { return byHandle(on[2]) },
	"change the project's git":     func(on []string) error { return os.WriteFile(on[0]+"/.git/config", nil, 0o600) },
	"make a hook of git":           func(on []string) error { return os.WriteFile(on[0]+"/.git/hooks/post-commit", nil, 0o700) },
	"move the project's git":       func(on []string) error { return os.Rename(on[0]+"/.git", on[0]+"/sub/git") },
	"remove a hook of git":         func(on []string) error { return os.Remove(on[0] + "/.git/hooks/sample") },
	"move the project":             func(on []string) error { return os.Rename(on[0], on[0]+".old") },
	"read another's memory":        func(on []string) error { return readable("/proc/" + on[3] + "/mem") },
	"read another's environment":   func(on []string) error { return readable("/proc/" + on[3] + "/environ") },
	"go by another's root":         func(on []string) error { return readable("/proc/" + on[3] + "/root" + on[2]) },
	"go by another's folder":       func(on []string) error { return readable("/proc/" + on[3] + "/cwd/../etc/hostname") },
	"write what all processes see": func(on []string) error { return os.WriteFile("/proc/sys/kernel/hostname", []byte("x"), 0) },
	"write another's score":        func(on []string) error { return os.WriteFile("/proc/"+on[3]+"/oom_score_adj", []byte("1000"), 0) },

	// Networks: on addresses outside.
	"connect by TCP": func(on []string) error { return connect(unix.AF_INET, unix.SOCK_STREAM, 0, tcp(on[4])) },
	"connect by Multipath TCP": func(on []string) error {
		return connect(unix.AF_INET, unix.SOCK_STREAM, unix.IPPROTO_MPTCP, tcp(on[4]))
	},
	"send by UDP": func(on []string) error { return send(unix.AF_INET, unix.SOCK_DGRAM, tcp(on[5])) },
	"connect to a socket file": func(on []string) error {
		return connect(unix.AF_UNIX, unix.SOCK_STREAM, 0, &unix.SockaddrUnix{Name: on[6]})
	},
	"connect without a file": func(on []string) error {
		return connect(unix.AF_UNIX, unix.SOCK_STREAM, 0, &unix.SockaddrUnix{Name: on[7]})
	},
	"send to a socket file":       func(on []string) error { return send(unix.AF_UNIX, unix.SOCK_DGRAM, &unix.SockaddrUnix{Name: on[8]}) },
	"send by one end of a pair":   func(on []string) error { return sendByPair(&unix.SockaddrUnix{Name: on[8]}) },
	"watch packets":               func([]string) error { return open(unix.AF_PACKET, unix.SOCK_RAW, 0) },
	"ask the kernel's net filter": func([]string) error { return open(unix.AF_NETLINK, unix.SOCK_RAW, unix.NETLINK_NETFILTER) },
	"talk to the hypervisor":      func([]string) error { return open(unix.AF_VSOCK, unix.SOCK_STREAM, 0) },

	// Processes: on the server.
	"signal the server": func(on []string) error { return unix.Kill(number(on[3]), 0) },
	"signal the server by name": func(on []string) error {
		fd, err := unix.PidfdOpen(number(on[3]), 0)
		return then(err, func() error { return unix.PidfdSendSignal(fd, 0, nil, 0) })
	},
	"signal its supervisor": func([]string) error { return signalSupervisor() },
	"trace the server":      func(on []string) error { return unix.PtraceAttach(number(on[3])) },
	"trace itself":          func([]string) error { return call(unix.SYS_PTRACE, 0) },
	"read the server":       func(on []string) error { return call(unix.SYS_PROCESS_VM_READV, uintptr(number(on[3]))) },
	"take a file of the server": func(on []string) error {
		fd, err := unix.PidfdOpen(number(on[3]), 0)
		return then(err, func() error { _, err := unix.PidfdGetfd(fd, 1, 0); return err })
	},

	"limit the server": func(on []string) error {
		var l unix.Rlimit
		return unix.Prlimit(number(on[3]), unix.RLIMIT_CPU, nil, &l)
	},
	"read shared memory": func(on []string) error {
		_, err := unix.SysvShmAttach(number(on[9]), 0, unix.SHM_RDONLY)
		return err
	},
	"open a queue of messages": func(on []string) error { return openQueue(on[10], unix.O_RDWR) },

	// The kernel.
	"make a user namespace":           func([]string) error { return unix.Unshare(unix.CLONE_NEWUSER) },
	"make a namespace by a new child": func([]string) error { return call(unix.SYS_CLONE, unix.CLONE_NEWUSER|uintptr(unix.SIGCHLD)) },
	"make a namespace by clone3":      func([]string) error { return call(unix.SYS_CLONE3, 0) },
	"mount":                           func(on []string) error { return unix.Mount("none", on[0]+"/sub", "tmpfs", 0, "") },
	"unmount":                         func([]string) error { return unix.Unmount("/proc", unix.MNT_DETACH) },
	"change its root":                 func(on []string) error { return unix.Chroot(on[0]) },
	"use io_uring":                    func([]string) error { return call(unix.SYS_IO_URING_SETUP, 1) },
	"use the key ring":                func([]string) error { return call(unix.SYS_KEYCTL, 0, ^uintptr(2)) },
	"load a program":                  func([]string) error { return call(unix.SYS_BPF, 0) },
	"handle faults":                   func([]string) error { return call(unix.SYS_USERFAULTFD, 0) },
	"count events":                    func([]string) error { return call(unix.SYS_PERF_EVENT_OPEN, 0) },
	"load a kernel":                   func([]string) error { return call(unix.SYS_KEXEC_LOAD, 0) },
	"load a module":                   func([]string) error { return call(unix.SYS_FINIT_MODULE, ^uintptr(0)) },
	"type into the terminal": func([]string) error {
		c := byte('x')
		return call(unix.SYS_IOCTL, 0, unix.TIOCSTI, uintptr(unsafe.Pointer(&c)))
	},
	"type into it with high bits": func([]string) error {
		c := byte('x')
		return call(unix.SYS_IOCTL, 0, unix.TIOCSTI|1<<32, uintptr(unsafe.Pointer(&c)))
	},
	"use any refused call": func([]string) error { return anyCall() },
	"make devices usable":  func([]string) error { return readable("/dev/mem") },
}

// swap alternates a name between a folder of the workspace, nothing, and a link
// to a folder outside.
func swap(on []string) error {
	if err := errors.Join(os.Chdir(on[0]), os.Mkdir("d", 0o700), os.Symlink(on[1], "l")); err != nil {
		return err
	}
	for {
		for _, from := range []string{"d", "l"} {
			if err := errors.Join(os.Rename(from, ".vscode"), os.Rename(".vscode", from)); err != nil {
				return err
			}
		}
	}
}

// anyMode tries every way to set a file's mode, and succeeds if one works.
func anyMode(path string, mode uint32) error {
	name, err := unix.BytePtrFromString(path)
	if err != nil {
		return err
	}
	if err := os.WriteFile(path, nil, 0o700); err != nil { //nolint:gosec // it must be executable
		return err
	}
	f, err := os.Open(path)
	if err != nil {
		return err
	}
	at, cwd := uintptr(unsafe.Pointer(name)), ^uintptr(99) // AT_FDCWD
	made := func() bool {
		var s unix.Stat_t
		return unix.Stat(path, &s) == nil && s.Mode&(unix.S_ISUID|unix.S_ISGID) != 0
	}
	for what, call := range map[string]func(){
		"fchmod":    func() { _ = unix.Fchmod(int(f.Fd()), mode) },
		"fchmodat":  func() { _, _, _ = unix.Syscall6(unix.SYS_FCHMODAT, cwd, at, uintptr(mode), 0, 0, 0) },
		"fchmodat2": func() { _, _, _ = unix.Syscall6(unix.SYS_FCHMODAT2, cwd, at, uintptr(mode), 0, 0, 0) },
		"high bits": func() { _, _, _ = unix.Syscall6(unix.SYS_FCHMODAT, cwd, at, uintptr(mode)|1<<40, 0, 0, 0) },
		"openat": func() {
			_ = os.Remove(path)
			_, _, _ = unix.Syscall6(unix.SYS_OPENAT, cwd, at, unix.O_CREAT|unix.O_RDWR, uintptr(mode), 0, 0)
		},
		"mknodat": func() {
			_ = os.Remove(path)
			_, _, _ = unix.Syscall6(unix.SYS_MKNODAT, cwd, at, uintptr(mode)|unix.S_IFREG, 0, 0, 0)
		},
		"openat2": func() {
			_ = os.Remove(path)
			_, _ = unix.Openat2(unix.AT_FDCWD, path, &unix.OpenHow{Flags: unix.O_CREAT | unix.O_RDWR, Mode: uint64(mode)})
		},
		"chmod": func() { _ = unix.Chmod(path, mode) },
	} {
		if call(); made() {
			fmt.Printf("by %s\n", what) //nolint:forbidigo // as above
			return nil
		}
		if _, err := os.Lstat(path); errors.Is(err, os.ErrNotExist) {
			if err := os.WriteFile(path, nil, 0o600); err != nil {
				return err
			}
		}
	}
	return unix.EPERM
}

// openQueue opens or creates a message queue, which has a name and no file.
func openQueue(name string, flags int) error {
	b, err := unix.BytePtrFromString(name)
	if err != nil {
		return err
	}
	fd, _, errno := unix.Syscall6(unix.SYS_MQ_OPEN, uintptr(unsafe.Pointer(b)), uintptr(flags), 0o600, 0, 0, 0)
	if errno != 0 {
		return errno
	}
	return unix.Close(int(fd))
}

func readable(path string) error {
	f, err := os.Open(path)
	if err != nil {
		return err
	}
	defer f.Close()
	var b [16]byte
	n, err := f.Read(b[:])
	if n > 0 {
		return nil
	}
	return err
}

func byHandle(path string) error {
	h, at, err := unix.NameToHandleAt(unix.AT_FDCWD, path, 0)
	if err != nil {
		return err
	}
	_ = at
	root, err := unix.Open("/", unix.O_PATH, 0)
	if err != nil {
		return err
	}
	_, err = unix.OpenByHandleAt(root, h, unix.O_RDONLY)
	return err
}

func open(family, kind, protocol int) error {
	_, err := unix.Socket(family, kind, protocol)
	return err
}

func connect(family, kind, protocol int, to unix.Sockaddr) error {
	fd, err := unix.Socket(family, kind, protocol)
	if err != nil {
		return err
	}
	return unix.Connect(fd, to)
}

func send(family, kind int, to unix.Sockaddr) error {
	fd, err := unix.Socket(family, kind, 0)
	if err != nil {
		return err
	}
	return unix.Sendto(fd, []byte("sent"), 0, to)
}

func sendByPair(to unix.Sockaddr) error {
	fds, err := unix.Socketpair(unix.AF_UNIX, unix.SOCK_DGRAM, 0)
	if err != nil {
		return err
	}
	return unix.Sendto(fds[0], []byte("sent"), 0, to)
}

func tcp(address string) unix.Sockaddr {
	a, err := net.ResolveTCPAddr("tcp4", address)
	if err != nil {
		panic(err)
	}
	return &unix.SockaddrInet4{Port: a.Port, Addr: [4]byte(a.IP.To4())}
}

func number(s string) int { n, _ := strconv.Atoi(s); return n }

func then(err error, f func() error) error {
	if err != nil {
		return err
	}
	return f()
}

func call(n uintptr, args ...uintptr) error {
	var a [3]uintptr
	copy(a[:], args)
	_, _, errno := unix.Syscall(n, a[0], a[1], a[2])
	if errno == unix.EPERM || errno == unix.ENOSYS || errno == unix.EACCES {
		return errno
	}
	return nil // any other error means that the call was let through
}

// signalSupervisor signals the parent of the command.
func signalSupervisor() error {
	if os.Getppid() == 0 {
		return errors.New("it is not visible")
	}
	return unix.Kill(os.Getppid(), 0)
}

// anyCall makes every call that the filter refuses, and succeeds if one is let
// through: it then fails with another error.
func anyCall() error {
	for _, l := range []struct {
		calls []uintptr
		errno unix.Errno
	}{{slices.Concat(linux.Refused, linux.RefusedHere), unix.EPERM}, {linux.Absent, unix.ENOSYS}} {
		for _, n := range l.calls {
			if _, _, errno := unix.Syscall6(n, 0, 0, 0, 0, 0, 0); errno != l.errno {
				fmt.Printf("call %d: %v\n", n, errno) //nolint:forbidigo // as above
				return nil
			}
		}
	}
	return unix.EPERM
}

// serve prints the port on which it answers every connection with a word.
func serve([]string) error {
	l, err := net.Listen("tcp4", "127.0.0.1:0")
	if err != nil {
		return err
	}
	fmt.Println(l.Addr().(*net.TCPAddr).Port) //nolint:forbidigo // the test reads it
	for {
		c, err := l.Accept()
		if err != nil {
			return err
		}
		_, _ = c.Write([]byte("served\n")) // the reader says what is missing
		c.Close()
	}
}
