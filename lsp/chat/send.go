package chat

import (
	"context"
	"errors"

	"github.com/emendo-dev/emendo/agent"
	"github.com/emendo-dev/emendo/agent/state"
	"github.com/emendo-dev/emendo/agent/transcript"
	"github.com/emendo-dev/emendo/internal/rpc"
	"github.com/emendo-dev/emendo/internal/visible"
)

// Documents shows conversations in documents, to users of clients without emendo's
// panel.
type Documents interface {
	// Begun is called when a turn has its ID, before [Documents.Show].
	Begun(sessionID, turnID string, prompt []transcript.Block)
	Show(u transcript.Update)
	// Where returns where the user finds the conversation; empty if nowhere.
	Where(ctx context.Context, sessionID string) string
}

// Sending is a question in a document that [Turns.Send] sends.
type Sending struct {
	SessionID string // empty: a new one
	// Unasked: the session may be one that is not stored, because it had no prompt.
	Unasked bool
	Prompt  state.Prompt
	// May returns why the session must not get the question, before it is opened.
	May func(ctx context.Context, sessionID string) error
	// Opened is called with the session, before the question is sent.
	Opened func(ctx context.Context, sessionID string) error
	// Accepted is called once the question has a turn, which may wait for others. It
	// may be called again.
	Accepted func(turnID string)
	// Failed is called if no turn begins.
	Failed func(err error)
	// Unshown is called at the end of the turn: it returns why the user does not see
	// the answer in the document; empty if they do.
	Unshown func() string
}

// Send begins a turn for a question in a document. While a turn of the session runs,
// the question is queued. The turn outlives the request.
func (t *Turns) Send(s Sending) rpc.Work {
	x := t.running.add(t.c.Life(), &turn{sessionID: s.SessionID, injected: true})
	return func(ctx context.Context) (any, error) {
		err := t.openFor(ctx, x, &s)
		if err != nil {
			s.Failed(err)
			t.end(x)
			return nil, err
		}
		accepted, over := make(chan string, 2), make(chan error, 1)
		accept := func(id string) {
			s.Accepted(id)
			select {
			case accepted <- id:
			default:
			}
		}
		running := t.c.Go(func() {
			defer t.end(x)
			over <- t.runSent(x, s, accept)
		})
		if !running {
			s.Failed(rpc.ErrClosed)
			t.end(x)
			return nil, rpc.ErrClosed
		}
		select {
		case id := <-accepted:
			return started{x.sessionID, id}, nil
		case err := <-over:
			return started{x.sessionID, x.turnID()}, err
		case <-ctx.Done(): // the question is sent all the same
			return nil, context.Cause(ctx)
		}
	}
}

// openFor finds the session of a question, or makes it.
func (t *Turns) openFor(ctx context.Context, x *turn, s *Sending) error {
	var ses *agent.Session
	var err error
	if s.SessionID != "" {
		if err = s.May(ctx, s.SessionID); err == nil {
			ses, err = t.host.Session(ctx, s.SessionID)
		}
	}
	if s.SessionID == "" || s.Unasked && errors.Is(err, transcript.ErrUnknownSession) {
		ses, err = t.sessions.create(ctx, NewParams{}, s.SessionID)
	}
	if err != nil {
		return err
	}
	t.running.join(x, ses.ID())
	return s.Opened(ctx, ses.ID())
}

// runSent runs the turn of a question. The error is that of a turn which never
// began.
func (t *Turns) runSent(x *turn, s Sending, accept func(turnID string)) error {
	p := s.Prompt
	p.Begun = func(id string) {
		accept(id)
		if t.c.Can.Progress { // a queued one begins later
			x.show(t.newProgress(t.tokens.next(), func() { x.stop(transcript.ErrCancelled) }))
		}
	}
	var end state.Ended
	queued := false
	err := t.c.Contain(func() error {
		turn, err := t.submit(x.ctx, x, p, agent.Alone)
		if errors.Is(err, transcript.ErrBusy) {
			turn, err = t.submit(x.ctx, x, p, agent.Queue)
		}
		if err != nil {
			return err
		}
		if queued = turn.Behind; queued {
			accept(turn.ID)
		}
		end, err = turn.Result()
		return err
	})
	t.noteAuth(err)
	cancelled := end.StopReason == transcript.StopCancelled || errors.Is(err, transcript.ErrCancelled)
	t.endProgress(x, cancelled, err)
	switch {
	case err == nil:
		if why := s.Unshown(); why != "" && !cancelled {
			t.c.Info(t.c.Life(), answerText(end, "")+"\n("+why+")")
		}
		return nil
	case x.turnID() == "":
		s.Failed(err)
		if queued && !cancelled { // the command is answered already
			t.c.Error(t.c.Life(), "emendo: a queued question was not sent: "+visible.Text(err.Error()))
		}
		return err
	case !cancelled: // the document says so too
		t.c.Error(t.c.Life(), "emendo: "+visible.Text(err.Error()))
	}
	return nil
}
