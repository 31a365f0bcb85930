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
// ([Session.starts]), so that records and changes go through its outbox; its end is
// about to be shown ([owner.TurnEnding]), so that the session is no longer busy; all of it
// is recorded ([state.Outbox.End]); the session is released ([Turn.ended]).
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

// A sessionMessage is run by the session's goroutine. If it returns errLater, it has to wait;
// it is then called again after the next message.
type sessionMessage func(l *sessionLoop) error

var errLater = errors.New("the message has to wait")

// recheck makes the goroutine check its pending messages again: a context has ended.
func recheck(*sessionLoop) error { return nil }

func (l *sessionLoop) run() {
	for !l.ended {
		l.pending = append(l.pending, <-l.session.messages)
		for l.handlePending() || l.dropCancelled() || l.startQueued() {
		}
		l.noteWaiting()
	}
	for _, t := range l.queue {
		t.finish(state.Ended{}, l.session.errClosed())
	}
	close(l.session.ended)
}

// handlePending reports whether a message was handled.
func (l *sessionLoop) handlePending() bool {
	n := len(l.pending)
	l.pending = slices.DeleteFunc(l.pending, func(m sessionMessage) bool { return !errors.Is(m(l), errLater) })
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
	l.setHolder(aTurn)
	l.paused = false // the user has resumed
	go t.run()       // it calls ended at its end
}

func (l *sessionLoop) setHolder(by holder) {
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

// ask sends a message, waits until it has run, and returns its error. After ctx ends the
// message runs once more.
func (s *Session) ask(ctx context.Context, m sessionMessage) error {
	reply := make(chan error, 1)
	if !s.send(func(l *sessionLoop) error {
		err := m(l)
		if !errors.Is(err, errLater) {
			reply <- err
		}
		return err
	}) {
		return s.errClosed()
	}
	over := ctx.Done()
	for {
		select {
		case err := <-reply:
			return err
		case <-s.ended:
			select {
			case err := <-reply:
				return err
			default:
				return s.errClosed()
			}
		case <-over:
			over = nil
			s.send(recheck)
		}
	}
}

// inspect calls f on the session's goroutine, unless that has ended. f must not block.
func (s *Session) inspect(f func(*sessionLoop)) {
	_ = s.ask(context.Background(), func(l *sessionLoop) error { f(l); return nil })
}

func (s *Session) errClosed() error {
	return fmt.Errorf("%s was closed: %w", s.State.SessionID, transcript.ErrUnknownSession)
}

// acquire takes the session for a short task. The caller must release it. It fails with
// [transcript.ErrBusy] while a turn runs, and waits for other tasks and for a turn that has
// already shown its end.
func (s *Session) acquire(ctx context.Context) error {
	return s.ask(ctx, func(l *sessionLoop) error {
		if l.holder == aTurn && !l.ending && !l.closed {
			return transcript.ErrBusy
		}
		return l.acquire(ctx)
	})
}

// acquire lets a task hold the session once nobody does, unless ctx ends before.
func (l *sessionLoop) acquire(ctx context.Context) error {
	switch {
	case l.closed:
		return l.session.errClosed()
	case l.holder == nobody:
		l.setHolder(aTask)
		return nil
	case ctx.Err() != nil:
		return context.Cause(ctx)
	}
	return errLater
}

// release releases the session after a task.
func (s *Session) release() {
	s.send(func(l *sessionLoop) error { l.clearHolder(); return nil })
}

func (l *sessionLoop) clearHolder() { l.holder, l.running, l.ending = nobody, nil, false }

// ended reports that a turn no longer holds the session.
func (t *Turn) ended(end state.Ended, err error) {
	t.session.send(func(l *sessionLoop) error {
		l.clearHolder()
		if t.how != Alone && end.TurnID == "" && err != nil && !errors.Is(err, transcript.ErrInternal) { // it did not start
			l.abandon(t, err)
		}
		t.finish(end, err)
		return nil
	})
}

// betweenUpdates runs f while no update of the session is being delivered: between
// two updates of the running turn, or with the session held.
func (s *Session) betweenUpdates(ctx context.Context, f func() error) error {
	var pause *state.Delivery
	err := s.ask(ctx, func(l *sessionLoop) error {
		if l.running != nil {
			pause = s.State.Outbox.Pause()
			return nil
		}
		return l.acquire(ctx)
	})
	switch {
	case err != nil:
		return err
	case pause != nil:
		<-pause.Done
		defer pause.Resume()
	default:
		defer s.release()
	}
	return f()
}

// starts lets a turn that holds the session take events, prompts and changes. It waits until
// all earlier records are in the log, and reports whether the turn was cancelled before. A
// slash command takes no steers.
func (s *Session) starts(t *turn.Turn, command bool) (cancelled bool) {
	s.inspect(func(l *sessionLoop) { // the turn holds the session, so it is not closed
		l.running, l.steers, l.steersClosed, l.interrupted = t, nil, command, false
		cancelled = l.cancelled
	})
	return cancelled
}

// Cancel cancels the running turn, or one call of it. If no turn runs, it removes
// the next prompt from the queue. It does not wait.
func (s *Session) Cancel(callID string) {
	s.send(func(l *sessionLoop) error {
		switch {
		case l.running != nil:
			l.running.Stop(callID)
		case l.holder == aTurn && callID == "":
			l.cancelled = true
		case len(l.queue) > 0 && !l.paused && callID == "":
			l.queue[0].Cancel()
		}
		return nil
	})
}

// shutDown prevents further turns.
func (l *sessionLoop) shutDown() error {
	l.closing = true
	for _, t := range l.queue {
		t.finish(state.Ended{}, l.session.errClosed())
	}
	l.queue = nil
	return nil
}

// stop ends the session's goroutine, and waits until everything is in the log. The session
// must be held or closed.
func (s *Session) stop() {
	s.send(func(l *sessionLoop) error { l.closed, l.ended = true, true; return nil })
	<-s.ended
	s.State.Outbox.Close()
}
