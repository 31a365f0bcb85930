package rpc

import (
	"context"
	"errors"
	"log/slog"
	"runtime/debug"
	"sync"
	"time"
)

// EndWait is the longest wait for a cancellation after the connection has ended.
const EndWait = time.Second

// Tasks run in the background of a connection and end with it.
type Tasks struct {
	Log *slog.Logger
	Bug error // what Contain returns for a panic

	life context.Context
	end  context.CancelFunc

	mu    sync.Mutex
	ended bool // no task may start
	tasks sync.WaitGroup
}

// Begin binds the tasks' life to ctx. It is called once, before the connection runs.
func (t *Tasks) Begin(ctx context.Context) { t.life, t.end = context.WithCancel(ctx) }

// Life returns the context that ends when the tasks have to end.
func (t *Tasks) Life() context.Context {
	if t.life == nil { // the connection does not run yet
		return context.Background()
	}
	return t.life
}

// End ends Life and lets no new task start.
func (t *Tasks) End() {
	if t.end != nil {
		t.end()
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	t.ended = true
}

// Wait waits for the tasks to end.
func (t *Tasks) Wait() { t.tasks.Wait() }

// Go runs f on a goroutine that Wait waits for. It reports false, without running f,
// when the tasks are ending.
func (t *Tasks) Go(f func()) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.ended {
		return false
	}
	t.tasks.Go(func() {
		_ = t.Contain(func() error { f(); return nil }) // logged
	})
	return true
}

// Contain runs f and turns a panic into Bug, so that a bug ends only what it is in.
// The connection does the same for the work of a request.
func (t *Tasks) Contain(f func() error) (err error) {
	defer func() {
		if p := recover(); p != nil {
			t.Log.Error("panic", "value", p, "stack", string(debug.Stack()))
			err = t.Bug
		}
	}()
	return f()
}

// Ask makes a call whose answer decides what happens next. When the connection ends,
// the caller's context is cancelled a moment later; Ask waits for that, so that the end
// is not mistaken for an answer.
func (c *Conn) Ask(ctx context.Context, method string, params, result any) error {
	err := c.Call(ctx, method, params, result)
	if !errors.Is(err, ErrClosed) {
		return err
	}
	timer := time.NewTimer(EndWait)
	defer timer.Stop()
	select {
	case <-ctx.Done():
		return context.Cause(ctx)
	case <-timer.C: // the caller outlives the connection
		return err
	}
}
