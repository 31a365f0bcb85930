package subagent

import (
	"context"
	"sync"
	"time"
)

// stopwatch ends a context when a time is over, not counting pauses.
type stopwatch struct {
	parent, ctx context.Context
	cancel      context.CancelFunc

	mu     sync.Mutex
	timer  *time.Timer
	left   time.Duration
	since  time.Time
	paused int
	fired  bool
}

func newStopwatch(ctx context.Context, d time.Duration) *stopwatch {
	w := &stopwatch{parent: ctx, left: d, since: time.Now()}
	w.ctx, w.cancel = context.WithCancel(ctx)
	w.timer = time.AfterFunc(d, w.fire)
	return w
}

func (w *stopwatch) fire() {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.paused > 0 {
		return
	}
	w.fired = true
	w.cancel()
}

// over reports whether the time is over.
func (w *stopwatch) over() bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.fired
}

// pause stops the time until the function that it returns is called.
func (w *stopwatch) pause() (resume func()) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.paused++; w.paused == 1 {
		w.timer.Stop()
		w.left -= time.Since(w.since)
	}
	return func() {
		w.mu.Lock()
		defer w.mu.Unlock()
		if w.paused--; w.paused == 0 {
			w.since = time.Now()
			w.timer.Reset(max(w.left, 0))
		}
	}
}

func (w *stopwatch) stop() {
	w.timer.Stop()
	w.cancel()
}
