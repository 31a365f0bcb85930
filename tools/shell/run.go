package shell

import (
	"context"
	"errors"
	"io"
	"math"
	"sync"
	"time"

	"github.com/emendo-dev/emendo/ide/disk"
	"github.com/emendo-dev/emendo/internal/sandbox"
	"github.com/emendo-dev/emendo/internal/terminal"
	"github.com/emendo-dev/emendo/tools"
)

// An ending is the reason why a command ended.
type ending int

const (
	byItself ending = iota
	cancelled
	timedOut
	wasIdle
	wroteTooMuch
)

// An outcome describes a command that has ended.
type outcome struct {
	ending
	grew        string // why it was ended as wroteTooMuch, a sentence
	exit        sandbox.Exit
	took        time.Duration
	output      *terminal.Transcript
	ended, left []int // background processes
}

// progressInterval is the minimum time between two progress updates: making one costs
// more than reading output.
const progressInterval = 25 * time.Millisecond

// A watch follows a process until it ends.
type watch struct {
	timeout time.Duration // from now on; zero: no limit
	idle    time.Duration // how long it may be silent; zero: no limit
	grace   time.Duration
	output  *terminal.Transcript
	written *terminal.Recent // gets the output as it was written, without secrets; may be nil
	env     tools.Env        // knows the secrets
	printed func()           // called while output arrives; may be nil
	growth  growth
}

// run runs a command until it ends.
func (t *tool) run(ctx context.Context, env tools.Env, r tools.Runs, wider tools.Access, live func(tools.Progress)) tools.Result {
	began := time.Now()
	p, conf, err := t.start(ctx, env, r, wider)
	if err != nil {
		return tools.Result{Err: err}
	}
	in := terminalOf(p)
	live(tools.Progress{PID: p.PID(), Terminal: in})
	w := watch{timeout: t.Timeout, idle: t.Idle, grace: t.Grace, output: transcript(), growth: conf.growth}
	w.printed = func() { live(tools.Progress{Output: w.output.Tail(math.MaxInt, maxShown), PID: p.PID(), Terminal: in}) }
	o := w.follow(ctx, p)
	o.took = time.Since(began)
	return conf.annotate(t.result(o, env, r), o)
}

// start starts a command.
func (t *tool) start(ctx context.Context, env tools.Env, r tools.Runs, wider tools.Access) (sandbox.Process, confinement, *tools.Error) {
	var older []tools.Job
	if env.Jobs != nil {
		older = env.Jobs.List()
	}
	c, profile, err := t.command(env, r, wider)
	if err != nil {
		return nil, confinement{}, tools.Errorf(tools.ShellFailure, "the command was not started: %v", err)
	}
	if t.Terminals != nil && !r.Background {
		p, err := t.Terminals.Start(ctx, env.Session, c)
		if err == nil {
			return p, confinement{command: c, profile: profile, level: sandbox.Open, runs: r, opened: wider, older: older, env: env}, nil
		}
		if !errors.Is(err, sandbox.ErrNoTerminal) {
			return nil, confinement{}, tools.Errorf(tools.ShellFailure, "the command was not started in %s: %v", r.Dir, err)
		}
	}
	if t.Watched {
		c.Streams, c.Rows, c.Columns = sandbox.Watched, terminal.Rows, terminal.Columns
	}
	h := confinement{command: c, profile: profile, runs: r, opened: wider, older: older, env: env}
	h.follow(t.Limits)
	p, err := t.Spawner.Start(ctx, c)
	if errors.Is(err, sandbox.ErrNoTerminal) {
		c.Streams = sandbox.Merged
		p, err = t.Spawner.Start(ctx, c)
	}
	if err != nil {
		h.unfollow()
		return nil, confinement{}, tools.Errorf(tools.ShellFailure, "the command was not started in %s: %v", r.Dir, err)
	}
	if h.command, h.level = c, sandbox.LevelOf(p); !h.active() {
		h.unfollow()
	}
	return p, h, nil
}

// terminalOf returns the ID of the user's terminal in which a process runs, or "".
func terminalOf(p sandbox.Process) string {
	if in, ok := p.(interface{ Terminal() string }); ok {
		return in.Terminal()
	}
	return ""
}

// follow waits for a process, kills what is left of it, and reads its output
// meanwhile.
func (w watch) follow(ctx context.Context, p sandbox.Process) outcome {
	o := outcome{output: w.output}
	var both sync.WaitGroup
	defer both.Wait() // both end soon after Kill
	exited := make(chan sandbox.Exit, 1)
	both.Go(func() { exited <- p.Wait() })
	printed, drained := make(chan struct{}, 1), make(chan struct{})
	both.Go(func() {
		defer close(drained)
		read(p.Output(), w, func() {
			select {
			case printed <- struct{}{}:
			default: // a signal is pending
			}
		})
	})

	deadline, idle := newLimit(w.timeout), newLimit(w.idle)
	defer deadline.stop()
	defer idle.stop()
	look := w.growth.start()
	defer look.Stop()
	var rest <-chan time.Time // pause between two progress updates
	news := false
	for over := false; !over; {
		over = true
		select {
		case o.exit = <-exited:
			exited <- o.exit
			w.settle(ctx, drained)
		case <-ctx.Done():
			o.ending = cancelled
		case <-deadline.over:
			o.ending = timedOut
		case <-idle.over:
			o.ending = wasIdle
		case <-printed:
			idle.again()
			over, news = false, w.printed != nil
		case <-rest:
			over, rest = false, nil
		case <-look.C:
			if o.grew = w.growth.checkGrowth(ctx, p); o.grew != "" && ctx.Err() == nil {
				o.ending = wroteTooMuch
			}
			over = o.ending == wroteTooMuch
		}
		if !over && news && rest == nil {
			w.printed()
			news, rest = false, time.After(progressInterval)
		}
	}
	o.ended, o.left = p.Kill(w.grace)
	o.exit = <-exited
	<-drained
	o.output.End()
	return o
}

// settle gives processes that are still running after the command a moment to
// write their last output: a process substitution ends after its command.
func (w watch) settle(ctx context.Context, drained <-chan struct{}) {
	moment := time.NewTimer(w.grace)
	defer moment.Stop()
	select {
	case <-drained:
	case <-moment.C:
	case <-ctx.Done():
	}
}

// A limit is a timeout; one of zero, or [Forever], never fires.
type limit struct {
	over  <-chan time.Time
	timer *time.Timer
	after time.Duration
}

func newLimit(d time.Duration) limit {
	if d <= 0 {
		return limit{}
	}
	t := time.NewTimer(d)
	return limit{t.C, t, d}
}

func (l limit) again() {
	if l.timer != nil {
		l.timer.Reset(l.after)
	}
}

func (l limit) stop() {
	if l.timer != nil {
		l.timer.Stop()
	}
}

// read copies the output of a process until it ends, and calls tell for each
// piece. A read error ends it too: the process is gone.
func read(from io.ReadCloser, to io.Writer, tell func()) {
	defer from.Close()
	b := make([]byte, 32<<10)
	for {
		n, err := from.Read(b)
		if n > 0 {
			_, _ = to.Write(b[:n]) // never fails
			tell()
		}
		if err != nil {
			return
		}
	}
}

// Write takes a piece of the output. It never fails.
func (w watch) Write(b []byte) (int, error) {
	n := len(b)
	_, _ = w.output.Write(b) // likewise
	if w.written != nil {
		if w.env.Redact != nil {
			b = []byte(w.env.Redact(string(b)))
		}
		_, _ = w.written.Write(b) // likewise
	}
	return n, nil
}

// transcript returns a transcript that reads output in other encodings than UTF-8 as
// files are read.
func transcript() *terminal.Transcript {
	t := terminal.NewTranscript()
	t.Decode = disk.DecodeOutput
	return t
}
