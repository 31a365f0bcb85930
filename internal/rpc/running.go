package rpc

import (
	"context"
	"slices"
	"sync"

	"go.lsp.dev/jsonrpc2"
)

// A request is a request of the peer that is not answered yet.
type request struct {
	id     jsonrpc2.ID
	method string
	ctx    context.Context // ends with the request, its cancelling or the connection
	cancel context.CancelCauseFunc
}

// running is the set of requests that are not answered yet.
type running struct {
	max int

	mu    sync.Mutex
	all   map[*request]bool
	ended bool
	idle  chan struct{} // closed when ended and there is none
}

func newRunning(most int) *running {
	return &running{max: most, all: map[*request]bool{}, idle: make(chan struct{})}
}

// begin adds a request, unless the connection is ending or there are too many.
func (r *running) begin(q *request) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	switch {
	case r.ended:
		return ErrClosed
	case len(r.all) >= r.max:
		return Errorf(RequestFailed, "too many requests: %d are running; try again when one has ended", len(r.all))
	}
	r.all[q] = true
	return nil
}

// finish removes a request whose answer has been queued.
func (r *running) finish(q *request) {
	q.cancel(nil)
	r.mu.Lock()
	defer r.mu.Unlock()
	delete(r.all, q)
	if r.ended && len(r.all) == 0 {
		close(r.idle)
	}
}

// withdraw cancels every request with the id, of which there is more than one when the peer
// reuses it. It reports whether there is one.
func (r *running) withdraw(id jsonrpc2.ID) (found bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for q := range r.all {
		if q.id == id {
			q.cancel(ErrWithdrawn)
			found = true
		}
	}
	return found
}

// end lets no new request begin. It returns a channel that is closed when none is
// running any more.
func (r *running) end() <-chan struct{} {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.ended = true
	if len(r.all) == 0 {
		close(r.idle)
	}
	return r.idle
}

// methods returns the methods of the requests that still run.
func (r *running) methods() []string {
	r.mu.Lock()
	defer r.mu.Unlock()
	var names []string
	for q := range r.all {
		names = append(names, q.method)
	}
	slices.Sort(names)
	return names
}
