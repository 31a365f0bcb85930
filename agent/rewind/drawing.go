package rewind

import "sync"

// Drawing makes change sets of what commands changed, in order, off the path of the turn.
type Drawing struct {
	mu   sync.Mutex
	last chan struct{} // closed when all that was added is done; nil: nothing was
}

// Add has draw called on another goroutine, after what was added before.
func (d *Drawing) Add(draw func()) {
	d.mu.Lock()
	defer d.mu.Unlock()
	before, done := d.last, make(chan struct{})
	d.last = done
	go func() { // ends with the drawing; the turn's end waits for it
		defer close(done)
		if before != nil {
			<-before
		}
		draw()
	}()
}

// Busy reports whether something that was added is not done yet.
func (d *Drawing) Busy() bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	select {
	case <-d.last:
		return false
	default:
		return d.last != nil
	}
}

// Wait waits until all that was added is done.
func (d *Drawing) Wait() {
	d.mu.Lock()
	last := d.last
	d.mu.Unlock()
	if last != nil {
		<-last
	}
}
