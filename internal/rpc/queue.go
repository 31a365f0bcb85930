package rpc

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"sync"
)

// A queue holds the messages to be written. One goroutine writes everything that
// was queued during the last write at once: a message leaves immediately while the
// peer reads, and many leave together when it is slow.
type queue struct {
	w       io.Writer
	framing Framing
	max     int // bytes queued or being written, beyond which enqueue waits

	open context.Context         // ends when nothing is queued or written any more, with the reason
	end  context.CancelCauseFunc // ends open

	mu      sync.Mutex
	changed sync.Cond // on mu: waiting, written or open have changed
	line    []*entry  // the messages that wait for room
	waiting []byte    // framed messages whose writing has not begun
	writing int       // bytes of the write under way
	queued  uint64    // bytes ever queued
	written uint64    // bytes ever written
}

// An entry is a message in the line for room.
type entry struct {
	body   []byte
	queued chan struct{} // closed once it has left the line
}

func newQueue(w io.Writer, o Options) *queue {
	q := &queue{w: w, framing: o.Framing, max: o.MaxQueue}
	q.open, q.end = context.WithCancelCause(context.Background())
	q.changed.L = &q.mu
	return q
}

// enqueue queues one message, waiting while the queue is full, first come, first
// served. Only that wait listens to ctx. A message larger than the whole queue
// is accepted when the queue is empty.
func (q *queue) enqueue(ctx context.Context, body []byte) error {
	q.mu.Lock()
	if len(q.line) == 0 && q.hasRoom(body) {
		q.add(body)
		q.mu.Unlock()
		return nil
	}
	e := &entry{body, make(chan struct{})}
	q.line = append(q.line, e)
	q.mu.Unlock()
	select {
	case <-e.queued:
		return nil
	case <-ctx.Done():
	case <-q.open.Done():
	}
	q.mu.Lock()
	defer q.mu.Unlock()
	i := slices.Index(q.line, e)
	if i < 0 { // there was room meanwhile
		return nil
	}
	q.line = slices.Delete(q.line, i, i+1)
	q.admit() // those behind it may have room
	switch err := context.Cause(q.open); {
	case err == nil:
		return context.Cause(ctx)
	case errors.Is(err, ErrClosed):
		return ErrClosed
	default:
		return fmt.Errorf("%w: %w", ErrClosed, err)
	}
}

// admit queues the messages in the line for which there is room. It is called with mu held.
func (q *queue) admit() {
	for len(q.line) > 0 && q.hasRoom(q.line[0].body) {
		q.add(q.line[0].body)
		close(q.line[0].queued)
		q.line = slices.Delete(q.line, 0, 1)
	}
}

// hasRoom reports whether a message can be queued now. It is called with mu held.
func (q *queue) hasRoom(body []byte) bool {
	n := len(q.waiting) + q.writing
	return q.open.Err() == nil && (n == 0 || n+len(body) <= q.max)
}

// force queues one message at once, however full the queue is.
func (q *queue) force(body []byte) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.open.Err() == nil {
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
	q.queued += uint64(len(q.waiting) - before)
	q.changed.Broadcast()
}

// run writes until a write fails or the queue is closed, and returns why.
func (q *queue) run() error {
	q.mu.Lock()
	defer q.mu.Unlock()
	for {
		for len(q.waiting) == 0 && q.open.Err() == nil {
			q.changed.Wait()
		}
		if q.open.Err() != nil {
			return context.Cause(q.open)
		}
		batch := q.waiting
		q.waiting, q.writing = nil, len(batch)

		q.mu.Unlock()
		_, err := q.w.Write(batch)
		q.mu.Lock()

		q.writing = 0
		if err != nil {
			q.end(fmt.Errorf("write to the peer: %w", err))
		} else {
			q.written += uint64(len(batch))
		}
		q.admit()
		q.changed.Broadcast()
	}
}

// drain waits until everything queued so far is written.
func (q *queue) drain(ctx context.Context) error {
	defer context.AfterFunc(ctx, func() {
		q.mu.Lock()
		defer q.mu.Unlock()
		q.changed.Broadcast()
	})()
	q.mu.Lock()
	defer q.mu.Unlock()
	for goal := q.queued; q.written < goal; q.changed.Wait() {
		if err := cmp.Or(context.Cause(q.open), context.Cause(ctx)); err != nil {
			return err
		}
	}
	return nil
}

// close drops what is still queued and accepts nothing more.
func (q *queue) close() {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.end(ErrClosed)
	q.waiting = nil
	q.changed.Broadcast()
}
