//go:build unix

package sandbox

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// interpreters are what may run commands, best first; usualPath is where
// programs are when the search path does not say.
var (
	interpreters = []string{"bash", "sh"}
	usualPath    = []string{"/usr/local/bin", "/usr/bin", "/bin", "/usr/sbin", "/sbin"}
)

// argv is how the interpreter is told to run a command and nothing else, such
// as the user's start files.
func argv(shell, command string) []string {
	if strings.HasPrefix(filepath.Base(shell), "bash") {
		return []string{shell, "--noprofile", "--norc", "-c", "--", command}
	}
	return []string{shell, "-c", "--", command} // else one that begins with a dash would be options
}

func (system) Start(ctx context.Context, c Command) (Process, error) {
	return supervised(ctx, c, spec{Argv: c.Argv, Dir: c.Dir, Env: c.Env, Terminal: c.Streams == Terminal}, nil)
}

// A process is a command under its supervisor, or what it looks like from the
// server's end of their socket.
type process struct {
	*streams
	pid     int
	inside  int // a supervisor's id, when its command runs among processes of its own; zero otherwise
	level   Level
	control *os.File
	parent  *os.Process // the supervisor, or what started it

	exit   Exit          // once done is closed
	done   chan struct{} // the command has ended
	given  chan struct{} // the command was given up
	gone   chan struct{} // the supervisor has ended; nothing comes from it any more
	killed report        // once gone is closed: how an order to kill was carried out
	after  func()        // ends what the server does for the command; nil: that is nothing
}

// A vehicle is how a supervisor gets to where its command shall run.
type vehicle struct {
	attributes syscall.SysProcAttr
	program    []string   // starts the supervisor; when empty, nothing does but the server
	files      []*os.File // for that program, from the descriptor after the control's on
	hidden     bool       // it cannot start one while the server is concealed
	spares     *spares    // supervisors that wait there already; nil: none does
}

// A waiting supervisor has been started and was told nothing yet.
type waiting struct {
	command *exec.Cmd
	control *os.File
}

// supervised starts a command under a supervisor, which a vehicle may take
// somewhere else, and waits until it runs.
func supervised(ctx context.Context, c Command, s spec, in *vehicle) (Process, error) {
	if err := ctx.Err(); err != nil {
		return nil, context.Cause(ctx)
	}
	st, err := c.open()
	if err != nil {
		return nil, err
	}
	defer st.closeTheirs()
	if in == nil {
		in = &vehicle{}
	}
	p, err := st.begin(ctx, s, in)
	if err != nil {
		st.closeOurs()
		return nil, err
	}
	return p, nil
}

// begin starts a command by a supervisor that waits, or else by a new one.
func (st *streams) begin(ctx context.Context, s spec, in *vehicle) (*process, error) {
	if w := in.spares.take(st.theirs); w != nil {
		p, err := w.begin(ctx, s, st)
		if !errors.Is(err, errEnded) {
			in.spares.prepare(in)
			return p, err
		}
	}
	w, err := in.launch(st.theirs)
	if err != nil {
		return nil, err
	}
	p, err := w.begin(ctx, s, st)
	if err == nil {
		in.spares.prepare(in)
	}
	return p, err
}

// launch starts a supervisor with a command's streams.
func (in *vehicle) launch(streams [3]*os.File) (*waiting, error) {
	ours, theirs, err := socketPair()
	if err != nil {
		return nil, fmt.Errorf("make a socket for a command's supervisor: %w", err)
	}
	defer theirs.Close()
	attributes := in.attributes
	attributes.Setsid = true // no signal of the server's terminal reaches it
	cmd := &exec.Cmd{
		Path: self, Args: []string{"emendo", childArgument}, Dir: "/", Env: []string{},
		ExtraFiles: append([]*os.File{theirs}, in.files...), SysProcAttr: &attributes,
	}
	if streams[0] != nil {
		cmd.Stdin, cmd.Stdout, cmd.Stderr = streams[0], streams[1], streams[2]
	}
	if len(in.program) > 0 {
		cmd.Path, cmd.Args = in.program[0], append(in.program[:len(in.program):len(in.program)], childArgument)
	}
	start := cmd.Start
	if in.hidden {
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
func (w *waiting) begin(ctx context.Context, s spec, st *streams) (*process, error) {
	p := &process{
		streams: st, level: s.Level, control: w.control, parent: w.command.Process,
		done: make(chan struct{}), given: make(chan struct{}), gone: make(chan struct{}),
	}
	if s.Level == Isolated {
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
func (p *process) told(started <-chan error) error {
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
func (p *process) wait(grace time.Duration) {
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
func (p *process) listen(started chan<- error) {
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

func (p *process) PID() int { return p.pid }

func (p *process) Level() Level { return p.level }

func (p *process) Resize(rows, columns uint16) error { return p.resize(rows, columns) }

func (p *process) Wait() Exit {
	select {
	case <-p.done:
		return p.exit
	case <-p.given:
		return Exit{Code: -1}
	}
}

func (p *process) Kill(grace time.Duration) (ended, left []int) {
	defer p.end()
	_ = json.NewEncoder(p.control).Encode(order{Kill: grace}) // one that has ended has nothing to end
	p.wait(grace)
	p.control.Close()
	if p.after != nil {
		p.after()
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

// socketPair makes the ends of a socket: the server's, and the supervisor's.
func socketPair() (ours, theirs *os.File, err error) {
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
