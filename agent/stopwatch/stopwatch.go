// Package stopwatch limits the time of work that pauses, such as while the user is
// asked. It does not know what the work is.
package stopwatch

import (
	"context"
	"sync"
	"time"
)

// A Stopwatch ends a context when a time is over, not counting pauses.
type Stopwatch struct {
	Context context.Context // ends when the time is over
	cancel  context.CancelFunc

	mu     sync.Mutex
	timer  *time.Timer
	left   time.Duration
	since  time.Time
	paused int
	fired  bool
}

// Start returns a stopwatch that ends after d, or with ctx. The caller calls Stop.
func Start(ctx context.Context, d time.Duration) *Stopwatch {
	w := &Stopwatch{left: d, since: time.Now()}
	w.Context, w.cancel = context.WithCancel(ctx)
	w.timer = time.AfterFunc(d, w.fire)
	return w
}

func (w *Stopwatch) fire() {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.paused > 0 {
		return
	}
	w.fired = true
	w.cancel()
}

// Over reports whether the time is over.
func (w *Stopwatch) Over() bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.fired
}

// Pause stops the time until the function that it returns is called.
func (w *Stopwatch) Pause() (resume func()) {
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

// Stop ends the context and the time.
func (w *Stopwatch) Stop() {
	w.timer.Stop()
	w.cancel()
}
