package state

import (
	"context"
	"fmt"
	"runtime/debug"
	"sync"
	"time"

	"github.com/emendo-dev/emendo/agent/transcript"
)

// outboxLimit is the number of queued updates at which Put starts to wait.
const outboxLimit = 1024

// Outbox delivers the events of one turn in order: it merges queued events, numbers
// them, writes them to the log and shows them.
type Outbox struct {
	session *Session
	turnID  string
	ctx     context.Context // the turn's

	mu      sync.Mutex
	changed sync.Cond // an event was added or delivered, or the outbox was closed
	queue   []*Delivery
	busy    bool // a delivery is under way
	closed  bool
	err     error // the first error of writing the log; nothing is shown after it
	done    chan struct{}
}

// Delivery is an event in the outbox.
type Delivery struct {
	event transcript.Event // nil: everything so far is synced to disk
	at    time.Time
	sync  bool          // sync to disk before showing
	Done  chan struct{} // closed when it was delivered; may be nil
	held  chan struct{} // in place of an event: the outbox waits until it is closed; may be nil
	err   error         // of syncing the log; valid once Done is closed
}

// Resume lets the outbox go on after [Outbox.Pause].
func (p *Delivery) Resume() { close(p.held) }

// NewOutbox returns the outbox of a turn and starts its delivery.
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
// cancelled: a turn that stops emits only a few more events.
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

// putSynced is like Put for an event that is synced to disk before it is shown.
func (o *Outbox) putSynced(e transcript.Event) {
	o.insert(&Delivery{event: e, at: o.session.Agent.Now(), sync: true})
}

// PutNow is like Put but never waits.
func (o *Outbox) PutNow(e transcript.Event) {
	o.insert(&Delivery{event: e, at: o.session.Agent.Now()})
}

// Flush adds an event, which may be nil, and waits until it and everything before
// it is on disk and shown.
func (o *Outbox) Flush(e transcript.Event) error { return o.Wait(o.Enqueue(e)) }

// Enqueue is like Flush without the waiting.
func (o *Outbox) Enqueue(e transcript.Event) *Delivery {
	return o.insert(&Delivery{event: e, at: o.session.Agent.Now(), sync: true, Done: make(chan struct{})})
}

func (o *Outbox) insert(p *Delivery) *Delivery {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.add(p)
	return p
}

// Pause stops the delivery after everything added so far, until the returned one is resumed.
// Its Done is closed when the outbox has stopped.
func (o *Outbox) Pause() *Delivery {
	return o.insert(&Delivery{Done: make(chan struct{}), held: make(chan struct{})})
}

// Delivered waits until everything so far is delivered. It returns the first error of that.
func (o *Outbox) Delivered() error {
	p := o.Pause()
	<-p.Done
	p.Resume()
	return o.Err()
}

// Wait waits for a delivery and returns its error.
func (o *Outbox) Wait(p *Delivery) error {
	<-p.Done
	if err := o.Err(); err != nil {
		return err
	}
	return p.err
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

// Close waits until everything is delivered. Nothing may be added any more.
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
		case p.held != nil:
			close(p.Done)
			<-p.held
		case p.event == nil:
			p.err = o.session.Log.Sync()
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
		if p.Done != nil && p.held == nil {
			close(p.Done)
		}
	}
}

// deliver records an event and shows it. It also records events that the client
// cannot be shown.
func (o *Outbox) deliver(p *Delivery) error {
	s := o.session
	r := transcript.Record{Turn: o.turnID, At: p.at, Event: p.event}
	if transcript.Shown(p.event) {
		r.Seq = s.Record.NextSeq()
	}
	if err := s.Log.Append(r, p.sync); err != nil {
		return err
	}
	if observer := s.Agent.Options.Observer; observer != nil {
		observer.Event(s.SessionID, o.turnID, p.at, p.event)
	}
	if r.Seq > 0 {
		if err := o.show(transcript.Update{SessionID: s.SessionID, Seq: r.Seq, TurnID: o.turnID, At: p.at, Event: p.event}); err != nil {
			s.Agent.Log.Debug("an update was not shown", "session", s.SessionID, "seq", r.Seq, "err", err)
		}
	}
	return nil
}

// show shows an update and recovers from a panic of the client, which nothing else
// would catch on this goroutine.
func (o *Outbox) show(u transcript.Update) (err error) {
	defer func() {
		if p := recover(); p != nil {
			o.session.Agent.Log.Error("the client panicked while showing an update", "session", u.SessionID, "seq", u.Seq, "panic", p, "stack", string(debug.Stack()))
			err = fmt.Errorf("the client panicked: %v", p)
		}
	}()
	return o.session.Agent.Client.Show(context.WithoutCancel(o.ctx), u) // a cancelled turn still shows its end
}
