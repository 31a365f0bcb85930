package agent

import (
	"sync"
	"time"

	"github.com/emendo-dev/emendo/tools"
)

// liveEvery is the least time between two updates of a running call's output.
const liveEvery = 100 * time.Millisecond

// throttle shows the first progress at once and then the newest every
// liveEvery.
type throttle struct {
	show func(tools.Progress)

	mu      sync.Mutex
	timer   *time.Timer // runs while nothing may be shown
	pending *tools.Progress
	stopped bool
}

func (t *throttle) add(p tools.Progress) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.stopped {
		return
	}
	if t.timer != nil {
		t.pending = &p
		return
	}
	t.show(p)
	t.timer = time.AfterFunc(liveEvery, t.tick)
}

func (t *throttle) tick() {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.stopped || t.pending == nil {
		t.timer = nil
		return
	}
	t.show(*t.pending)
	t.pending = nil
	t.timer.Reset(liveEvery)
}

// stop drops what was not shown: the result says it all.
func (t *throttle) stop() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.stopped = true
	if t.timer != nil {
		t.timer.Stop()
	}
}
