package tools

import "sync"

// Doubts are what the model of a session was asked back about, see [Error]. The zero
// value has none. It is safe for concurrent use.
type Doubts struct {
	mu    sync.Mutex
	asked map[string]bool
}

// Add adds the doubts of the error of a call; err may be nil.
func (d *Doubts) Add(err *Error) {
	if err == nil || len(err.Doubts) == 0 {
		return
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.asked == nil {
		d.asked = map[string]bool{}
	}
	for _, doubt := range err.Doubts {
		d.asked[doubt] = true
	}
}

// Has reports whether a doubt was added; to nil, none was.
func (d *Doubts) Has(doubt string) bool {
	if d == nil {
		return false
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.asked[doubt]
}
