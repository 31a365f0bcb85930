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

// outbox carries the events of one turn out: it merges those that wait, gives
// numbers, writes the log and then shows them, one after another.
type outbox struct {
	session *Session
	turnID  string
	ctx     context.Context // the turn's

	mu     sync.Mutex
	moved  sync.Cond // the queue was added to, taken from or closed
	queue  []*Parcel
	busy   bool // a parcel is being delivered
	closed bool
	err    error // the first failure to write the log; nothing is shown after it
	done   chan struct{}
}

// Parcel is an event in the outbox.
type Parcel struct {
	event  transcript.Event
	at     time.Time
	sync   bool          // on the disk before it is shown
	Landed chan struct{} // closed when it is out; may be nil
	do     func() error  // of one without an event: runs when its turn has come
	Err    error         // of do, once landed
}

func NewOutbox(ctx context.Context, s *Session, turnID string) *outbox {
	o := &outbox{session: s, turnID: turnID, ctx: ctx, done: make(chan struct{})}
	o.moved.L = &o.mu
	go func() { // ends when close has been called and the queue is empty; close waits for it
		defer close(o.done)
		o.carry()
	}()
	return o
}

// Put adds an event. It waits while the outbox is full, unless the turn was
// cancelled: what a turn says while it stops is little.
func (o *outbox) Put(e transcript.Event) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if len(o.queue) >= outboxLimit {
		stop := context.AfterFunc(o.ctx, func() {
			o.mu.Lock()
			defer o.mu.Unlock()
			o.moved.Broadcast()
		})
		defer stop()
	}
	for len(o.queue) >= outboxLimit && o.ctx.Err() == nil && o.err == nil {
		o.moved.Wait()
	}
	o.add(&Parcel{event: e, at: o.session.Agent.Now()})
}

// putSynced is put for an event that is on the disk before it is shown.
func (o *outbox) putSynced(e transcript.Event) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.add(&Parcel{event: e, at: o.session.Agent.Now(), sync: true})
}

// Slip adds an event without ever waiting, for callers that must not.
func (o *outbox) Slip(e transcript.Event) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.add(&Parcel{event: e, at: o.session.Agent.Now()})
}

// Settle adds an event, which may be nil, and waits until it and all before it
// are on the disk and shown.
func (o *outbox) Settle(e transcript.Event) error {
	if e == nil {
		return o.Wait(o.Insert(nil))
	}
	return o.Wait(o.Send(e))
}

// Send is settle without the waiting.
func (o *outbox) Send(e transcript.Event) *Parcel {
	p := &Parcel{event: e, at: o.session.Agent.Now(), sync: true, Landed: make(chan struct{})}
	o.mu.Lock()
	o.add(p)
	o.mu.Unlock()
	return p
}

// Insert has f run after everything that was added so far and before what
// comes; with a nil f, all before it is brought to the disk. It does not wait.
func (o *outbox) Insert(f func() error) *Parcel {
	if f == nil {
		f = o.session.Log.Sync
	}
	p := &Parcel{do: f, Landed: make(chan struct{})}
	o.mu.Lock()
	o.add(p)
	o.mu.Unlock()
	return p
}

// Wait waits for a parcel, and tells what could not be recorded.
func (o *outbox) Wait(p *Parcel) error {
	<-p.Landed
	if err := o.Failure(); err != nil {
		return err
	}
	return p.Err
}

// Empty says whether everything is out.
func (o *outbox) Empty() bool {
	o.mu.Lock()
	defer o.mu.Unlock()
	return len(o.queue) == 0 && !o.busy
}

func (o *outbox) Failure() error {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.err
}

func (o *outbox) add(p *Parcel) {
	if n := len(o.queue); n > 0 && p.Landed == nil && o.queue[n-1].Landed == nil {
		if e, ok := transcript.Merge(o.queue[n-1].event, p.event); ok {
			o.queue[n-1].event = e
			return
		}
	}
	o.queue = append(o.queue, p)
	o.moved.Broadcast()
}

// Close waits until everything is out. Nothing may be added any more.
func (o *outbox) Close() {
	o.mu.Lock()
	o.closed = true
	o.moved.Broadcast()
	o.mu.Unlock()
	<-o.done
}

func (o *outbox) carry() {
	for {
		o.mu.Lock()
		for len(o.queue) == 0 && !o.closed {
			o.moved.Wait()
		}
		if len(o.queue) == 0 {
			o.mu.Unlock()
			return
		}
		p := o.queue[0]
		o.queue = o.queue[1:]
		broken := o.err != nil
		o.busy = true
		o.moved.Broadcast()
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
			o.moved.Broadcast()
		}
		o.mu.Unlock()
		if p.Landed != nil {
			close(p.Landed)
		}
	}
}

// deliver records an event and shows it. A client that is gone does not stop
// the recording.
func (o *outbox) deliver(p *Parcel) error {
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
func (o *outbox) show(u transcript.Update) (err error) {
	defer func() {
		if p := recover(); p != nil {
			o.session.Agent.Log.Error("showing an update panicked", "session", u.SessionID, "seq", u.Seq, "panic", p, "stack", string(debug.Stack()))
			err = fmt.Errorf("the client panicked: %v", p)
		}
	}()
	return o.session.Agent.Client.Show(context.WithoutCancel(o.ctx), u) // the last word must get out
}
