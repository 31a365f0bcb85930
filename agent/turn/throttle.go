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
	if t.stopped {
		return
	}
	if t.timer != nil {
		t.pending = &p
		return
	}
	t.show(p)
	t.timer = time.AfterFunc(betweenUpdates, t.tick)
}

func (t *throttle) show(p tools.Progress) {
	t.call.update(transcript.ToolUpdate{State: transcript.Executing, Live: p.Output, PID: p.PID, Terminal: p.Terminal})
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
	t.timer.Reset(betweenUpdates)
}

// Flush shows what is held back, so that nothing follows until more is added.
func (t *throttle) Flush() {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.pending != nil && !t.stopped {
		t.show(*t.pending)
		t.pending = nil
	}
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
