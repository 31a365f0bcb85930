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
	byID  map[jsonrpc2.ID][]*request // more than one when the peer reuses an id
	n     int
	ended bool
	idle  chan struct{} // closed when ended and n is 0
}

func newRunning(most int) *running {
	return &running{max: most, byID: make(map[jsonrpc2.ID][]*request), idle: make(chan struct{})}
}

// begin adds a request, unless the connection is ending or there are too many.
func (r *running) begin(q *request) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	switch {
	case r.ended:
		return ErrClosed
	case r.n >= r.max:
		return Errorf(RequestFailed, "too many requests: %d are running; try again when one has ended", r.n)
	}
	r.byID[q.id] = append(r.byID[q.id], q)
	r.n++
	return nil
}

// finish removes a request whose answer has been queued.
func (r *running) finish(q *request) {
	q.cancel(nil)
	r.mu.Lock()
	defer r.mu.Unlock()
	if rest := slices.DeleteFunc(r.byID[q.id], func(other *request) bool { return other == q }); len(rest) > 0 {
		r.byID[q.id] = rest
	} else {
		delete(r.byID, q.id)
	}
	r.n--
	if r.ended && r.n == 0 {
		close(r.idle)
	}
}

// withdraw cancels every request with the id and returns their number.
func (r *running) withdraw(id jsonrpc2.ID) int {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, q := range r.byID[id] {
		q.cancel(ErrWithdrawn)
	}
	return len(r.byID[id])
}

// end lets no new request begin. It returns a channel that is closed when none is
// running any more.
func (r *running) end() <-chan struct{} {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.ended = true
	if r.n == 0 {
		close(r.idle)
	}
	return r.idle
}

// methods returns the methods of the requests that still run.
func (r *running) methods() []string {
	r.mu.Lock()
	defer r.mu.Unlock()
	var names []string
	for _, requests := range r.byID {
		for _, q := range requests {
			names = append(names, q.method)
		}
	}
	slices.Sort(names)
	return names
}
