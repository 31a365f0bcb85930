package process

import (
	"bytes"
	"context"
	"io"
	"sync"
	"time"

	"github.com/emendo-dev/emendo/internal/sandbox/profile"
)

// Talk is what is said to a command that is run to its end, and how much is
// heard of it.
type Talk struct {
	Input   []byte        // what it reads
	Most    int           // bytes that are kept of each of its streams; 1 MiB when zero
	Timeout time.Duration // 60 s when zero
	Grace   time.Duration // between asking it to end and forcing it; 100 ms when zero
	Late    time.Duration // the same for one that has run out of time; Grace when zero
}

// Said is what a command said and how it ended.
type Said struct {
	Output, Errors []byte
	Cut            bool // it said more
	TimedOut       bool
	Exit           Exit
	Level          profile.Level // how firmly it was sandboxed
}

// Run runs a command to its end, with three pipes, and ends what it leaves
// running. The error says why it was not started, or is the cause of ctx.
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
		_, _ = p.Input().Write(t.Input) // one that does not read it all need not
		_ = p.Input().Close()
	})
	var more [2]bool
	talking.Go(func() { said.Output, more[0] = hear(p.Output(), t.Most) })
	talking.Go(func() { said.Errors, more[1] = hear(p.Errors(), t.Most) })
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
		case <-ctx.Done(): // nobody waits for it to be tidy
		}
	case <-ctx.Done():
	}
	p.Kill(t.Grace)
	_ = p.Input().Close() // a writer that is still at it ends
	talking.Wait()
	said.Exit, said.Cut = <-exited, more[0] || more[1]
	if ctx.Err() != nil {
		return said, context.Cause(ctx)
	}
	return said, nil
}

// hear takes what a stream says up to a bound, and lets the rest go by.
func hear(r io.ReadCloser, most int) (heard []byte, more bool) {
	defer r.Close()
	var b bytes.Buffer
	_, _ = io.Copy(&b, io.LimitReader(r, int64(most))) // it ends when the command does
	rest, _ := io.Copy(io.Discard, r)
	return b.Bytes(), rest > 0
}
