package terminal

import (
	"io"
	"sync"
)

// typed is what the user has typed and a program has not read.
type typed struct {
	mu     sync.Mutex
	some   sync.Cond // on mu: waits or closed have changed
	waits  []byte
	closed bool
}

func newTyped() *typed {
	t := &typed{}
	t.some.L = &t.mu
	return t
}

// add adds what was typed. It returns false if too much waits.
func (t *typed) add(s string) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	if len(t.waits)+len(s) > maxTyped {
		return false
	}
	t.waits = append(t.waits, s...)
	t.some.Signal()
	return true
}

// passOn writes what is typed to a program, in order, until it is closed.
func (t *typed) passOn(to io.Writer) {
	for {
		t.mu.Lock()
		for len(t.waits) == 0 && !t.closed {
			t.some.Wait()
		}
		b := t.waits
		t.waits = nil
		closed := t.closed
		t.mu.Unlock()
		if closed {
			return
		}
		if _, err := to.Write(b); err != nil {
			return
		}
	}
}

func (t *typed) close() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.closed = true
	t.some.Signal()
}
