package state

import (
	"context"
	"fmt"
	"runtime/debug"
	"sync"
	"time"

	"github.com/emendo-dev/emendo/agent/transcript"
)

// outboxLimit is how many updates may wait before whoever makes more of them
// waits too.
const outboxLimit = 1024

// Outbox carries the events of one turn out: it merges those that wait, gives
// numbers, writes the log and then shows them, one after another.
type Outbox struct {
	session *Session
	turnID  string
	ctx     context.Context // the turn's

	mu      sync.Mutex
	changed sync.Cond // the queue was added to, taken from or closed
	queue   []*Delivery
	busy    bool // a parcel is being delivered
	closed  bool
	err     error // the first failure to write the log; nothing is shown after it
	done    chan struct{}
}

// Delivery is an event in the outbox.
type Delivery struct {
	event transcript.Event
	at    time.Time
	sync  bool          // on the disk before it is shown
	Done  chan struct{} // closed when it is out; may be nil
	do    func() error  // of one without an event: runs when its turn has come
	Err   error         // of do, once landed
}

// NewOutbox returns the outbox of a turn and starts delivering what is put into it.
func NewOutbox(ctx context.Context, s *Session, turnID string) *Outbox {
	o := &Outbox{session: s, turnID: turnID, ctx: ctx, done: make(chan struct{})}
	o.changed.L = &o.mu
	go func() { // ends when close has been called and the queue is empty; close waits for it
		defer close(o.done)
		o.deliverAll()
	}()
	return o
}

// Put adds an event. It waits while the outbox is full, unless the turn was
// cancelled: what a turn says while it stops is little.
func (o *Outbox) Put(e transcript.Event) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if len(o.queue) >= outboxLimit {
		stop := context.AfterFunc(o.ctx, func() {
			o.mu.Lock()
			defer o.mu.Unlock()
			o.changed.Broadcast()
		})
		defer stop()
	}
	for len(o.queue) >= outboxLimit && o.ctx.Err() == nil && o.err == nil {
		o.changed.Wait()
	}
	o.add(&Delivery{event: e, at: o.session.Agent.Now()})
}

// putSynced is put for an event that is on the disk before it is shown.
func (o *Outbox) putSynced(e transcript.Event) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.add(&Delivery{event: e, at: o.session.Agent.Now(), sync: true})
}

// PutNow adds an event without ever waiting, for callers that must not.
func (o *Outbox) PutNow(e transcript.Event) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.add(&Delivery{event: e, at: o.session.Agent.Now()})
}

// Flush adds an event, which may be nil, and waits until it and all before it
// are on the disk and shown.
func (o *Outbox) Flush(e transcript.Event) error {
	if e == nil {
		return o.Wait(o.Insert(nil))
	}
	return o.Wait(o.Enqueue(e))
}

// Enqueue is settle without the waiting.
func (o *Outbox) Enqueue(e transcript.Event) *Delivery {
	p := &Delivery{event: e, at: o.session.Agent.Now(), sync: true, Done: make(chan struct{})}
	o.mu.Lock()
	o.add(p)
	o.mu.Unlock()
	return p
}

// Insert has f run after everything that was added so far and before what
// comes; with a nil f, all before it is brought to the disk. It does not wait.
func (o *Outbox) Insert(f func() error) *Delivery {
	if f == nil {
		f = o.session.Log.Sync
	}
	p := &Delivery{do: f, Done: make(chan struct{})}
	o.mu.Lock()
	o.add(p)
	o.mu.Unlock()
	return p
}

// Wait waits for a parcel, and tells what could not be recorded.
func (o *Outbox) Wait(p *Delivery) error {
	<-p.Done
	if err := o.Err(); err != nil {
		return err
	}
	return p.Err
}

// Empty reports whether everything was delivered.
func (o *Outbox) Empty() bool {
	o.mu.Lock()
	defer o.mu.Unlock()
	return len(o.queue) == 0 && !o.busy
}

// Err returns the first error of a delivery, or nil.
func (o *Outbox) Err() error {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.err
}

func (o *Outbox) add(p *Delivery) {
	if n := len(o.queue); n > 0 && p.Done == nil && o.queue[n-1].Done == nil {
		if e, ok := transcript.Merge(o.queue[n-1].event, p.event); ok {
			o.queue[n-1].event = e
			return
		}
	}
	o.queue = append(o.queue, p)
	o.changed.Broadcast()
}

// Close waits until everything is out. Nothing may be added any more.
func (o *Outbox) Close() {
	o.mu.Lock()
	o.closed = true
	o.changed.Broadcast()
	o.mu.Unlock()
	<-o.done
}

func (o *Outbox) deliverAll() {
	for {
		o.mu.Lock()
		for len(o.queue) == 0 && !o.closed {
			o.changed.Wait()
		}
		if len(o.queue) == 0 {
			o.mu.Unlock()
			return
		}
		p := o.queue[0]
		o.queue = o.queue[1:]
		broken := o.err != nil
		o.busy = true
		o.changed.Broadcast()
		o.mu.Unlock()
		var err error
		switch {
		case p.do != nil:
			p.Err = p.do()
		case !broken:
			err = o.deliver(p)
		}
		o.mu.Lock()
		o.busy = false
		if err != nil {
			o.err = err
			o.changed.Broadcast()
		}
		o.mu.Unlock()
		if p.Done != nil {
			close(p.Done)
		}
	}
}

// deliver records an event and shows it. A client that is gone does not stop
// the recording.
func (o *Outbox) deliver(p *Delivery) error {
	s := o.session
	r := transcript.Record{Turn: o.turnID, At: p.at, Event: p.event}
	if transcript.Shown(p.event) {
		r.Seq = s.NextSeq()
	}
	if err := s.Log.Append(r, p.sync); err != nil {
		return err
	}
	if r.Seq > 0 {
		if err := o.show(transcript.Update{SessionID: s.SessionID, Seq: r.Seq, TurnID: o.turnID, At: p.at, Event: p.event}); err != nil {
			s.Agent.Log.Debug("an update was not shown", "session", s.SessionID, "seq", r.Seq, "err", err)
		}
	}
	return nil
}

// show shows an update. A client that panics has not shown it; this goroutine is
// nobody's request, so nobody else would catch that.
func (o *Outbox) show(u transcript.Update) (err error) {
	defer func() {
		if p := recover(); p != nil {
			o.session.Agent.Log.Error("showing an update panicked", "session", u.SessionID, "seq", u.Seq, "panic", p, "stack", string(debug.Stack()))
			err = fmt.Errorf("the client panicked: %v", p)
		}
	}()
	return o.session.Agent.Client.Show(context.WithoutCancel(o.ctx), u) // the last word must get out
}
