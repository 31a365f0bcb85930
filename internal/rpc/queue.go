package rpc

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strconv"
	"sync"
)

// A queue holds the messages to be written. One goroutine writes everything that
// was queued during the last write at once: a message leaves immediately while the
// peer reads, and many leave together when it is slow.
type queue struct {
	w       io.Writer
	framing Framing
	max     int           // bytes queued or being written, beyond which put waits
	turn    chan struct{} // has room for one; held by the first in the line for space

	mu      sync.Mutex
	more    sync.Cond     // on mu: for the writer, waiting or err has changed
	waiting []byte        // framed messages whose writing has not begun
	writing int           // bytes of the write under way
	taken   uint64        // bytes ever queued
	written uint64        // bytes ever written
	lined   int           // how many wait in line for space
	moved   chan struct{} // closed when written or err changes; nil while there is no waiter
	err     error         // why nothing is queued or written any more
}

func newQueue(w io.Writer, o Options) *queue {
	q := &queue{w: w, framing: o.Framing, max: o.MaxQueue, turn: make(chan struct{}, 1)}
	q.more.L = &q.mu
	return q
}

// put queues one message, waiting while the queue is full, first come, first
// served. Only that wait listens to ctx. A message larger than the whole queue
// is accepted when the queue is empty.
func (q *queue) put(ctx context.Context, body []byte) error {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.lined > 0 || !q.hasRoom(body) {
		q.lined++
		err := q.waitInLine(ctx, body)
		q.lined--
		if err != nil {
			return err
		}
	}
	switch {
	case q.err == nil:
		q.add(body)
		return nil
	case errors.Is(q.err, ErrClosed):
		return ErrClosed
	default:
		return fmt.Errorf("%w: %w", ErrClosed, q.err)
	}
}

// hasRoom reports whether a message need not wait. It is called with mu held.
func (q *queue) hasRoom(body []byte) bool {
	n := len(q.waiting) + q.writing
	return q.err != nil || n == 0 || n+len(body) <= q.max
}

// waitInLine waits until there is space. It is called with mu held, and releases
// it meanwhile.
func (q *queue) waitInLine(ctx context.Context, body []byte) error {
	q.mu.Unlock()
	select {
	case q.turn <- struct{}{}:
		defer func() { <-q.turn }()
	case <-ctx.Done():
		q.mu.Lock()
		return context.Cause(ctx)
	}
	q.mu.Lock()
	for !q.hasRoom(body) {
		if err := q.awaitProgress(ctx); err != nil {
			return err
		}
	}
	return nil
}

// awaitProgress waits for progress of the writer. It is called with mu held, and releases
// it meanwhile.
func (q *queue) awaitProgress(ctx context.Context) error {
	if q.moved == nil {
		q.moved = make(chan struct{})
	}
	moved := q.moved
	q.mu.Unlock()
	defer q.mu.Lock()
	select {
	case <-moved:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// force queues one message at once, however full the queue is.
func (q *queue) force(body []byte) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.err == nil {
		q.add(body)
	}
}

// add frames a message. It is called with mu held.
func (q *queue) add(body []byte) {
	before := len(q.waiting)
	if q.framing == Newline {
		q.waiting = append(append(q.waiting, body...), '\n')
	} else {
		q.waiting = append(q.waiting, "Content-Length: "...)
		q.waiting = strconv.AppendInt(q.waiting, int64(len(body)), 10)
		q.waiting = append(append(q.waiting, "\r\n\r\n"...), body...)
	}
	q.taken += uint64(len(q.waiting) - before)
	q.more.Signal()
}

// wakeWaiters wakes those who wait for a change. It is called with mu held.
func (q *queue) wakeWaiters() {
	if q.moved != nil {
		close(q.moved)
		q.moved = nil
	}
	q.more.Signal()
}

// run writes until a write fails or the queue is closed, and returns why.
func (q *queue) run() error {
	q.mu.Lock()
	defer q.mu.Unlock()
	for {
		for len(q.waiting) == 0 && q.err == nil {
			q.more.Wait()
		}
		if q.err != nil {
			return q.err
		}
		batch := q.waiting
		q.waiting, q.writing = nil, len(batch)

		q.mu.Unlock()
		_, err := q.w.Write(batch)
		q.mu.Lock()

		q.writing = 0
		switch {
		case err == nil:
			q.written += uint64(len(batch))
		case q.err == nil:
			q.err = fmt.Errorf("write to the peer: %w", err)
		}
		q.wakeWaiters()
	}
}

// drain waits until everything queued so far is written.
func (q *queue) drain(ctx context.Context) error {
	q.mu.Lock()
	defer q.mu.Unlock()
	for goal := q.taken; q.written < goal; {
		if q.err != nil {
			return q.err
		}
		if err := q.awaitProgress(ctx); err != nil {
			return err
		}
	}
	return nil
}

// close drops what is still queued and accepts nothing more.
func (q *queue) close() {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.err == nil {
		q.err = ErrClosed
	}
	q.waiting = nil
	q.wakeWaiters()
}
