package chat

import (
	"context"
	"errors"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/emendo-dev/emendo/agent"
	"github.com/emendo-dev/emendo/agent/state"
	"github.com/emendo-dev/emendo/agent/transcript"
	"github.com/emendo-dev/emendo/internal/rpc"
)

// turn is a prompt of this client, from its arrival until its answer.
type turn struct {
	sessionID string // written under the mutex of running
	ctx       context.Context
	stop      context.CancelCauseFunc
	injected  bool          // it may be queued
	aside     bool          // its session is no conversation
	question  Question      // that it was sent for; nil: none in a document
	begun     chan struct{} // closed when the agent has begun it
	accepted  chan struct{} // closed when the prompt waits for another turn or steers it, or its turn has begun
	agent     *agent.Turn   // once it is accepted
	done      chan struct{} // closed when it is answered

	// The agent gets the prompts of a session in the order of their arrival, so
	// that each waits for those before it.
	handed chan struct{} // closed when the agent has the prompt, or never will
	before []<-chan struct{}

	session  atomic.Pointer[agent.Session] // nil as long as it is not known
	progress atomic.Pointer[progress]      // nil: none is shown

	mu sync.Mutex
	id string // once the agent has begun it
}

// noteHanded notes that the agent has the prompt, or never will.
func (t *turn) noteHanded() { closeOnce(&t.mu, t.handed) }

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

// setSession assigns a session to a turn that started without one.
func (l *running) setSession(t *turn, sessionID string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	t.sessionID = sessionID
}

// end removes a turn that is answered.
func (l *running) end(t *turn) {
	t.stop(nil)
	t.noteHanded()
	l.mu.Lock()
	defer l.mu.Unlock()
	l.turns = slices.DeleteFunc(l.turns, func(o *turn) bool { return o == t })
	close(t.done)
}

// anyUnpaused reports whether there is a turn of a session, or of any for "", that the user
// does not have to resume first.
func (l *running) anyUnpaused(sessionID string) bool {
	return slices.ContainsFunc(l.inSession(sessionID), func(t *turn) bool { return !t.isPaused() })
}

// inSession returns the turns of a session; of all sessions for "".
func (l *running) inSession(sessionID string) []*turn {
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
	for _, t := range l.inSession(sessionID) {
		switch {
		case isClosed(t.handed):
			ses = t.session.Load()
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

// abandonAll ends the turns of a session, or of all for "", and removes queued ones. It
// returns when they have ended, or when ctx ends.
func (l *running) abandonAll(ctx context.Context, sessionID string) error {
	turns := l.inSession(sessionID)
	for _, t := range turns {
		t.abandon()
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

// withTurnID returns the turn that has the agent's ID, or nil.
func (l *running) withTurnID(turnID string) *turn {
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

// isPaused reports whether the turn is in a queue that is paused.
func (t *turn) isPaused() bool {
	ses := t.session.Load()
	if ses == nil || !t.injected || !isClosed(t.handed) || t.turnID() != "" {
		return false
	}
	_, paused := ses.Queue()
	return paused
}

// abandon ends the turn. A queued prompt is not cancelled by that: the session keeps
// it until it is resumed.
func (t *turn) abandon() {
	if t.injected && t.turnID() == "" {
		t.stop(nil)
		return
	}
	t.stop(transcript.ErrCancelled)
}

// run hands the prompt of a turn to its session, and waits for the turn's end. Every turn
// begins here, but for prompts that an earlier process had queued. A session that is busy gets the prompt the next of the ways.
func (t *Turns) run(x *turn, p state.Prompt, ways ...agent.How) (end state.Ended, err error) {
	err = t.c.Contain(func() error {
		ses, err := t.openSession(x, &p)
		if err != nil {
			return err
		}
		var turn *agent.Turn
		for _, how := range ways {
			if turn, err = ses.Submit(x.ctx, p, how); !errors.Is(err, transcript.ErrBusy) {
				break
			}
		}
		x.noteHanded()
		t.queue.sendIfChanged(ses)
		if err == nil {
			end, err = t.await(x, turn)
		}
		return err
	})
	if errors.Is(err, transcript.ErrUnknownSession) { // another process deleted it: commands begin a new one
		t.current.forget(x.sessionID)
	}
	return end, err
}

// await waits for the end of the agent's turn that a prompt is part of.
func (t *Turns) await(x *turn, turn *agent.Turn) (state.Ended, error) {
	x.agent = turn
	switch {
	case turn.Steers:
		x.accept()
		return state.Ended{}, nil
	case turn.Behind:
		if x.question != nil {
			x.question.Accepted(turn.ID)
		}
		x.accept()
	default:
		select {
		case <-x.begun:
			x.accept()
		case <-turn.Waits():
			x.accept()
		case <-turn.Done(): // it could not begin, or has ended already
			if isClosed(x.begun) {
				x.accept()
			}
		}
	}
	end, err := turn.Result()
	t.noteAuth(err)
	return end, err
}

// start has a turn run in the background, by run, which returns why it could not begin. It
// returns once the agent has accepted the prompt: the turn has begun, waits for another one
// or steers it. The turn outlives the request.
func (t *Turns) start(ctx context.Context, x *turn, run func() error) error {
	over := make(chan error, 1)
	running := t.c.Go(func() {
		over <- func() error {
			defer t.end(x)
			return run()
		}()
	})
	if !running {
		if x.question != nil {
			x.question.Failed(rpc.ErrClosed)
		}
		t.end(x)
		return rpc.ErrClosed
	}
	select {
	case <-x.accepted:
		return nil
	case err := <-over:
		if isClosed(x.accepted) {
			return nil
		}
		return err
	case <-ctx.Done():
		if x.question == nil { // else it is sent all the same
			x.stop(context.Cause(ctx))
		}
		return context.Cause(ctx)
	}
}

// started answers a command that calls the model when its turn has begun: some
// clients give up waiting for a command after seconds.
type started struct {
	SessionID string `json:"sessionId"`
	TurnID    string `json:"turnId"`
}

// openSession waits for the session's earlier prompts, finds the session of a turn, and
// completes its prompt.
func (t *Turns) openSession(x *turn, p *state.Prompt) (*agent.Session, error) {
	for _, handed := range x.before {
		select {
		case <-handed:
		case <-x.ctx.Done():
			return nil, context.Cause(x.ctx)
		}
	}
	ses, err := t.c.Host.Session(x.ctx, x.sessionID)
	if err != nil {
		return nil, err
	}
	if x.ctx.Err() != nil {
		return nil, context.Cause(x.ctx)
	}
	t.completePrompt(x, ses, p)
	return ses, nil
}

// completePrompt notes the session of a turn, and completes its prompt.
func (t *Turns) completePrompt(x *turn, ses *agent.Session, p *state.Prompt) {
	x.session.Store(ses)
	if t.c.Folders.Holds(ses.Info().Cwd) {
		p.Folders = t.c.Folders.Added()
	}
	p.Begun = func(id string) {
		x.mu.Lock()
		x.id = id
		x.mu.Unlock()
		if !x.aside {
			t.current.Set(ses)
		}
		if x.question != nil {
			x.question.Accepted(id)
			t.showCancellable(x) // a queued one begins later
		}
		close(x.begun)
		t.documents.Begun(ses.ID(), id, p.Blocks)
		t.c.Touch()
	}
}

// end records that a prompt is answered.
func (t *Turns) end(x *turn) {
	t.running.end(x)
	t.c.Touch()
}
