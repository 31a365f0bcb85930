package state

import (
	"cmp"
	"context"
	"fmt"
	"runtime/debug"
	"sync"
	"time"

	"github.com/emendo-dev/emendo/agent/transcript"
)

// outboxLimit is the number of queued updates at which Put starts to wait.
const outboxLimit = 1024

// Outbox delivers the events of a session in order: it merges queued events, numbers
// them, writes them to the log and shows them.
type Outbox struct {
	session *Session

	mu      sync.Mutex
	changed sync.Cond // an event was delivered, or could not be
	queue   []*Delivery
	busy    bool // a goroutine delivers
	closed  bool

	turn string          // the ID of the turn that runs; empty between turns
	ctx  context.Context // the turn's
	err  error           // the turn's first error of writing the log; nothing of it is shown after that
}

// Delivery is an event in the outbox.
type Delivery struct {
	event transcript.Event // nil: everything so far is synced to disk
	turn  string           // that it belongs to; empty: none
	at    time.Time
	sync  bool          // sync to disk before showing
	Done  chan struct{} // closed when it was delivered; may be nil
	held  chan struct{} // in place of an event: the outbox waits until it is closed; may be nil
	err   error         // of writing or syncing the log; valid once Done is closed
}

// Resume lets the outbox go on after [Outbox.Pause].
func (p *Delivery) Resume() { close(p.held) }

// Wait waits for the delivery and returns its error.
func (p *Delivery) Wait() error {
	<-p.Done
	return p.err
}

func newOutbox(s *Session) *Outbox {
	o := &Outbox{session: s, ctx: context.Background()}
	o.changed.L = &o.mu
	return o
}

// Begin makes what is added from now on part of a turn.
func (o *Outbox) Begin(ctx context.Context, turnID string) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.turn, o.ctx, o.err = turnID, ctx, nil
}

// End waits until the turn's events are on disk and shown, and ends the turn. It returns the
// first error of writing the log.
func (o *Outbox) End() error {
	flushed := o.Flush(nil)
	o.mu.Lock()
	defer o.mu.Unlock()
	err := cmp.Or(o.err, flushed)
	o.turn, o.ctx, o.err = "", context.Background(), nil
	return err
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
	o.add(&Delivery{event: e})
}

// putSynced is like Put for an event that is synced to disk before it is shown.
func (o *Outbox) putSynced(e transcript.Event) { o.insert(&Delivery{event: e, sync: true}) }

// PutNow is like Put but never waits.
func (o *Outbox) PutNow(e transcript.Event) { o.insert(&Delivery{event: e}) }

// Flush adds an event, which may be nil, and waits until it and everything before
// it is on disk and shown.
func (o *Outbox) Flush(e transcript.Event) error { return o.Enqueue(e).Wait() }

// Enqueue is like Flush without the waiting.
func (o *Outbox) Enqueue(e transcript.Event) *Delivery {
	return o.insert(&Delivery{event: e, sync: true, Done: make(chan struct{})})
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

// Delivered waits until everything so far is delivered. It returns the turn's first error of
// that.
func (o *Outbox) Delivered() error {
	p := o.Pause()
	<-p.Done
	p.Resume()
	return o.Err()
}

// Empty reports whether everything was delivered.
func (o *Outbox) Empty() bool {
	o.mu.Lock()
	defer o.mu.Unlock()
	return !o.busy
}

// Err returns the turn's first error of a delivery, or nil.
func (o *Outbox) Err() error {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.err
}

// add adds a delivery to those of the turn. The caller holds the lock.
func (o *Outbox) add(p *Delivery) {
	p.turn, p.at = o.turn, o.session.Agent.Now()
	if o.closed {
		if p.event != nil {
			p.err = fmt.Errorf("%s was closed: %w", o.session.SessionID, transcript.ErrUnknownSession)
		}
		o.end(p)
		return
	}
	if n := len(o.queue); n > 0 && p.Done == nil && o.queue[n-1].Done == nil && o.queue[n-1].turn == p.turn {
		if e, ok := transcript.Merge(o.queue[n-1].event, p.event); ok {
			o.queue[n-1].event = e
			return
		}
	}
	o.queue = append(o.queue, p)
	if !o.busy {
		o.busy = true
		go o.deliverAll() // ends when the queue is empty; Close waits for it
	}
}

// Close waits until everything is delivered. What is added later is not.
func (o *Outbox) Close() {
	o.mu.Lock()
	defer o.mu.Unlock()
	for o.closed = true; o.busy; {
		o.changed.Wait()
	}
}

func (o *Outbox) deliverAll() {
	for p, ctx := o.next(); p != nil; p, ctx = o.next() {
		switch {
		case p.held != nil:
			close(p.Done)
			<-p.held
			continue
		case p.err != nil: // the log could not be written
		case p.event == nil:
			p.err = o.session.Log.Sync()
		default:
			if p.err = o.deliver(ctx, p); p.err != nil && p.turn != "" {
				o.mu.Lock()
				o.err = p.err
				o.changed.Broadcast()
				o.mu.Unlock()
			}
		}
		o.end(p)
	}
}

// next takes the next delivery from the queue, and returns it with the turn's context; nil if
// there is none.
func (o *Outbox) next() (*Delivery, context.Context) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.changed.Broadcast()
	if len(o.queue) == 0 {
		o.busy = false
		return nil, nil
	}
	p := o.queue[0]
	o.queue = o.queue[1:]
	if p.turn != "" {
		p.err = o.err
	}
	return p, o.ctx
}

// end tells whoever waits for a delivery how it ended. An error between turns for which nobody
// waits is logged.
func (o *Outbox) end(p *Delivery) {
	if p.Done != nil {
		close(p.Done)
	} else if p.err != nil && p.turn == "" {
		o.session.Agent.Log.Error("write a record", "session", o.session.SessionID, "kind", transcript.KindOf(p.event), "err", p.err)
	}
}

// deliver records an event and shows it. It also records events that the client
// cannot be shown.
func (o *Outbox) deliver(ctx context.Context, p *Delivery) error {
	s := o.session
	r := transcript.Record{Turn: p.turn, At: p.at, Event: p.event}
	if transcript.Shown(p.event) {
		r.Seq = s.Record.NextSeq()
	}
	if err := s.Log.Append(r, p.sync); err != nil {
		return err
	}
	if observer := s.Agent.Options.Observer; observer != nil && p.turn != "" {
		observer.Event(s.SessionID, p.turn, p.at, p.event)
	}
	if r.Seq > 0 {
		if err := o.show(ctx, transcript.Update{SessionID: s.SessionID, Seq: r.Seq, TurnID: p.turn, At: p.at, Event: p.event}); err != nil {
			s.Agent.Log.Debug("an update was not shown", "session", s.SessionID, "seq", r.Seq, "err", err)
		}
	}
	return nil
}

// show shows an update and recovers from a panic of the client, which nothing else
// would catch on this goroutine.
func (o *Outbox) show(ctx context.Context, u transcript.Update) (err error) {
	defer func() {
		if p := recover(); p != nil {
			o.session.Agent.Log.Error("the client panicked while showing an update", "session", u.SessionID, "seq", u.Seq, "panic", p, "stack", string(debug.Stack()))
			err = fmt.Errorf("the client panicked: %v", p)
		}
	}()
	return o.session.Agent.Client.Show(context.WithoutCancel(ctx), u) // a cancelled turn still shows its end
}
