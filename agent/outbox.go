package agent

import (
	"context"
	"sync"
	"time"
)

// outboxLimit is how many updates may wait before whoever makes more of them
// waits too.
const outboxLimit = 1024

// outbox carries the events of one turn out: it merges those that wait, gives
// numbers, writes the log and then shows them, one after another.
type outbox struct {
	session *Session
	turnID  string
	ctx     context.Context // outlives the turn's cancellation: the last word must get out

	mu     sync.Mutex
	moved  sync.Cond // the queue was added to, taken from or closed
	queue  []*parcel
	closed bool
	err    error // the first failure to write the log; nothing is shown after it
	done   chan struct{}
}

// parcel is an event in the outbox.
type parcel struct {
	event  Event
	at     time.Time
	sync   bool          // on the disk before it is shown
	landed chan struct{} // closed when it is out; may be nil
}

func newOutbox(ctx context.Context, s *Session, turnID string) *outbox {
	o := &outbox{session: s, turnID: turnID, ctx: context.WithoutCancel(ctx), done: make(chan struct{})}
	o.moved.L = &o.mu
	go func() { // ends when close has been called and the queue is empty; close waits for it
		defer close(o.done)
		o.carry()
	}()
	return o
}

// put adds an event. It waits while the outbox is full.
func (o *outbox) put(e Event) {
	o.mu.Lock()
	defer o.mu.Unlock()
	for len(o.queue) >= outboxLimit && !o.closed && o.err == nil {
		o.moved.Wait()
	}
	o.add(&parcel{event: e, at: o.session.agent.now()})
}

// slip adds an event without ever waiting, for callers that must not.
func (o *outbox) slip(e Event) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.add(&parcel{event: e, at: o.session.agent.now()})
}

// settle adds an event, which may be nil, and waits until it and all before it
// are on the disk and shown.
func (o *outbox) settle(e Event) error {
	p := &parcel{event: e, at: o.session.agent.now(), sync: true, landed: make(chan struct{})}
	o.mu.Lock()
	o.add(p)
	o.mu.Unlock()
	<-p.landed
	return o.failure()
}

func (o *outbox) failure() error {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.err
}

func (o *outbox) add(p *parcel) {
	if n := len(o.queue); n > 0 && p.landed == nil && o.queue[n-1].landed == nil {
		if e, ok := merge(o.queue[n-1].event, p.event); ok {
			o.queue[n-1].event = e
			return
		}
	}
	o.queue = append(o.queue, p)
	o.moved.Broadcast()
}

// close waits until everything is out.
func (o *outbox) close() error {
	o.mu.Lock()
	o.closed = true
	o.moved.Broadcast()
	o.mu.Unlock()
	<-o.done
	return o.err
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
		o.moved.Broadcast()
		o.mu.Unlock()
		if !broken {
			if err := o.deliver(p); err != nil {
				o.mu.Lock()
				o.err = err
				o.moved.Broadcast()
				o.mu.Unlock()
			}
		}
		if p.landed != nil {
			close(p.landed)
		}
	}
}

// deliver records an event and shows it. A client that is gone does not stop
// the recording.
func (o *outbox) deliver(p *parcel) error {
	s := o.session
	if p.event == nil {
		return s.log.sync()
	}
	r := record{Turn: o.turnID, At: p.at, Event: p.event}
	if shown(p.event) {
		r.Seq = s.nextSeq()
	}
	if err := s.log.append(r, p.sync); err != nil {
		return err
	}
	if r.Seq > 0 {
		if err := s.agent.client.Show(o.ctx, Update{SessionID: s.id, Seq: r.Seq, TurnID: o.turnID, At: p.at, Event: p.event}); err != nil {
			s.agent.log.Debug("an update was not shown", "session", s.id, "seq", r.Seq, "err", err)
		}
	}
	return nil
}

// merge joins two events that follow one another into one that says the same.
func merge(a, b Event) (Event, bool) {
	switch b := b.(type) { //nolint:gochecksumtype // the other events stand alone
	case Text:
		a, ok := a.(Text)
		if !ok || a.MessageID != b.MessageID || a.Signature != nil {
			return nil, false
		}
		a.Text += b.Text
		a.Signature = b.Signature
		return a, true
	case Thought:
		a, ok := a.(Thought)
		if !ok || a.MessageID != b.MessageID || b.Subject != "" {
			return nil, false
		}
		a.Text += b.Text
		return a, true
	case ToolUpdate:
		a, ok := a.(ToolUpdate)
		if !ok || a.CallID != b.CallID || a.State != Executing || b.State != Executing || a.Live == "" || b.Live == "" {
			return nil, false
		}
		return b, true
	}
	return nil, false
}
