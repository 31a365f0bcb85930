package client

// A Signal wakes one goroutine. Raised again before that looks, it wakes it once.
type Signal chan struct{}

// NewSignal returns a signal that is not raised.
func NewSignal() Signal { return make(Signal, 1) }

// Raise raises the signal. It does not wait.
func (s Signal) Raise() {
	select {
	case s <- struct{}{}:
	default:
	}
}
