package process

import (
	"bytes"
	"context"
	"io"
	"sync"
	"time"

	"github.com/emendo-dev/emendo/internal/sandbox/profile"
)

// Talk is the input of a command that [Run] runs to its end, and the limits of the run.
type Talk struct {
	Input   []byte        // its standard input
	Most    int           // bytes kept of each output; 1 MiB if zero
	Timeout time.Duration // 60 s if zero
	Grace   time.Duration // between SIGTERM and SIGKILL; 100 ms if zero
	Late    time.Duration // the same after a timeout; Grace if zero
}

// Said holds the output of a command and how it ended.
type Said struct {
	Output, Errors []byte
	Cut            bool // there was more output
	TimedOut       bool
	Exit           Exit
	Level          profile.Level // at which it was confined
}

// Run runs a command to its end, with three pipes, and ends what it leaves running. The
// error says why it was not started, or is the cause of ctx.
func Run(ctx context.Context, s Spawner, c Command, t Talk) (Said, error) {
	if t.Most == 0 {
		t.Most = 1 << 20
	}
	if t.Timeout == 0 {
		t.Timeout = time.Minute
	}
	if t.Grace == 0 {
		t.Grace = 100 * time.Millisecond
	}
	if t.Late == 0 {
		t.Late = t.Grace
	}
	c.Streams = Separate
	p, err := s.Start(ctx, c)
	if err != nil {
		return Said{}, err
	}
	said := Said{Level: LevelOf(p)}
	var talking sync.WaitGroup
	talking.Go(func() {
		_, _ = p.Input().Write(t.Input) // the command need not read all of it
		_ = p.Input().Close()
	})
	var more [2]bool
	talking.Go(func() { said.Output, more[0] = readFirst(p.Output(), t.Most) })
	talking.Go(func() { said.Errors, more[1] = readFirst(p.Errors(), t.Most) })
	exited := make(chan Exit, 1)
	talking.Go(func() { exited <- p.Wait() })

	limit := time.NewTimer(t.Timeout)
	defer limit.Stop()
	select {
	case e := <-exited:
		exited <- e
	case <-limit.C:
		said.TimedOut = true
		ended := make(chan struct{})
		talking.Go(func() {
			defer close(ended)
			p.Kill(t.Late)
		})
		select {
		case <-ended:
		case <-ctx.Done(): // do not wait for its clean-up
		}
	case <-ctx.Done():
	}
	p.Kill(t.Grace)
	_ = p.Input().Close() // unblocks the writer
	talking.Wait()
	said.Exit, said.Cut = <-exited, more[0] || more[1]
	if ctx.Err() != nil {
		return said, context.Cause(ctx)
	}
	return said, nil
}

// readFirst reads a stream to its end and returns its first bytes.
func readFirst(r io.ReadCloser, most int) (heard []byte, more bool) {
	defer r.Close()
	var b bytes.Buffer
	_, _ = io.Copy(&b, io.LimitReader(r, int64(most))) // ends with the command
	rest, _ := io.Copy(io.Discard, r)
	return b.Bytes(), rest > 0
}
