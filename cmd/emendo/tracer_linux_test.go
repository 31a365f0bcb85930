package main

import (
	"fmt"
	"net"
	"os"
	"os/exec"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"unsafe"
)

// traced is the activity of a process and its descendants.
type traced struct {
	started    []string // command lines of started programs and forked processes
	connected  int      // calls with a network address or a socket's path
	exitStatus int
}

const (
	getSyscallInfo = 0x420e                                                            // PTRACE_GET_SYSCALL_INFO
	traceOptions   = syscall.PTRACE_O_TRACESYSGOOD | 0x2 | 0x4 | 0x8 | 0x10 | 0x100000 // FORK, VFORK, CLONE, EXEC, EXITKILL
	waitMine       = 0x40000000 | 0x20000000                                           // __WALL and __WNOTHREAD: of this thread's children
)

// syscallInfo begins as the kernel's struct ptrace_syscall_info.
type syscallInfo struct {
	op     uint8 // 1: at its entry
	_      [3]uint8
	arch   uint32
	ip, sp uint64
	number uint64
	args   [6]uint64
	_      [2]uint64
}

// trace runs a command to its end and returns every started process and attempted
// connection. The command's streams are files, which trace closes once the command has
// them. meanwhile, if not nil, communicates with the command.
func trace(t *testing.T, c *exec.Cmd, meanwhile func()) traced {
	t.Helper()
	type end struct {
		traced
		err error
	}
	ended := make(chan end, 1)
	go func() {
		runtime.LockOSThread() // tracing is per thread; this thread ends with the trace
		defer runtime.UnlockOSThread()
		var e end
		e.err = e.follow(c)
		ended <- e
	}()
	if meanwhile != nil {
		meanwhile()
	}
	e := <-ended
	if e.err != nil {
		t.Fatalf("tracing %s: %v (a container must let its processes be traced: SYS_PTRACE, no seccomp rule against ptrace)", c.Path, e.err)
	}
	return e.traced
}

func (tr *traced) follow(c *exec.Cmd) error {
	if c.SysProcAttr == nil {
		c.SysProcAttr = &syscall.SysProcAttr{}
	}
	c.SysProcAttr.Ptrace = true
	if err := c.Start(); err != nil {
		return err
	}
	for _, stream := range []any{c.Stdin, c.Stdout, c.Stderr} {
		if f, ok := stream.(*os.File); ok {
			f.Close()
		}
	}
	main := c.Process.Pid
	var ws syscall.WaitStatus
	if _, err := syscall.Wait4(main, &ws, 0x40000000, nil); err != nil || !ws.Stopped() {
		return fmt.Errorf("it does not stop at its beginning: %v %w", ws, err)
	}
	if err := syscall.PtraceSetOptions(main, traceOptions); err != nil {
		return err
	}
	if err := syscall.PtraceSyscall(main, 0); err != nil {
		return err
	}
	known := threads{live: map[int]bool{main: true}, gone: map[int]bool{}}
	for len(known.live) > 0 { // this thread may have other children
		id, err := syscall.Wait4(-1, &ws, waitMine, nil)
		switch {
		case err == syscall.EINTR:
			continue
		case err == syscall.ECHILD:
			return nil
		case err != nil:
			return err
		}
		if ws.Exited() || ws.Signaled() {
			if id == main {
				tr.exitStatus = ws.ExitStatus()
			}
			delete(known.live, id)
			known.gone[id] = true
			continue
		}
		if err := syscall.PtraceSyscall(id, tr.stopped(id, ws, known)); err != nil && err != syscall.ESRCH {
			return err
		}
	}
	return nil
}

// threads are the traced threads.
type threads struct {
	live map[int]bool // and whether each has stopped before
	gone map[int]bool
}

// stopped handles the stop of a thread and returns the signal to continue it with.
func (tr *traced) stopped(id int, ws syscall.WaitStatus, known threads) (signal int) {
	first := !known.live[id]
	known.live[id] = true
	switch s := ws.StopSignal(); {
	case s == syscall.SIGTRAP|0x80:
		var info syscallInfo
		_, _, errno := syscall.RawSyscall6(syscall.SYS_PTRACE, getSyscallInfo, uintptr(id), unsafe.Sizeof(info), uintptr(unsafe.Pointer(&info)), 0, 0)
		if errno == 0 && info.op == 1 && reaches(info) {
			tr.connected++
		}
		return 0
	case s == syscall.SIGTRAP && ws.TrapCause() > 0:
		switch ws.TrapCause() {
		case syscall.PTRACE_EVENT_EXEC:
			tr.started = append(tr.started, commandLine(id))
		case syscall.PTRACE_EVENT_FORK, syscall.PTRACE_EVENT_VFORK, syscall.PTRACE_EVENT_CLONE:
			child, err := syscall.PtraceGetEventMsg(id)
			if made := int(child); err == nil && !known.live[made] && !known.gone[made] { // its end may be reported before its creation
				known.live[made] = false
			}
			if err == nil && isProcess(int(child)) {
				tr.started = append(tr.started, "a copy of "+commandLine(id))
			}
		}
		return 0
	case first && s == syscall.SIGSTOP: // the first stop of a new traced thread
		return 0
	default:
		return int(s)
	}
}

// reaches reports whether a call has an address: connect, or a send with an address.
func reaches(i syscallInfo) bool {
	switch i.number {
	case syscall.SYS_CONNECT:
		return true
	case syscall.SYS_SENDTO:
		return i.args[4] != 0
	}
	return i.number == syscall.SYS_SENDMSG
}

func commandLine(id int) string {
	b, _ := os.ReadFile("/proc/" + strconv.Itoa(id) + "/cmdline") // it is stopped, so it exists
	return strings.TrimSpace(strings.ReplaceAll(string(b), "\x00", " "))
}

// isProcess reports whether an ID is a process, not a thread.
func isProcess(id int) bool {
	b, _ := os.ReadFile("/proc/" + strconv.Itoa(id) + "/status")
	return strings.Contains(string(b), "\nTgid:\t"+strconv.Itoa(id)+"\n")
}

// The tests with the tracer prove nothing unless it sees everything.
func TestTracer(t *testing.T) {
	l := listening(t, "tcp", "127.0.0.1:0")
	_, port, err := net.SplitHostPort(l.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	run := func(line string) traced {
		return trace(t, exec.Command("/bin/bash", "--noprofile", "--norc", "-c", line), nil)
	}
	few := run("/bin/true; exit 7") // bash itself may look up the user
	many := run("/bin/true; (: </dev/tcp/127.0.0.1/" + port + ") 2>/dev/null; exit 7")
	if few.exitStatus != 7 || !slices.Contains(few.started, "/bin/true") || len(few.started) < 2 {
		t.Errorf("got %+v", few)
	}
	if many.connected != few.connected+1 || len(many.started) != len(few.started)+1 {
		t.Errorf("a process that connects is seen as %+v, without it there is %+v", many, few)
	}
}
