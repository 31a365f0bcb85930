package lsp

import (
	"context"
	"errors"
	"slices"
	"sync"

	"github.com/emendo-dev/emendo/agent"
	"github.com/emendo-dev/emendo/agent/model"
)

// turn is a prompt of this client, from when it came until it is answered.
type turn struct {
	sessionID string // written under the mutex of its turns
	ctx       context.Context
	stop      context.CancelCauseFunc
	progress  *progress     // nil when none is shown; set before the turn begins
	injected  bool          // it may wait for another one
	known     chan struct{} // closed when the agent knows of it, or never will
	made      func()        // closes known

	// What the agent has to know of before it: the session's prompts that came
	// earlier. They are taken in as they came, whatever runs first.
	before []<-chan struct{}

	mu      sync.Mutex
	session *agent.Session // once it is known
	id      string         // once the agent has begun it
}

// turns are those that are not answered yet.
type turns struct {
	mu      sync.Mutex
	running []*turn // in the order they came
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
	return l.note(ctx, &turn{sessionID: sessionID})
}

// inject is begin for a prompt that is injected.
func (l *turns) inject(ctx context.Context, sessionID string) *turn {
	return l.note(ctx, &turn{sessionID: sessionID, injected: true})
}

func (l *turns) note(ctx context.Context, t *turn) *turn {
	t.ctx, t.stop = context.WithCancelCause(ctx)
	t.known = make(chan struct{})
	t.made = sync.OnceFunc(func() { close(t.known) })
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, o := range l.running {
		if o.sessionID == t.sessionID && !o.isKnown() {
			t.before = append(t.before, o.known)
		}
	}
	l.running = append(l.running, t)
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
	t.made()
	l.mu.Lock()
	defer l.mu.Unlock()
	l.running = slices.DeleteFunc(l.running, func(o *turn) bool { return o == t })
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
	return slices.ContainsFunc(l.running, func(t *turn) bool { return sessionID == "" || t.sessionID == sessionID })
}

// anyRuns says whether the client waits for the model.
func (l *turns) anyRuns() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return len(l.running) > 0
}

// cancel ends what runs of a session, or one call of it. A prompt that waits
// for its turn keeps waiting, unless there is nothing but such prompts.
func (l *turns) cancel(sessionID, callID string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	var waiting []*turn
	found := false
	for _, t := range l.running {
		switch {
		case t.sessionID != sessionID:
		case t.injected && t.turnID() == "":
			waiting = append(waiting, t)
		default:
			t.cancel(callID)
			found = true
		}
	}
	if !found && len(waiting) > 0 && !waiting[0].standsStill() {
		waiting[0].cancel(callID)
	}
}

// drop ends a session's turns and those that wait. The channel is closed when
// there is none any more.
func (l *turns) drop(sessionID string) <-chan struct{} {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, t := range l.running {
		if t.sessionID == sessionID {
			t.drop()
		}
	}
	return l.whenIdle(sessionID)
}

// cancelAll ends every turn. The channel is closed when none runs any more.
func (l *turns) cancelAll() <-chan struct{} {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, t := range l.running {
		t.drop()
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
	if i := slices.IndexFunc(l.running, func(t *turn) bool { return t.is(turnID) }); i >= 0 {
		return l.running[i]
	}
	return nil
}

// session is that of the turn which the agent knows by that id, or nil.
func (l *turns) session(turnID string) *agent.Session {
	t := l.find(turnID)
	if t == nil {
		return nil
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.session
}

// standsStill reports whether the user cancelled a turn and this one waits to be
// resumed.
func (t *turn) standsStill() bool {
	t.mu.Lock()
	ses := t.session
	t.mu.Unlock()
	if ses == nil {
		return false
	}
	_, paused := ses.Queue()
	return paused
}

func (t *turn) isKnown() bool {
	select {
	case <-t.known:
		return true
	default:
		return false
	}
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

// drop ends the turn. A prompt that waits is not cancelled with that: it waits
// for the session to be gone on with.
func (t *turn) drop() {
	if t.injected && t.turnID() == "" {
		t.stop(nil)
		return
	}
	t.cancel("")
}

// runTurn takes a turn to its end.
func (s *server) runTurn(t *turn, p agent.Prompt) (end agent.Ended, err error) {
	err = s.contained(func() error {
		ses, err := s.enter(t.ctx, t, &p)
		if err == nil {
			end, err = ses.Prompt(t.ctx, p)
		}
		return err
	})
	s.noteAuth(err)
	if errors.Is(err, agent.ErrUnknownSession) { // deleted by another process: commands begin a new one
		s.current.forget(t.sessionID)
	}
	return end, err
}

// enter finds the session of a turn, when its time has come, and has its prompt
// tell when it begins.
func (s *server) enter(ctx context.Context, t *turn, p *agent.Prompt) (*agent.Session, error) {
	for _, known := range t.before {
		select {
		case <-known:
		case <-ctx.Done():
			return nil, context.Cause(ctx)
		}
	}
	ses, err := s.session(t.ctx, t.sessionID)
	if err != nil {
		return nil, err
	}
	if err := t.ctx.Err(); err != nil {
		return nil, context.Cause(t.ctx)
	}
	t.mu.Lock()
	t.session = ses
	t.mu.Unlock()
	if s.holds(ses.Info().Cwd) {
		p.Folders = s.folders.since()
	}
	begun := p.Begun
	p.Begun = func(id string) {
		t.mu.Lock()
		t.id = id
		t.mu.Unlock()
		t.made()
		s.current.set(ses.ID())
		if begun != nil {
			begun(id)
		}
		s.announce.touch()
	}
	return ses, nil
}

// noteAuth remembers whether the provider took the credentials, as the end of a
// turn tells.
func (s *server) noteAuth(err error) {
	var provider *model.Error
	if signedOut := errors.As(err, &provider) && provider.Kind == model.Auth; signedOut || err == nil {
		s.signedOut.Store(signedOut)
	}
}

// endTurn notes that a prompt is answered.
func (s *server) endTurn(t *turn) {
	s.turns.end(t)
	s.announce.touch()
}
