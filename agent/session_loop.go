package agent

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/emendo-dev/emendo/agent/state"
	"github.com/emendo-dev/emendo/agent/transcript"
	"github.com/emendo-dev/emendo/agent/turn"
)

// sessionLoop decides who holds a session and in which order its prompts run. Each
// session has one goroutine that runs the loop, and only that goroutine accesses
// its fields; others send it messages. It blocks only on messages: turns, tasks,
// and log reads and writes have their own goroutines.
//
// A turn goes through these steps: its prompt is submitted and, unless it runs
// at once, queued; the turn holds the session ([sessionLoop.start]); it runs
// ([turnStarted]), so that records and changes go through its outbox; its end is
// about to be shown ([turnEnding]), so that the session is no longer busy; its
// outbox is empty ([turnFlushed]); the session is released ([released]).
type sessionLoop struct {
	session *Session
	pending []sessionMessage // messages that wait for another one

	holder  holder
	running *turn.Turn // the running turn; nil between turns

	steers       []*Turn // prompts that wait for the next step of the running turn
	steersClosed bool    // the running turn takes no more steers
	interrupted  bool    // another prompt interrupted the running turn

	ending    bool // the end of the running turn is about to be shown
	cancelled bool // the turn that holds the session was cancelled before it ran

	queue    []*Turn             // run one after another once the session is free
	paused   bool                // the queue is paused because the user cancelled a turn
	orphaned []transcript.Queued // queued prompts of an earlier process, or whose turn could not start

	unwritten []unwritten // records from between turns, in order
	writing   bool        // a batch is being written

	closing bool // no more turns start
	closed  bool // nothing more starts
	ended   bool // the goroutine returns
}

// holder is the kind of work that holds a session.
type holder int

const (
	nobody holder = iota
	aTurn
	aTask // something short, such as a change of the mode
)

// A sessionMessage asks the session's goroutine for something:
//   - who holds the session: [acquire], [released], [insertion], [change],
//     [turnStarted], [turnEnding], [turnFlushed], [cancellation], [shutdown], [stop]
//   - prompts: [submission], [recorded], [steers], [queueEdit], [queueResume],
//     [orphanRecords], [orphans], [restoration]
//   - records: [keep], [flush], [written]
//   - [inspection], and [wake] for a context that has ended
//
//sumtype:decl
type sessionMessage interface {
	// handle handles the message. It returns false if the message has to wait; it
	// is then called again after the next message.
	handle(l *sessionLoop) bool
}

func (l *sessionLoop) run() {
	for !l.ended {
		l.pending = append(l.pending, <-l.session.messages)
		for l.handlePending() || l.dropCancelled() || l.startQueued() {
		}
		l.noteWaiting()
		l.write()
	}
	for _, t := range l.queue {
		t.finish(state.Ended{}, l.session.errClosed())
	}
	close(l.session.ended)
}

// handlePending reports whether a message was handled.
func (l *sessionLoop) handlePending() bool {
	n := len(l.pending)
	l.pending = slices.DeleteFunc(l.pending, func(m sessionMessage) bool { return m.handle(l) })
	return len(l.pending) < n
}

// dropCancelled removes queued prompts whose context has ended.
func (l *sessionLoop) dropCancelled() bool {
	i := slices.IndexFunc(l.queue, func(t *Turn) bool { return t.recorded && t.cause() != nil })
	if i < 0 {
		return false
	}
	t := l.queue[i]
	l.queue = slices.Delete(l.queue, i, i+1)
	l.abandon(t, t.cause())
	t.finish(state.Ended{}, t.cause())
	return true
}

// abandon hands the prompt of a turn that did not start over to the next turn, or
// drops it if the user cancelled it.
func (l *sessionLoop) abandon(t *Turn, why error) {
	switch {
	case !errors.Is(why, transcript.ErrCancelled):
		l.orphaned = append(l.orphaned, t.queued())
	case l.session.State.Record.IsStored():
		l.record(transcript.Unqueued{MessageID: t.prompt.MessageID})
	}
}

// startQueued starts the first queued turn if it may run now.
func (l *sessionLoop) startQueued() bool {
	if l.holder != nobody || l.paused || l.closing || l.closed || len(l.queue) == 0 || !l.queue[0].recorded {
		return false
	}
	t := l.queue[0]
	l.queue = slices.Delete(l.queue, 0, 1)
	l.start(t)
	return true
}

// noteWaiting tells the queued turns that they wait for another one or for the user.
func (l *sessionLoop) noteWaiting() {
	if !l.paused && l.holder != aTurn {
		return
	}
	for _, t := range l.queue {
		if !t.waiting {
			t.waiting = true
			close(t.waits)
		}
	}
}

// start lets a turn hold the session and starts it.
func (l *sessionLoop) start(t *Turn) {
	l.hold(aTurn)
	l.paused = false // the user has resumed
	go t.run()       // it sends released at its end
}

func (l *sessionLoop) hold(by holder) {
	l.holder, l.ending, l.cancelled = by, false, false
}

// send sends a message to the session's goroutine. It reports false, and drops the
// message, if the goroutine has ended.
func (s *Session) send(m sessionMessage) bool {
	select {
	case s.messages <- m:
		return true
	case <-s.ended:
		return false
	}
}

// request sends m and waits for the reply. It returns false if the session was
// closed. After ctx ends it returns soon.
func request[T any](ctx context.Context, s *Session, m sessionMessage, reply <-chan T) (T, bool) {
	var none T
	if !s.send(m) {
		return none, false
	}
	over := ctx.Done()
	for {
		select {
		case r := <-reply:
			return r, true
		case <-s.ended:
			select {
			case r := <-reply:
				return r, true
			default:
				return none, false
			}
		case <-over:
			over = nil
			s.send(wake{})
		}
	}
}

// inspect calls f on the session's goroutine. It reports false if the goroutine has
// ended. f must not block.
func (s *Session) inspect(f func(*sessionLoop)) bool {
	done := make(chan struct{}, 1)
	_, ok := request(context.Background(), s, inspection{f, done}, done)
	return ok
}

func (s *Session) errClosed() error {
	return fmt.Errorf("%s was closed: %w", s.State.SessionID, transcript.ErrUnknownSession)
}

// grant answers a request for the session.
type grant struct {
	held bool            // the requester holds the session until it releases it
	in   *state.Delivery // the request is in the outbox of the running turn; nil: it is done
	err  error
}

// acquire requests the session for a short task. It fails with [transcript.ErrBusy]
// while a turn runs, and waits for other tasks and for a turn that has already
// shown its end.
type acquire struct {
	gaveUp func() error // returns why the requester's context has ended; nil: it has not
	reply  chan<- grant
}

func (m *acquire) handle(l *sessionLoop) bool {
	switch {
	case l.closed:
		m.reply <- grant{err: l.session.errClosed()}
	case l.holder == aTurn && !l.ending:
		m.reply <- grant{err: transcript.ErrBusy}
	case l.holder == nobody:
		l.hold(aTask)
		m.reply <- grant{held: true}
	case m.gaveUp() != nil:
		m.reply <- grant{err: m.gaveUp()}
	default:
		return false
	}
	return true
}

// acquire takes the session for a short task. The caller must release it.
func (s *Session) acquire(ctx context.Context) error {
	reply := make(chan grant, 1)
	g, ok := request(ctx, s, &acquire{func() error { return context.Cause(ctx) }, reply}, reply)
	if !ok {
		return s.errClosed()
	}
	return g.err
}

// released reports that the session is no longer held.
type released struct {
	turn *Turn // the turn that held it; nil: a task did
	end  state.Ended
	err  error
}

func (m *released) handle(l *sessionLoop) bool {
	l.holder, l.running, l.ending = nobody, nil, false
	if t := m.turn; t != nil {
		if t.how != Alone && m.end.TurnID == "" && m.err != nil && !errors.Is(m.err, transcript.ErrInternal) { // it did not start
			l.abandon(t, m.err)
		}
		t.finish(m.end, m.err)
	}
	return true
}

// release releases the session.
func (s *Session) release() { s.send(&released{}) }

// insertion runs do between two updates of the running turn, or acquires the
// session if no turn runs.
type insertion struct {
	do     func() error
	gaveUp func() error
	reply  chan<- grant
}

func (m *insertion) handle(l *sessionLoop) bool {
	switch {
	case l.running != nil:
		m.reply <- grant{in: l.running.Conversation().Outbox.Insert(m.do)}
	case l.closed:
		m.reply <- grant{err: l.session.errClosed()}
	case l.holder == nobody:
		l.hold(aTask)
		m.reply <- grant{held: true}
	case m.gaveUp() != nil:
		m.reply <- grant{err: m.gaveUp()}
	default:
		return false
	}
	return true
}

// betweenUpdates runs f while no update of the session is being delivered: between
// two updates of the running turn, or with the session held.
func (s *Session) betweenUpdates(ctx context.Context, f func() error) error {
	reply := make(chan grant, 1)
	g, ok := request(ctx, s, &insertion{f, func() error { return context.Cause(ctx) }, reply}, reply)
	switch {
	case !ok:
		return s.errClosed()
	case g.in != nil:
		<-g.in.Done
		return g.in.Err
	case g.held:
		defer s.release()
		return f()
	}
	return g.err
}

// change changes a session. During a turn it is recorded as an update of the turn.
// Otherwise the requester gets the session and records the change itself; in a
// session that is not stored yet, with the first prompt.
type change struct {
	set   func(*transcript.SessionInfo) // called by [state.Record.SetInfo], so it must not call the record
	event transcript.Event              // while a turn runs
	reply chan<- grant
}

func (m *change) handle(l *sessionLoop) bool {
	s := l.session
	switch {
	case l.running != nil && !l.ending:
		s.State.Record.SetInfo(m.set)
		l.running.Conversation().Outbox.PutNow(m.event)
		m.reply <- grant{}
	case l.closed:
		m.reply <- grant{err: s.errClosed()}
	case l.holder == nobody && !s.State.Record.IsStored():
		s.State.Record.SetInfo(m.set)
		m.reply <- grant{}
	case l.holder == nobody:
		l.hold(aTask)
		m.reply <- grant{held: true}
	default:
		return false
	}
	return true
}

// turnStarted reports that the turn that holds the session runs. It waits until all
// earlier records are in the log.
type turnStarted struct {
	turn    *turn.Turn
	command bool        // it is a slash command: it takes no steers
	reply   chan<- bool // whether the turn was cancelled before it ran
}

func (m *turnStarted) handle(l *sessionLoop) bool {
	if l.writing || len(l.unwritten) > 0 {
		return false
	}
	l.running, l.steers, l.steersClosed, l.interrupted = m.turn, nil, m.command, false
	m.reply <- l.cancelled
	return true
}

// turnEnding reports that the end of the running turn is about to be shown. Later
// changes wait until its outbox is empty.
type turnEnding struct {
	pauses bool // pause the queue
}

func (m *turnEnding) handle(l *sessionLoop) bool {
	l.ending = true
	if m.pauses {
		l.paused = len(l.queue) > 0 && !l.interrupted
	}
	return true
}

// turnFlushed asks whether the outbox of the running turn is empty. If so, the
// turn no longer runs, and nothing more is added to the outbox.
type turnFlushed struct{ reply chan<- bool }

func (m *turnFlushed) handle(l *sessionLoop) bool {
	out := l.running == nil || l.running.Conversation().Outbox.Empty()
	if out {
		l.running = nil
	}
	m.reply <- out
	return true
}

// cancellation cancels the running turn, or one call of it. If no turn runs, it
// removes the next prompt from the queue.
type cancellation struct{ callID string }

func (m *cancellation) handle(l *sessionLoop) bool {
	switch {
	case l.running != nil:
		l.running.Stop(m.callID)
	case l.holder == aTurn && m.callID == "":
		l.cancelled = true
	case len(l.queue) > 0 && !l.paused && m.callID == "":
		l.queue[0].Cancel()
	}
	return true
}

// Cancel cancels the running turn, or one call of it. If no turn runs, it removes
// the next prompt from the queue. It does not wait.
func (s *Session) Cancel(callID string) { s.send(&cancellation{callID}) }

// shutdown prevents further turns. With a reply it waits until the session is not
// held, closes it, and replies whether it was open.
type shutdown struct{ reply chan<- bool }

func (m *shutdown) handle(l *sessionLoop) bool {
	l.closing = true
	for _, t := range l.queue {
		t.finish(state.Ended{}, l.session.errClosed())
	}
	l.queue = nil
	if m.reply == nil {
		return true
	}
	if l.holder != nobody {
		return false
	}
	m.reply <- !l.closed
	l.closed = true
	return true
}

// stop ends the goroutine once everything is in the log.
type stop struct {
	discard bool // drop unwritten records: the log is deleted
}

func (m *stop) handle(l *sessionLoop) bool {
	l.closed = true
	if m.discard {
		for _, w := range l.unwritten {
			if w.done != nil {
				w.done <- l.session.errClosed()
			}
		}
		l.unwritten = nil
	}
	l.ended = !l.writing && len(l.unwritten) == 0
	return l.ended
}

// stop ends the session's goroutine. The session must be held or closed.
func (s *Session) stop(discard bool) {
	s.send(&stop{discard})
	<-s.ended
}

// inspection calls a function on the goroutine.
type inspection struct {
	look func(*sessionLoop)
	done chan<- struct{}
}

func (m inspection) handle(l *sessionLoop) bool {
	m.look(l)
	m.done <- struct{}{}
	return true
}

// wake makes the goroutine check its pending messages again: a context has ended.
type wake struct{}

func (wake) handle(*sessionLoop) bool { return true }
