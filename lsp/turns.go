package lsp

import (
	"context"
	"errors"
	"sync"

	"github.com/emendo-dev/emendo/agent"
	"github.com/emendo-dev/emendo/agent/model"
)

// turn is a prompt of this client, from when it came until it is answered.
type turn struct {
	sessionID string // written under the mutex of its turns
	ctx       context.Context
	stop      context.CancelCauseFunc
	progress  *progress // nil when none is shown; set before the turn begins

	mu      sync.Mutex
	session *agent.Session // once it is known
	id      string         // once the agent has begun it
}

// turns are those that are not answered yet.
type turns struct {
	mu      sync.Mutex
	running map[*turn]bool
	idle    []idle
}

// idle is who waits for the end of a session's turns, or of all.
type idle struct {
	sessionID string // empty: of all
	done      chan struct{}
}

// begin notes a prompt. It runs on the read loop, so that a cancel which comes
// after the prompt always finds it.
func (l *turns) begin(ctx context.Context, sessionID string) *turn {
	ctx, stop := context.WithCancelCause(ctx)
	t := &turn{sessionID: sessionID, ctx: ctx, stop: stop}
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.running == nil {
		l.running = map[*turn]bool{}
	}
	l.running[t] = true
	return t
}

// join says which session a turn is of that began without one.
func (l *turns) join(t *turn, sessionID string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	t.sessionID = sessionID
}

func (l *turns) end(t *turn) {
	t.stop(nil)
	l.mu.Lock()
	defer l.mu.Unlock()
	delete(l.running, t)
	left := l.idle[:0]
	for _, w := range l.idle {
		if l.busy(w.sessionID) {
			left = append(left, w)
		} else {
			close(w.done)
		}
	}
	l.idle = left
}

// busy says whether a turn of the session runs, or, for none named, any; l.mu
// is held.
func (l *turns) busy(sessionID string) bool {
	for t := range l.running {
		if sessionID == "" || t.sessionID == sessionID {
			return true
		}
	}
	return false
}

// anyRuns says whether the client waits for the model.
func (l *turns) anyRuns() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return len(l.running) > 0
}

// cancel ends a session's turns, or one call of them. The channel is closed
// when no turn of the session runs any more.
func (l *turns) cancel(sessionID, callID string) <-chan struct{} {
	l.mu.Lock()
	defer l.mu.Unlock()
	for t := range l.running {
		if t.sessionID == sessionID {
			t.cancel(callID)
		}
	}
	return l.whenIdle(sessionID)
}

// cancelAll ends every turn. The channel is closed when none runs any more.
func (l *turns) cancelAll() <-chan struct{} {
	l.mu.Lock()
	defer l.mu.Unlock()
	for t := range l.running {
		t.cancel("")
	}
	return l.whenIdle("")
}

// whenIdle is closed when the session has no turn; l.mu is held.
func (l *turns) whenIdle(sessionID string) <-chan struct{} {
	done := make(chan struct{})
	if l.busy(sessionID) {
		l.idle = append(l.idle, idle{sessionID, done})
	} else {
		close(done)
	}
	return done
}

// find gives the turn that the agent knows by that id, or nil.
func (l *turns) find(turnID string) *turn {
	l.mu.Lock()
	defer l.mu.Unlock()
	for t := range l.running {
		if t.is(turnID) {
			return t
		}
	}
	return nil
}

func (t *turn) is(turnID string) bool { return turnID != "" && t.turnID() == turnID }

// turnID is the agent's; empty as long as the turn has not begun.
func (t *turn) turnID() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.id
}

func (t *turn) cancel(callID string) {
	t.mu.Lock()
	ses := t.session
	t.mu.Unlock()
	switch {
	case callID == "":
		t.stop(agent.ErrCancelled)
	case ses != nil:
		ses.Cancel(callID)
	}
}

// runTurn takes a turn to its end.
func (s *server) runTurn(t *turn, p agent.Prompt) (agent.Ended, error) {
	ses, err := s.session(t.ctx, t.sessionID)
	if err != nil {
		return agent.Ended{}, err
	}
	if err := t.ctx.Err(); err != nil {
		return agent.Ended{}, context.Cause(t.ctx)
	}
	t.mu.Lock()
	t.session = ses
	t.mu.Unlock()
	begun := p.Begun
	p.Begun = func(id string) {
		t.mu.Lock()
		t.id = id
		t.mu.Unlock()
		s.current.set(ses.ID())
		if begun != nil {
			begun(id)
		}
		s.announce.touch()
	}
	end, err := ses.Prompt(t.ctx, p)
	var provider *model.Error
	if signedOut := errors.As(err, &provider) && provider.Kind == model.Auth; signedOut || err == nil {
		s.signedOut.Store(signedOut)
	}
	return end, err
}

// endTurn notes that a prompt is answered.
func (s *server) endTurn(t *turn) {
	s.turns.end(t)
	s.announce.touch()
}

// currentSession is the one that commands mean when they name none: the last
// that was prompted or made by a command.
type currentSession struct {
	making sync.Mutex // held while one is made

	mu sync.Mutex
	id string
}

func (c *currentSession) get() string {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.id
}

func (c *currentSession) set(id string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.id = id
}

func (c *currentSession) forget(id string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.id == id {
		c.id = ""
	}
}
