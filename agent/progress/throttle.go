// Package progress bounds how often the output of a running call is shown. It does
// not know the call.
package progress

import (
	"sync"
	"time"

	"github.com/emendo-dev/emendo/tools"
)

// every is the least time between two updates of a running call's output.
const every = 100 * time.Millisecond

// A Throttle shows the first progress at once and then the newest ten times a second.
type Throttle struct {
	Show func(tools.Progress)

	mu      sync.Mutex
	timer   *time.Timer // runs while nothing may be shown
	pending *tools.Progress
	stopped bool
}

// Add shows progress, now or later.
func (t *Throttle) Add(p tools.Progress) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.stopped {
		return
	}
	if t.timer != nil {
		t.pending = &p
		return
	}
	t.Show(p)
	t.timer = time.AfterFunc(every, t.tick)
}

func (t *Throttle) tick() {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.stopped || t.pending == nil {
		t.timer = nil
		return
	}
	t.Show(*t.pending)
	t.pending = nil
	t.timer.Reset(every)
}

// Flush shows what is held back, so that nothing follows until more is added.
func (t *Throttle) Flush() {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.pending != nil && !t.stopped {
		t.Show(*t.pending)
		t.pending = nil
	}
}

// Stop drops what was not shown: the result says it all.
func (t *Throttle) Stop() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.stopped = true
	if t.timer != nil {
		t.timer.Stop()
	}
}
