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

// A Supervised is a [Process] under a supervisor, as the server sees it through
// their socket.
type Supervised struct {
	*streams
	pid     int
	inside  int // a supervisor's id, when its command runs among processes of its own; zero otherwise
	level   profile.Level
	control *os.File
	parent  *os.Process // the supervisor, or what started it

	exit   Exit          // once done is closed
	done   chan struct{} // the command has ended
	given  chan struct{} // the command was given up
	gone   chan struct{} // the supervisor has ended; nothing comes from it any more
	killed report        // once gone is closed: how an order to kill was carried out
	onEnd  []func()      // called by Kill
}

// A Supervision says how the supervisor of a command is started.
type Supervision struct {
	// Confinement is passed as JSON to the supervisor's [Confiner]; nil: the
	// command is not confined.
	Confinement any
	// Level is the level of that confinement.
	Level profile.Level
	// Attributes are those of the supervisor's process.
	Attributes syscall.SysProcAttr
	// Program starts the supervisor, with its arguments; empty: the server does.
	Program []string
	// Files are open in that program, from [FirstFD] on.
	Files []*os.File
	// Visible says that the server cannot start it while it is concealed.
	Visible bool
	// Spares are supervisors that were started earlier with the same options.
	Spares *Spares
}

// A waiting supervisor has been started and was told nothing yet.
type waiting struct {
	command *exec.Cmd
	control *os.File
}

// Start starts a command under a supervisor, and waits until it runs.
func Start(ctx context.Context, c Command, o Supervision) (*Supervised, error) {
	if err := ctx.Err(); err != nil {
		return nil, context.Cause(ctx)
	}
	s := spec{Argv: c.Argv, Dir: c.Dir, Env: c.Env, Terminal: c.Streams == Terminal}
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

// begin starts a command by a supervisor that waits, or else by a new one.
func (st *streams) begin(ctx context.Context, s spec, o *Supervision) (*Supervised, error) {
	if w := o.Spares.take(st.theirs); w != nil {
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

// launch starts a supervisor with a command's streams.
func (o *Supervision) launch(streams [3]*os.File) (*waiting, error) {
	ours, theirs, err := SocketPair()
	if err != nil {
		return nil, fmt.Errorf("make a socket for a command's supervisor: %w", err)
	}
	defer theirs.Close()
	attributes := o.Attributes
	attributes.Setsid = true // no signal of the server's terminal reaches it
	cmd := &exec.Cmd{
		Path: Self, Args: []string{"emendo", childArgument}, Dir: "/", Env: []string{},
		ExtraFiles: append([]*os.File{theirs}, o.Files...), SysProcAttr: &attributes,
	}
	if streams[0] != nil {
		cmd.Stdin, cmd.Stdout, cmd.Stderr = streams[0], streams[1], streams[2]
	}
	if len(o.Program) > 0 {
		cmd.Path, cmd.Args = o.Program[0], append(o.Program[:len(o.Program):len(o.Program)], childArgument)
	}
	start := cmd.Start
	if o.Visible {
		start = func() error { return shown(cmd.Start) }
	}
	if err := start(); err != nil {
		ours.Close()
		return nil, fmt.Errorf("start a command's supervisor: %w", err)
	}
	return &waiting{cmd, ours}, nil
}

// errEnded says that a supervisor did not live to start its command.
var errEnded = errors.New("a command's supervisor ended before it could start it")

// begin tells the supervisor what to start, and waits until it runs.
func (w *waiting) begin(ctx context.Context, s spec, l profile.Level, st *streams) (*Supervised, error) {
	p := &Supervised{
		streams: st, level: l, control: w.control, parent: w.command.Process,
		done: make(chan struct{}), given: make(chan struct{}), gone: make(chan struct{}),
	}
	if l == profile.Isolated {
		p.inside = w.command.Process.Pid
	}
	started := make(chan error, 1)
	go func() { // ends with the supervisor, which ends with the socket
		defer close(p.gone)
		p.listen(started)
		_ = w.command.Wait() // what matters it has told
	}()
	stop := context.AfterFunc(ctx, func() { w.control.Close() })
	err := json.NewEncoder(w.control).Encode(s)
	if told := p.told(started); told != nil { // says more than that its socket has ended
		err = told
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

// told waits for what the supervisor tells first. The command may have stopped it
// before it could tell anything.
func (p *Supervised) told(started <-chan error) error {
	for {
		select {
		case err := <-started:
			return err
		case <-time.After(time.Second):
			_ = p.parent.Signal(unix.SIGCONT) // it may be gone
		}
	}
}

// wait waits until the supervisor has ended what it has been told to end. Where
// a command sees its supervisor, it may have stopped that.
func (p *Supervised) wait(grace time.Duration) {
	_ = p.parent.Signal(unix.SIGCONT) // it may be gone
	timer := time.NewTimer(grace + 2*giveUp)
	defer timer.Stop()
	select {
	case <-p.gone:
	case <-timer.C:
		_ = p.parent.Kill()
		<-p.gone
	}
}

// listen hears what the supervisor tells until it ends.
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
			p.pid = cmp.Or(p.inside, r.PID) // another namespace's numbers mean nothing here
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
	default: // it had to leave the command, or was ended itself
		close(p.given)
	}
}

func (p *Supervised) PID() int { return p.pid }

func (p *Supervised) Level() profile.Level { return p.level }

func (p *Supervised) Resize(rows, columns uint16) error { return p.resize(rows, columns) }

func (p *Supervised) Wait() Exit {
	select {
	case <-p.done:
		return p.exit
	case <-p.given:
		return Exit{Code: -1}
	}
}

func (p *Supervised) Kill(grace time.Duration) (ended, left []int) {
	defer p.end()
	_ = json.NewEncoder(p.control).Encode(order{Kill: grace}) // one that has ended has nothing to end
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

// SocketPair makes the ends of a socket: the server's, and the supervisor's.
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

// OnEnd has f called when the command has been killed, after everything that was
// added later.
func (p *Supervised) OnEnd(f func()) { p.onEnd = append(p.onEnd, f) }

// Abort ends the command at once, and returns before it has ended.
func (p *Supervised) Abort() {
	_ = p.parent.Kill()                                   // ends a namespace of our own at once
	_ = json.NewEncoder(p.control).Encode(order{Kill: 0}) // and another one soon
}

// ServeOutlet has the profile's outlet serve on listener until the command has
// ended.
func (p *Supervised) ServeOutlet(ctx context.Context, profile *profile.Profile, listener *os.File) {
	ctx, stop := context.WithCancel(context.WithoutCancel(ctx)) // it ends with the command, not with its start
	closed := make(chan struct{})
	go func() {
		defer close(closed)
		profile.Outlet(ctx, listener, profile.Network.Hosts)
	}()
	p.OnEnd(func() {
		stop()
		<-closed
	})
}
