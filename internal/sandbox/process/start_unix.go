//go:build unix

package process

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"slices"
	"syscall"
	"time"

	"golang.org/x/sys/unix"

	"github.com/emendo-dev/emendo/internal/sandbox/profile"
)

func (system) Start(ctx context.Context, c Command) (Process, error) {
	p, err := Start(ctx, c, Supervision{})
	if err != nil {
		return nil, err
	}
	return p, nil
}

// A Supervised is a [Process] under a supervisor, as the server sees it.
type Supervised struct {
	*streams
	pid     int
	inside  int // the supervisor's pid if the command has a PID namespace of its own, else 0
	level   profile.Level
	control *os.File
	parent  launched // the supervisor, or the program that started it

	exit   Exit          // valid once done is closed
	done   chan struct{} // the command has ended
	given  chan struct{} // the supervisor ended without reporting the end of the command
	gone   chan struct{} // the supervisor has ended
	killed report        // valid once gone is closed: the answer to an order to kill
	onEnd  []func()      // called by Kill
	shut   func()        // called by Kill first, which it need not wait for
}

// A Supervision describes how to start the supervisor of a command.
type Supervision struct {
	// Confinement is passed as JSON to the supervisor's [Confiner]. If it is nil, the
	// command is not confined.
	Confinement any
	// Level is the level of that confinement.
	Level profile.Level
	// Attributes are those of the supervisor's process.
	Attributes syscall.SysProcAttr
	// Program starts the supervisor: a program and its arguments. If it is empty, the
	// server does.
	Program []string
	// Files are open in Program, from the descriptor after [ControlFD] on.
	Files []*os.File
	// Visible says that the server must not be concealed while it starts the supervisor.
	Visible bool
	// Spares may hold a supervisor that was started earlier in the same way.
	Spares *Spares
	// In is the network in which the supervisor is started; nil: the server starts it.
	In *Network

	interactive bool // the streams are [Interactive]
}

// A waiting supervisor has been started and has not received its spec.
type waiting struct {
	launched
	control *os.File
}

// A launched process is a supervisor, or the program that starts it.
type launched interface {
	id() int // its process ID
	signal(unix.Signal)
	wait() // until it has ended
}

// A child is a process that this one has started.
type child struct{ *exec.Cmd }

func (c child) id() int              { return c.Process.Pid }
func (c child) signal(s unix.Signal) { _ = c.Process.Signal(s) } // it may be gone
func (c child) wait()                { _ = c.Wait() }            // it has reported what matters

// Start starts a command under a supervisor, and returns when it runs.
func Start(ctx context.Context, c Command, o Supervision) (*Supervised, error) {
	if err := ctx.Err(); err != nil {
		return nil, context.Cause(ctx)
	}
	s := spec{Argv: c.Argv, Dir: c.Dir, Env: c.Env, Terminal: c.Streams == Interactive}
	o.interactive = s.Terminal
	if o.Confinement != nil {
		var err error
		if s.Confinement, err = json.Marshal(o.Confinement); err != nil {
			return nil, fmt.Errorf("describe the confinement of a command: %w", err)
		}
	}
	st, err := c.open()
	if err != nil {
		return nil, err
	}
	defer st.closeTheirs()
	p, err := st.begin(ctx, s, &o)
	if err != nil {
		st.closeOurs()
		return nil, err
	}
	return p, nil
}

// begin starts a command by a spare supervisor if there is one, or by a new one.
func (st *streams) begin(ctx context.Context, s spec, o *Supervision) (*Supervised, error) {
	if w := o.Spares.claim(st.theirs); w != nil {
		p, err := w.begin(ctx, s, o.Level, st)
		if !errors.Is(err, errEnded) {
			o.Spares.prepare(o)
			return p, err
		}
	}
	w, err := o.launch(st.theirs)
	if err != nil {
		return nil, err
	}
	p, err := w.begin(ctx, s, o.Level, st)
	if err == nil {
		o.Spares.prepare(o)
	}
	return p, err
}

// launch starts a supervisor that has a command's streams.
func (o *Supervision) launch(streams [3]*os.File) (*waiting, error) {
	ours, theirs, err := SocketPair()
	if err != nil {
		return nil, fmt.Errorf("make a socket for a command's supervisor: %w", err)
	}
	defer theirs.Close()
	if o.In != nil {
		w, err := o.In.launch(o, ours, theirs, streams)
		if err != nil {
			ours.Close()
			return nil, fmt.Errorf("start a command's supervisor: %w", err)
		}
		return w, nil
	}
	argument := supervisorArgument
	if o.interactive {
		argument = terminalArgument
	}
	cmd := o.command(argument, append([]*os.File{theirs}, o.Files...))
	if streams[0] != nil {
		cmd.Stdin, cmd.Stdout, cmd.Stderr = streams[0], streams[1], streams[2]
	}
	if err := o.start(cmd); err != nil {
		ours.Close()
		return nil, fmt.Errorf("start a command's supervisor: %w", err)
	}
	return &waiting{child{cmd}, ours}, nil
}

// command returns what starts this program again with the given argument and files.
func (o *Supervision) command(argument string, files []*os.File) *exec.Cmd {
	attributes := o.Attributes
	attributes.Setsid = true // so that signals from the server's terminal do not reach it
	cmd := &exec.Cmd{
		Path: Self, Args: []string{"emendo", argument}, Dir: "/", Env: supervisorEnvironment,
		ExtraFiles: files, SysProcAttr: &attributes,
	}
	if len(o.Program) > 0 {
		cmd.Path, cmd.Args = o.Program[0], append(o.Program[:len(o.Program):len(o.Program)], argument)
	}
	return cmd
}

func (o *Supervision) start(cmd *exec.Cmd) error {
	if o.Visible {
		return shown(cmd.Start)
	}
	return cmd.Start()
}

// errEnded says that a supervisor ended before it had started its command.
var errEnded = errors.New("a command's supervisor ended before it could start it")

// begin sends the spec to the supervisor and waits until the command runs.
func (w *waiting) begin(ctx context.Context, s spec, l profile.Level, st *streams) (*Supervised, error) {
	p := &Supervised{
		streams: st, level: l, control: w.control, parent: w.launched,
		done: make(chan struct{}), given: make(chan struct{}), gone: make(chan struct{}),
	}
	if l == profile.Isolated {
		p.inside = w.id()
	}
	started := make(chan error, 1)
	go func() { // ends with the supervisor, which ends with its socket
		defer close(p.gone)
		p.listen(started)
		w.wait()
	}()
	stop := context.AfterFunc(ctx, func() { w.control.Close() })
	err := json.NewEncoder(w.control).Encode(s)
	if failed := p.firstReport(started); failed != nil { // is more precise than an error of the socket
		err = failed
	}
	if !stop() {
		err = context.Cause(ctx)
	}
	if err != nil {
		w.control.Close()
		p.wait(lastGrace)
		return nil, err
	}
	return p, nil
}

// firstReport waits for the supervisor's first report. It wakes the supervisor if the command
// has stopped it.
func (p *Supervised) firstReport(started <-chan error) error {
	for {
		select {
		case err := <-started:
			return err
		case <-time.After(time.Second):
			p.parent.signal(unix.SIGCONT)
		}
	}
}

// wait waits until the supervisor has carried out an order. A command that sees its
// supervisor may have stopped it.
func (p *Supervised) wait(grace time.Duration) {
	p.parent.signal(unix.SIGCONT)
	timer := time.NewTimer(grace + 2*giveUp)
	defer timer.Stop()
	select {
	case <-p.gone:
	case <-timer.C:
		p.parent.signal(unix.SIGKILL)
		<-p.gone
	}
}

// listen reads the supervisor's reports until it ends.
func (p *Supervised) listen(started chan<- error) {
	d := json.NewDecoder(p.control)
	for {
		var r report
		if err := d.Decode(&r); err != nil {
			break
		}
		switch {
		case r.Error != "":
			started <- errors.New(r.Error)
			return
		case r.PID != 0:
			p.pid = cmp.Or(p.inside, r.PID) // IDs of another PID namespace mean nothing here
			started <- nil
		case r.Exit != nil:
			p.exit = *r.Exit
			close(p.done)
		case r.Killed:
			p.killed = r
		}
	}
	if p.pid == 0 {
		started <- errEnded
		return
	}
	select {
	case <-p.done:
	default: // the supervisor could not end the command, or was killed
		close(p.given)
	}
}

// PID implements [Process].
func (p *Supervised) PID() int { return p.pid }

// Level returns the level at which the command is confined.
func (p *Supervised) Level() profile.Level { return p.level }

// Wait implements [Process].
func (p *Supervised) Wait() Exit {
	select {
	case <-p.done:
		return p.exit
	case <-p.given:
		return Exit{Code: -1}
	}
}

// Kill implements [Process].
func (p *Supervised) Kill(grace time.Duration) (ended, left []int) {
	defer p.end()
	if p.shut != nil {
		p.shut()
	}
	_ = json.NewEncoder(p.control).Encode(order{Kill: grace}) // fails if the supervisor has ended
	p.wait(grace)
	p.control.Close()
	for _, f := range slices.Backward(p.onEnd) {
		f()
	}
	select {
	case <-p.given:
		if !p.killed.Killed && p.inside == 0 {
			unix.Kill(-p.pid, unix.SIGKILL)
		}
	default:
	}
	return p.killed.Ended, p.killed.Left
}

// SocketPair returns the server's and the supervisor's end of a socket.
func SocketPair() (ours, theirs *os.File, err error) {
	syscall.ForkLock.RLock()
	defer syscall.ForkLock.RUnlock()
	fds, err := unix.Socketpair(unix.AF_UNIX, unix.SOCK_STREAM, 0)
	if err != nil {
		return nil, nil, err
	}
	unix.CloseOnExec(fds[0])
	unix.CloseOnExec(fds[1])
	_ = unix.SetNonblock(fds[0], true) // without it, only cancelling a start is slower
	return os.NewFile(uintptr(fds[0]), "supervisor"), os.NewFile(uintptr(fds[1]), "server"), nil
}

// Pause stops all processes until [Supervised.Resume]. It does not wait.
func (p *Supervised) Pause() { _ = json.NewEncoder(p.control).Encode(order{Pause: true}) } // it may have ended

// Resume lets them go on.
func (p *Supervised) Resume() { _ = json.NewEncoder(p.control).Encode(order{Resume: true}) } // as above

// OnEnd adds a function that Kill calls. The last one added is called first.
func (p *Supervised) OnEnd(f func()) { p.onEnd = append(p.onEnd, f) }

// Abort ends the command without waiting for it.
func (p *Supervised) Abort() {
	p.parent.signal(unix.SIGKILL)                         // ends a PID namespace that the server made
	_ = json.NewEncoder(p.control).Encode(order{Kill: 0}) // ends any other
}

// ServeOutlet runs the profile's outlet until the command has ended.
func (p *Supervised) ServeOutlet(ctx context.Context, o profile.Outlet, w profile.WayOut) {
	ctx, stop := context.WithCancel(context.WithoutCancel(ctx)) // serve until the command ends
	closed := make(chan struct{})
	go func() {
		defer close(closed)
		o(ctx, w)
	}()
	p.shut = stop // the outlet closes while the supervisor ends what is left of the command
	p.OnEnd(func() { <-closed })
}
