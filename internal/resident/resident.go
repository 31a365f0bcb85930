// Package resident keeps the memory of an idle program small.
package resident

import (
	"log/slog"
	"runtime"
	"runtime/debug"
	"sync"
	"time"
)

// Trim gives back the memory that is not used now: garbage and, on Linux, the mapped
// pages of the program's file. It takes some milliseconds and is meant for the
// background.
func Trim() error {
	runtime.GC() // what pools keep is garbage only in the next collection
	debug.FreeOSMemory()
	return unmapFile()
}

// idleAfter is how long nothing uses the program before memory is given back. What comes
// sooner finds everything in place.
const idleAfter = time.Second

// A Trimmer calls [Trim] whenever the program has become idle. A nil Trimmer does nothing.
type Trimmer struct {
	Log *slog.Logger // nil: discards

	mu     sync.Mutex
	uses   int         // that are not done
	timer  *time.Timer // nil: nothing was used
	closed bool
	trims  sync.WaitGroup // not under mu, or a use that begins would wait for a trim
}

// Use notes that something uses the program until Done is called.
func (t *Trimmer) Use() {
	if t == nil {
		return
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	t.uses++
	if t.timer != nil {
		t.timer.Stop()
	}
}

// Done ends a use.
func (t *Trimmer) Done() {
	if t == nil {
		return
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.uses--; t.uses == 0 {
		t.timer = time.AfterFunc(idleAfter, t.trim)
	}
}

func (t *Trimmer) trim() {
	if !t.begin() {
		return
	}
	defer t.trims.Done()
	if err := Trim(); err != nil && t.Log != nil {
		t.Log.Debug("could not give memory back", "err", err)
	}
}

// begin begins a trim, if nothing uses the program; the caller ends it with trims.Done.
func (t *Trimmer) begin() bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.uses > 0 || t.closed {
		return false
	}
	t.trims.Add(1)
	return true
}

// Close ends the calls of [Trim], and waits for one that runs.
func (t *Trimmer) Close() {
	t.mu.Lock()
	t.closed = true
	if t.timer != nil {
		t.timer.Stop()
	}
	t.mu.Unlock()
	t.trims.Wait()
}
