package shell

import (
	"context"
	"io"
	"sync"
	"time"

	"github.com/emendo-dev/emendo/tools"
	"github.com/emendo-dev/emendo/tools/sandbox"
)

// An ending says why a command is over.
type ending int

const (
	byItself ending = iota
	cancelled
	timedOut
	wasIdle
)

// An outcome is a command that is over.
type outcome struct {
	ending
	exit        sandbox.Exit
	took        time.Duration
	output      *transcript
	ended, left []int // of the processes in the background
}

// run runs a command to its end and says what came of it.
func (t *tool) run(ctx context.Context, env tools.Env, r tools.Runs, live func(tools.Progress)) tools.Result {
	c, err := t.command(env, r)
	if err != nil {
		return tools.Result{Err: tools.Errorf(tools.ShellFailure, "the command was not started: %v", err)}
	}
	began := time.Now()
	p, err := t.Spawner.Start(ctx, c)
	if err != nil {
		return tools.Result{Err: tools.Errorf(tools.ShellFailure, "the command was not started in %s: %v", r.Dir, err)}
	}
	live(tools.Progress{PID: p.PID()})
	o := t.follow(ctx, p, live)
	o.took = time.Since(began)
	return t.result(o, env, r)
}

// follow waits for a process, ends what is left of it, and reads its output
// meanwhile. live is called for output as it comes.
func (t *tool) follow(ctx context.Context, p sandbox.Process, live func(tools.Progress)) outcome {
	o := outcome{output: newTranscript()}
	var both sync.WaitGroup
	defer both.Wait() // after Kill, both end soon
	exited := make(chan sandbox.Exit, 1)
	both.Go(func() { exited <- p.Wait() })
	printed, drained := make(chan struct{}, 1), make(chan struct{})
	both.Go(func() {
		defer close(drained)
		read(p.Output(), o.output, func() {
			live(tools.Progress{Output: o.output.now(), PID: p.PID()})
			select {
			case printed <- struct{}{}:
			default: // it is known already
			}
		})
	})

	deadline, idle := time.NewTimer(t.Timeout), time.NewTimer(t.Idle)
	defer deadline.Stop()
	defer idle.Stop()
	for over := false; !over; {
		over = true
		select {
		case o.exit = <-exited:
			exited <- o.exit
			t.settle(ctx, drained)
		case <-ctx.Done():
			o.ending = cancelled
		case <-deadline.C:
			o.ending = timedOut
		case <-idle.C:
			o.ending = wasIdle
		case <-printed:
			idle.Reset(t.Idle)
			over = false
		}
	}
	o.ended, o.left = p.Kill(t.Grace)
	o.exit = <-exited
	<-drained
	o.output.end()
	return o
}

// settle gives what still runs when the command has ended a moment to write
// its last words: a process substitution ends after its command.
func (t *tool) settle(ctx context.Context, drained <-chan struct{}) {
	moment := time.NewTimer(t.Grace)
	defer moment.Stop()
	select {
	case <-drained:
	case <-moment.C:
	case <-ctx.Done():
	}
}

// read copies the output of a process to its end, telling of every piece. An
// error of reading is an end as well: the process is gone.
func read(from io.ReadCloser, to *transcript, tell func()) {
	defer from.Close()
	b := make([]byte, 32<<10)
	for {
		n, err := from.Read(b)
		if n > 0 {
			_, _ = to.Write(b[:n]) // it keeps what it can hold and never fails
			tell()
		}
		if err != nil {
			return
		}
	}
}
