package turn

import (
	"sync"
	"time"

	"github.com/emendo-dev/emendo/agent/transcript"
	"github.com/emendo-dev/emendo/tools"
)

// betweenUpdates is the least time between two updates of a running call's output.
const betweenUpdates = 100 * time.Millisecond

// A throttle shows the first progress at once and then the newest ten times a second.
type throttle struct {
	call *call // whose progress it is

	mu      sync.Mutex
	timer   *time.Timer // runs while nothing may be shown
	pending *tools.Progress
	stopped bool
}

// Add shows progress, now or later.
func (t *throttle) Add(p tools.Progress) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.pending = &p
	if t.timer == nil {
		t.showPending()
	}
}

// showPending shows what is pending, if anything is, and holds back what follows for a while. The
// caller holds the lock.
func (t *throttle) showPending() {
	t.timer = nil
	if t.show() {
		t.timer = time.AfterFunc(betweenUpdates, func() {
			t.mu.Lock()
			defer t.mu.Unlock()
			t.showPending()
		})
	}
}

func (t *throttle) show() bool {
	p := t.pending
	if p == nil || t.stopped {
		return false
	}
	t.pending = nil
	t.call.update(transcript.ToolUpdate{State: transcript.Executing, Live: p.Output, PID: p.PID, Terminal: p.Terminal})
	return true
}

// Flush shows what is held back, so that nothing follows until more is added.
func (t *throttle) Flush() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.show()
}

// Stop drops what was not shown: the result says it all.
func (t *throttle) Stop() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.stopped = true
	if t.timer != nil {
		t.timer.Stop()
	}
}
