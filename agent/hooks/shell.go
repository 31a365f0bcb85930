package hooks

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"maps"
	"slices"
	"sync"
	"time"

	"github.com/emendo-dev/emendo/tools/sandbox"
)

// How a hook is ended: one that took too long may put things in order, one that
// nobody waits for any more has to be quick, and so has what it left running.
const (
	lateGrace = 5 * time.Second
	endGrace  = 100 * time.Millisecond
)

// maxOutput is how much of what a hook writes is heard, in bytes, of each of its
// two streams.
const maxOutput = 1 << 20

// Shell runs hooks in the system's shell.
type Shell struct {
	Spawner sandbox.Spawner // nil: [sandbox.System]
	Environ []string        // the process's environment, of which a hook gets what is harmless
}

// Run implements [Runner].
func (s Shell) Run(ctx context.Context, c Command) (Ran, error) {
	spawner := s.Spawner
	if spawner == nil {
		spawner = sandbox.System()
	}
	env := sandbox.Environment(s.Environ, nil, []string{c.Project})
	for _, name := range slices.Sorted(maps.Keys(c.Env)) {
		env = append(env, name+"="+c.Env[name])
	}
	argv, err := sandbox.Shell("", c.Line, env)
	if err != nil {
		return Ran{}, fmt.Errorf("it was not started: %w", err)
	}
	p, err := spawner.Start(ctx, sandbox.Command{Argv: argv, Dir: c.Dir, Env: env, Streams: sandbox.Separate})
	if err != nil {
		return Ran{}, fmt.Errorf("it was not started: %w", err)
	}
	var talk sync.WaitGroup
	talk.Go(func() {
		_, _ = p.Input().Write(c.Input) // one that does not read it all need not
		_ = p.Input().Close()
	})
	var out, errs bytes.Buffer
	talk.Go(func() { hear(&out, p.Output()) })
	talk.Go(func() { hear(&errs, p.Errors()) })
	exited := make(chan sandbox.Exit, 1)
	talk.Go(func() { exited <- p.Wait() })

	limit := time.NewTimer(c.Timeout)
	defer limit.Stop()
	var r Ran
	select {
	case r.Exit = <-exited:
		p.Kill(endGrace) // what it left running: nobody would end that later
	case <-limit.C:
		r.TimedOut = true
		p.Kill(lateGrace)
	case <-ctx.Done():
		p.Kill(endGrace)
	}
	_ = p.Input().Close() // a writer that is still at it ends
	talk.Wait()
	r.Stdout, r.Stderr = out.Bytes(), errs.Bytes()
	return r, nil
}

// hear takes what a stream says up to its bound, and lets the rest go by.
func hear(b *bytes.Buffer, r io.ReadCloser) {
	defer r.Close()
	_, _ = io.Copy(b, io.LimitReader(r, maxOutput)) // it ends when the command does
	_, _ = io.Copy(io.Discard, r)
}
