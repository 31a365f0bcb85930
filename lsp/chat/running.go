package chat

import (
	"context"
	"slices"
	"sync"

	"github.com/emendo-dev/emendo/agent"
	"github.com/emendo-dev/emendo/agent/transcript"
)

// turn is a prompt of this client, from its arrival until its answer.
type turn struct {
	sessionID string // written under the mutex of running
	ctx       context.Context
	stop      context.CancelCauseFunc
	injected  bool          // it may be queued
	question  Question      // that it was sent for; nil: none in a document
	begun     chan struct{} // closed when the agent has begun it
	accepted  chan struct{} // closed when the agent has accepted the prompt, as agent says
	agent     *agent.Turn   // once it is accepted
	done      chan struct{} // closed when it is answered

	// The agent gets the prompts of a session in the order of their arrival, so
	// that each waits for those before it.
	handed chan struct{} // closed when the agent has the prompt, or never will
	before []<-chan struct{}

	mu       sync.Mutex
	session  *agent.Session // once it is known
	id       string         // once the agent has begun it
	progress *progress      // nil: none is shown
}

// hand notes that the agent has the prompt, or never will.
func (t *turn) hand() { closeOnce(&t.mu, t.handed) }

// accept notes that the agent has accepted the prompt.
func (t *turn) accept() { closeOnce(&t.mu, t.accepted) }

// closeOnce closes a channel that mu guards, unless it is closed.
func closeOnce(mu *sync.Mutex, c chan struct{}) {
	mu.Lock()
	defer mu.Unlock()
	if !isClosed(c) {
		close(c)
	}
}

// running holds the turns that are not answered yet.
type running struct {
	mu    sync.Mutex
	turns []*turn // in the order of their arrival
}

// add records a prompt. It runs on the read loop, so that a cancel which follows
// the prompt always finds it.
func (l *running) add(ctx context.Context, t *turn) *turn {
	t.ctx, t.stop = context.WithCancelCause(ctx)
	t.begun, t.accepted, t.handed, t.done = make(chan struct{}), make(chan struct{}), make(chan struct{}), make(chan struct{})
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, o := range l.turns {
		if o.sessionID == t.sessionID && !isClosed(o.handed) {
			t.before = append(t.before, o.handed)
		}
	}
	l.turns = append(l.turns, t)
	return t
}

func isClosed(c <-chan struct{}) bool {
	select {
	case <-c:
		return true
	default:
		return false
	}
}

// join assigns a session to a turn that started without one.
func (l *running) join(t *turn, sessionID string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	t.sessionID = sessionID
}

// end removes a turn that is answered.
func (l *running) end(t *turn) {
	t.stop(nil)
	t.hand()
	l.mu.Lock()
	defer l.mu.Unlock()
	l.turns = slices.DeleteFunc(l.turns, func(o *turn) bool { return o == t })
	close(t.done)
}

// any reports whether there is a turn of a session, or of any for "", that the user
// does not have to resume first.
func (l *running) any(sessionID string) bool {
	return slices.ContainsFunc(l.of(sessionID), func(t *turn) bool { return !t.paused() })
}

// of returns the turns of a session; of all sessions for "".
func (l *running) of(sessionID string) []*turn {
	l.mu.Lock()
	defer l.mu.Unlock()
	return slices.DeleteFunc(slices.Clone(l.turns), func(t *turn) bool { return sessionID != "" && t.sessionID != sessionID })
}

// cancel cancels what runs in a session, or one call of it. Of the prompts that
// the agent does not have yet, an injected one stays unless there is nothing else.
func (l *running) cancel(sessionID, callID string) {
	var ses *agent.Session
	var injected *turn
	stopped := false
	for _, t := range l.of(sessionID) {
		switch {
		case isClosed(t.handed):
			ses = t.in()
		case callID != "":
		case !t.injected:
			t.stop(transcript.ErrCancelled)
			stopped = true
		case injected == nil:
			injected = t
		}
	}
	switch {
	case ses != nil:
		ses.Cancel(callID)
	case injected != nil && !stopped:
		injected.stop(transcript.ErrCancelled)
	}
}

// drop ends the turns of a session, or of all for "", and removes queued ones. It
// returns when they have ended, or when ctx ends.
func (l *running) drop(ctx context.Context, sessionID string) error {
	turns := l.of(sessionID)
	for _, t := range turns {
		t.drop()
	}
	for _, t := range turns {
		select {
		case <-t.done:
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
	return nil
}

// find returns the turn that has the agent's ID, or nil.
func (l *running) find(turnID string) *turn {
	if turnID == "" {
		return nil
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if i := slices.IndexFunc(l.turns, func(t *turn) bool { return t.turnID() == turnID }); i >= 0 {
		return l.turns[i]
	}
	return nil
}

// turnID returns the agent's ID, which is empty until the turn has begun.
func (t *turn) turnID() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.id
}

// show notes the progress that shows the turn.
func (t *turn) show(p *progress) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.progress = p
}

// shown returns the progress that shows the turn, or nil.
func (t *turn) shown() *progress {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.progress
}

// in returns the session, or nil as long as it is not known.
func (t *turn) in() *agent.Session {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.session
}

// paused reports whether the turn is in a queue that is paused.
func (t *turn) paused() bool {
	ses := t.in()
	if ses == nil || !t.injected || !isClosed(t.handed) || t.turnID() != "" {
		return false
	}
	_, paused := ses.Queue()
	return paused
}

// drop ends the turn. A queued prompt is not cancelled by that: the session keeps
// it until it is resumed.
func (t *turn) drop() {
	if t.injected && t.turnID() == "" {
		t.stop(nil)
		return
	}
	t.stop(transcript.ErrCancelled)
}
