package process

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"runtime"
	"strconv"
	"sync"
	"sync/atomic"
	"syscall"

	"golang.org/x/sys/unix"
)

// A Network is a network of its own that several commands share: a loopback interface and
// nothing else. A process holds it and starts their supervisors in it, since only a
// descendant of that process can get there. The holder ends with the server or with
// [Network.Close]; a command that is left then keeps its supervisor and its network.
type Network struct {
	spares Spares

	counters []*os.File    // see [counters]
	lost     atomic.Uint64 // packets without a way out, when a command last ended

	mu      sync.Mutex // one request at a time
	control *os.File
	holder  *exec.Cmd
	gone    bool // the holder has ended by itself
}

// ErrNoHolder says that the holder of a [Network] is gone, as when memory ran out. Another
// network can be made.
var ErrNoHolder = errors.New("the process that holds the commands' network has ended")

// NewNetwork starts the holder of a network as o describes, which gives it the network.
func NewNetwork(o Supervision) (*Network, error) {
	ours, theirs, err := packets()
	if err != nil {
		return nil, fmt.Errorf("make a socket for a network: %w", err)
	}
	defer theirs.Close()
	cmd := o.command(holderArgument, append([]*os.File{theirs}, o.Files...))
	if err := o.start(cmd); err != nil {
		ours.Close()
		return nil, fmt.Errorf("start the holder of a network: %w", err)
	}
	n := &Network{control: ours, holder: cmd}
	if n.counters, err = n.ask(holding{}); err != nil { // until it is up
		n.Close()
		return nil, err
	}
	return n, nil
}

// packets returns the two ends of a socket that keeps messages apart.
func packets() (ours, theirs *os.File, err error) {
	fds, err := unix.Socketpair(unix.AF_UNIX, unix.SOCK_SEQPACKET|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		return nil, nil, err
	}
	return os.NewFile(uintptr(fds[0]), "network"), os.NewFile(uintptr(fds[1]), "server"), nil
}

// Spares returns what holds a spare supervisor in the network.
func (n *Network) Spares() *Spares { return &n.spares }

// Lives reports whether the holder runs.
func (n *Network) Lives() bool {
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.control == nil || n.gone {
		return false
	}
	ready := []unix.PollFd{{Fd: int32(n.control.Fd())}} //nolint:gosec // a descriptor
	_, err := again(func() (int, error) { return unix.Poll(ready, 0) })
	return err == nil && ready[0].Revents == 0
}

// Close ends the holder, and with it the network when no command is left in it.
func (n *Network) Close() {
	n.spares.close()
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.control == nil {
		return
	}
	n.control.Close()
	n.control = nil
	CloseAll(n.counters)
	_ = n.holder.Wait() // it has no result
}

// launch starts a supervisor in the network.
func (n *Network) launch(o *Supervision, ours, theirs *os.File, streams [3]*os.File) (*waiting, error) {
	a := o.Attributes
	h := holding{Start: true, Program: o.Program, Flags: a.Cloneflags, Rights: a.AmbientCaps, Users: a.UidMappings, Groups: a.GidMappings}
	l, err := n.ask(h, append([]*os.File{theirs}, o.Files...)...)
	if err != nil {
		return nil, err
	}
	p, err := newStranger(l)
	if err != nil {
		return nil, err
	}
	w := &waiting{p, ours}
	if streams[0] != nil {
		err = w.sendStreams(streams)
	}
	return w, err
}

// ask sends a request to the holder, with files, and returns the files that it answers
// with.
func (n *Network) ask(h holding, files ...*os.File) ([]*os.File, error) {
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.control == nil || n.gone {
		return nil, ErrNoHolder
	}
	text, err := json.Marshal(h)
	if err != nil {
		return nil, err
	}
	var fds []int
	for _, f := range files {
		fds = append(fds, int(f.Fd()))
	}
	fd := int(n.control.Fd())
	if err = unix.Sendmsg(fd, text, unix.UnixRights(fds...), nil, unix.MSG_NOSIGNAL); err == nil {
		text, fds, err = ReceiveFiles(fd)
	}
	if err != nil || len(text) == 0 {
		n.gone = true
		return nil, ErrNoHolder
	}
	var r held
	if err := json.Unmarshal(text, &r); err != nil {
		return nil, err
	}
	if r.Error != "" {
		return nil, errors.New(r.Error)
	}
	var l []*os.File
	for _, fd := range fds {
		l = append(l, os.NewFile(uintptr(fd), "from a network"))
	}
	return l, nil
}

// A stranger is a process that another one has started, known by a pidfd. Its parent
// reaps it.
type stranger struct {
	fd  *os.File
	pid int
}

func newStranger(answer []*os.File) (*stranger, error) {
	if len(answer) != 1 {
		return nil, errors.New("this kernel cannot refer to processes")
	}
	fd := answer[0]
	info, err := os.ReadFile("/proc/self/fdinfo/" + strconv.Itoa(int(fd.Fd())))
	if err != nil {
		return nil, err
	}
	_, rest, _ := bytes.Cut(info, []byte("Pid:"))
	line, _, _ := bytes.Cut(rest, []byte("\n"))
	pid, err := strconv.Atoi(string(bytes.TrimSpace(line)))
	if err != nil {
		return nil, fmt.Errorf("find a command's supervisor: %w", err)
	}
	if err := unix.SetNonblock(int(fd.Fd()), true); err != nil {
		return nil, os.NewSyscallError("setnonblock", err)
	}
	again, err := unix.FcntlInt(fd.Fd(), unix.F_DUPFD_CLOEXEC, 0)
	fd.Close()
	if err != nil {
		return nil, os.NewSyscallError("dup", err)
	}
	return &stranger{os.NewFile(uintptr(again), "supervisor"), pid}, nil // now with a wait that needs no thread
}

func (s *stranger) id() int { return s.pid }

func (s *stranger) signal(n unix.Signal) {
	c, err := s.fd.SyscallConn()
	if err != nil {
		return // it is gone
	}
	_ = c.Control(func(fd uintptr) { _ = unix.PidfdSendSignal(int(fd), n, nil, 0) }) // it may be gone
}

func (s *stranger) wait() {
	c, err := s.fd.SyscallConn()
	if err != nil {
		return
	}
	_ = c.Read(func(fd uintptr) bool { // it ends when the process has
		ready := []unix.PollFd{{Fd: int32(fd), Events: unix.POLLIN}} //nolint:gosec // a descriptor
		_, err := again(func() (int, error) { return unix.Poll(ready, 0) })
		return err != nil || ready[0].Revents != 0
	})
}

// holding is a request to the holder of a network; empty, to say when the network is up, with
// the files of its counters.
type holding struct {
	Listen bool `json:",omitempty"` // the answer has the sockets of [Network.Enter]
	Start  bool `json:",omitempty"` // a supervisor, with the files that come along; the answer has its pidfd

	Program       []string               `json:",omitempty"` // as in [Supervision]
	Flags         uintptr                `json:",omitempty"`
	Rights        []uintptr              `json:",omitempty"`
	Users, Groups []syscall.SysProcIDMap `json:",omitempty"`
}

// held is an answer of the holder.
type held struct{ Error string }

// isOurs reports whether fd is a socket whose other end this user has made. The holder
// may have been started by another program than the server.
func isOurs(fd int) bool {
	peer, err := unix.GetsockoptUcred(fd, unix.SOL_SOCKET, unix.SO_PEERCRED)
	return err == nil && int(peer.Uid) == os.Geteuid()
}

// holdNetwork is the main function of the holder of a network. It ends with its socket.
func holdNetwork(control int) int {
	signal.Notify(make(chan os.Signal, 1), unix.SIGINT, unix.SIGTERM, unix.SIGHUP, unix.SIGQUIT) // only the server ends it
	ended := make(chan os.Signal, 1)
	signal.Notify(ended, unix.SIGCHLD)
	go func() { // ends with this process
		for range ended {
			reapAll()
		}
	}()
	_ = unix.CloseRange(ControlFD, ^uint(0), unix.CLOSE_RANGE_CLOEXEC) // what it inherits besides is the server's anyway
	null, err := unix.Open("/dev/null", unix.O_RDWR|unix.O_CLOEXEC, 0)
	if err != nil {
		return exitNotZero
	}
	// What it starts gets none of its rights. They belong to the thread that starts it.
	runtime.LockOSThread()
	_ = unix.Prctl(unix.PR_CAP_AMBIENT, unix.PR_CAP_AMBIENT_CLEAR_ALL, 0, 0, 0) // without them there is nothing to give up
	up := RaiseLoopback()
	for {
		text, fds, err := ReceiveFiles(control)
		if err != nil || len(text) == 0 {
			return 0
		}
		var h holding
		var answered []int
		if err = json.Unmarshal(text, &h); err == nil {
			err = up
		}
		switch {
		case err != nil:
		case h.Listen:
			answered, err = listen()
		case h.Start:
			answered, err = h.start(null, fds)
		default:
			answered, err = openCounters()
		}
		r := held{}
		var rights []byte
		if err != nil {
			r.Error = err.Error()
		} else if len(answered) > 0 {
			rights = unix.UnixRights(answered...)
		}
		answer, _ := json.Marshal(r) // has no values that cannot be written
		if err := unix.Sendmsg(control, answer, rights, nil, unix.MSG_NOSIGNAL); err != nil {
			return 0
		}
		for _, fd := range append(fds, answered...) {
			unix.Close(fd)
		}
	}
}

// reapAll waits for the children that have ended.
func reapAll() {
	for {
		if pid, err := unix.Wait4(-1, nil, unix.WNOHANG, nil); pid <= 0 && err != unix.EINTR {
			return
		}
	}
}

// start starts a supervisor and returns a pidfd of it, if the kernel has them.
func (h holding) start(null int, fds []int) ([]int, error) {
	path, args := Self, []string{"emendo", supervisorArgument}
	if len(h.Program) > 0 {
		path, args = h.Program[0], append(h.Program[:len(h.Program):len(h.Program)], supervisorArgument)
	}
	files := []uintptr{uintptr(null), uintptr(null), uintptr(null)}
	for _, fd := range fds {
		files = append(files, uintptr(fd))
	}
	fd := -1
	_, err := syscall.ForkExec(path, args, &syscall.ProcAttr{Dir: "/", Env: supervisorEnvironment, Files: files, Sys: &syscall.SysProcAttr{
		Setsid: true, Cloneflags: h.Flags, AmbientCaps: h.Rights, UidMappings: h.Users, GidMappings: h.Groups, PidFD: &fd,
	}})
	if err != nil {
		return nil, fmt.Errorf("start %s: %w", path, err)
	}
	if fd < 0 {
		return nil, nil
	}
	return []int{fd}, nil
}

// again repeats a system call while signals interrupt it.
func again(call func() (int, error)) (n int, err error) {
	for n, err = call(); err == unix.EINTR; n, err = call() {
	}
	return n, err
}

// RaiseLoopback brings the loopback interface of this process's network up.
func RaiseLoopback() error {
	fd, err := unix.Socket(unix.AF_INET, unix.SOCK_DGRAM|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		return fmt.Errorf("open a socket: %w", err)
	}
	defer unix.Close(fd)
	r, err := unix.NewIfreq("lo")
	if err != nil {
		return err
	}
	if unix.IoctlIfreq(fd, unix.SIOCGIFFLAGS, r) == nil && r.Uint16()&unix.IFF_UP != 0 {
		return nil // bubblewrap has done it
	}
	r.SetUint16(unix.IFF_UP | unix.IFF_RUNNING)
	if err := unix.IoctlIfreq(fd, unix.SIOCSIFFLAGS, r); err != nil {
		return fmt.Errorf("switch loopback on: %w", err)
	}
	return nil
}

// mostRequest bounds a request and mostFiles the files with it.
const (
	mostRequest = 64 << 10
	mostFiles   = 250
)

// ReceiveFiles receives one message and the files that come with it.
func ReceiveFiles(from int) (text []byte, fds []int, err error) {
	text, rights := make([]byte, mostRequest), make([]byte, unix.CmsgSpace(mostFiles*4))
	for {
		n, m, flags, _, err := unix.Recvmsg(from, text, rights, unix.MSG_CMSG_CLOEXEC)
		if err == unix.EINTR {
			continue
		}
		if err != nil {
			return nil, nil, os.NewSyscallError("recvmsg", err)
		}
		fds, err := filesIn(rights[:m], flags)
		return text[:n], fds, err
	}
}

// filesIn returns the descriptors in a control message, which may be empty.
func filesIn(rights []byte, flags int) ([]int, error) {
	if flags&unix.MSG_CTRUNC != 0 {
		return nil, errors.New("not all files have arrived")
	}
	messages, err := unix.ParseSocketControlMessage(rights)
	if err != nil || len(messages) != 1 {
		return nil, err
	}
	return unix.ParseUnixRights(&messages[0])
}
