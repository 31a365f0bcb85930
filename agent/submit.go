package agent

import (
	"context"
	"fmt"
	"runtime/debug"
	"slices"

	"github.com/emendo-dev/emendo/agent/slash"
	"github.com/emendo-dev/emendo/agent/state"
	"github.com/emendo-dev/emendo/agent/transcript"
)

// How selects when a submitted prompt is sent.
type How string

// The ways to submit a prompt. If no turn runs, each of them starts one.
const (
	Alone     How = ""          // at once; the session is busy while a turn runs or is queued
	Steer     How = "steer"     // at the running turn's next tool boundary
	Queue     How = "queue"     // after the turn, as a separate turn
	Interrupt How = "interrupt" // at once: the running turn is cancelled
)

// ParseHow parses a way to submit a prompt while a turn runs.
func ParseHow(s string) (How, error) {
	switch h := How(s); h {
	case Steer, Queue, Interrupt:
		return h, nil
	}
	return "", fmt.Errorf("invalid prompt mode %q: want steer, queue or interrupt", s)
}

// Turn is a prompt that a session has accepted.
type Turn struct {
	ID       string // of the turn that the prompt belongs to
	Position int    // number of queued prompts ahead
	Behind   bool   // waits for a running turn or another prompt
	Steers   bool   // steers a running turn and has no turn of its own

	session  *Session
	how      How
	prompt   state.Prompt
	commands bool            // the prompt is a slash command
	ctx      context.Context // of the turn
	cancel   context.CancelCauseFunc
	waits    chan struct{} // see Waits
	done     chan struct{}
	end      state.Ended // valid once done is closed
	err      error

	recorded bool // the prompt is in the log; owned by the session's goroutine, as is waiting
	waiting  bool // waits is closed
	restored bool // it was queued by a process that has ended
}

// Waits returns a channel that is closed when the prompt has to wait for another turn, or
// for the user to resume the queue. That can be after it was accepted: another prompt
// interrupts, or a load of the session pauses the queue.
func (t *Turn) Waits() <-chan struct{} { return t.waits }

// Done returns a channel that is closed when the turn has ended or will never start.
func (t *Turn) Done() <-chan struct{} { return t.done }

// Result waits until the turn has ended. The error comes from the provider, the
// disk or this package.
func (t *Turn) Result() (state.Ended, error) {
	<-t.done
	return t.end, t.err
}

// Cancel ends the turn, or removes it from the queue. It does not wait.
func (t *Turn) Cancel() { t.cancel(transcript.ErrCancelled) }

// cause returns the cause of the turn's cancellation; nil if it is not cancelled.
func (t *Turn) cause() error { return context.Cause(t.ctx) }

func (t *Turn) finish(end state.Ended, err error) {
	t.end, t.err = end, err
	t.cancel(nil)
	close(t.done)
}

// queued returns the record of the queued prompt.
func (t *Turn) queued() transcript.Queued {
	return transcript.Queued{TurnID: t.ID, MessageID: t.prompt.MessageID, Blocks: t.prompt.Blocks, Steer: t.Steers}
}

// run runs the turn. A panic ends the turn, not the process.
func (t *Turn) run() {
	s := t.session
	var end state.Ended
	err := transcript.ErrInternal
	defer func() { t.ended(end, err) }()
	defer func() {
		if p := recover(); p != nil {
			s.agent.Process.Log.Error("a turn panicked", "session", s.State.SessionID, "turn", t.ID, "panic", p, "stack", string(debug.Stack()))
		}
	}()
	end, err = s.runTurn(t)
}

// Submit submits a prompt. It returns once the prompt is accepted and recorded: a
// prompt that is still queued when the process ends is sent with the next turn, in
// any process. Queued prompts keep their order; one that interrupts goes first.
// Cancelling ctx with [transcript.ErrCancelled] ends the turn or removes the prompt
// from the queue; with another cause a queued prompt is kept for the next turn.
func (s *Session) Submit(ctx context.Context, p state.Prompt, how How) (*Turn, error) {
	if err := slash.Check(ctx, s.State, p); err != nil {
		return nil, err
	}
	if how != Alone {
		if p.Snapshot == nil {
			p.Snapshot = s.agent.Process.Options.Workspace.Snapshot()
		}
		p.MessageID = s.agent.Process.Options.NewID()
	}
	t := &Turn{session: s, how: how, prompt: p, commands: slash.Is(ctx, s.State, p), waits: make(chan struct{}), done: make(chan struct{})}
	t.ctx, t.cancel = context.WithCancelCause(ctx)
	var recorded func() error
	err := s.ask(ctx, func(l *sessionLoop) (err error) {
		recorded, err = l.submit(t)
		return err
	})
	if err == nil && recorded != nil {
		err = recorded()
		s.send(func(l *sessionLoop) error { l.noteRecorded(t, err); return nil })
	}
	if err != nil {
		t.cancel(nil)
		return nil, err
	}
	if how != Alone && !t.Steers {
		context.AfterFunc(t.ctx, func() { s.send(recheck) })
	}
	return t, nil
}

// submit starts or queues a prompt, or passes it to the running turn. recorded waits until
// the prompt is in the log; nil: no need to wait.
func (l *sessionLoop) submit(t *Turn) (recorded func() error, err error) {
	busy := l.holder == aTurn && !l.ending
	switch {
	case l.closing, l.closed:
		return nil, l.session.errClosed()
	case t.how == Alone && (busy || len(l.queue) > 0 && !l.paused):
		return nil, transcript.ErrBusy
	case t.how == Alone && l.holder == nobody:
		t.ID = l.session.agent.Process.Options.NewID()
		l.start(t)
		return nil, nil
	case t.how != Alone && (!busy || l.running != nil):
		return l.accept(t), nil
	case t.cause() != nil:
		return nil, t.cause()
	}
	return nil, errLater
}

// accept passes a prompt to the running turn, or queues it. The returned function
// waits until that is recorded; it is nil if the session is not stored yet.
func (l *sessionLoop) accept(t *Turn) (recorded func() error) {
	now := l.running
	if t.how == Steer && now != nil && !l.steersClosed && !t.commands {
		t.ID, t.Steers, t.Behind, t.Position = now.ID, true, true, len(l.steers)
		l.steers = append(l.steers, t)
		return l.session.State.Outbox.Enqueue(t.queued()).Wait
	}
	t.ID = l.session.agent.Process.Options.NewID()
	at := len(l.queue)
	if t.how == Interrupt || t.how == Steer && l.paused {
		at = 0
	}
	if t.how == Interrupt && now != nil && !l.ending {
		l.interrupted = true
		now.Stop("")
	}
	l.queue = slices.Insert(l.queue, at, t)
	l.paused = false // the user has resumed
	t.Position, t.Behind = at, at > 0 || l.holder == aTurn
	if now != nil || l.session.State.Record.IsStored() {
		return l.session.State.Outbox.Enqueue(t.queued()).Wait
	}
	t.recorded = true
	return nil
}

// noteRecorded notes that a prompt was recorded. On error it was not, and is dropped from the
// queue.
func (l *sessionLoop) noteRecorded(t *Turn, err error) {
	t.recorded = err == nil
	if t.recorded {
		if t.Steers {
			t.finish(state.Ended{}, nil)
		}
		return
	}
	is := func(o *Turn) bool { return o == t }
	l.queue = slices.DeleteFunc(l.queue, is)
	l.steers = slices.DeleteFunc(l.steers, is)
}

// Prompt runs a prompt as a turn and waits for its end. Cancelling ctx, or
// [Session.Cancel], ends it with [transcript.StopCancelled] and no error.
func (s *Session) Prompt(ctx context.Context, p state.Prompt) (state.Ended, error) {
	t, err := s.Submit(ctx, p, Alone)
	if err != nil {
		return state.Ended{}, err
	}
	return t.Result()
}
