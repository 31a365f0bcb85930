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

// Question is a question in a document.
type Question interface {
	// May returns why the session must not get the question, before it is opened.
	May(ctx context.Context, sessionID string) error
	// Opened is called with the session, before the question is sent.
	Opened(ctx context.Context, sessionID string) error
	// Accepted is called once the question has a turn, which may wait for others. It
	// may be called again.
	Accepted(turnID string)
	// Failed is called if no turn begins.
	Failed(err error)
	// Unshown is called at the end of the turn: it returns why the user does not see
	// the answer in the document; empty if they do.
	Unshown() string
}

// Sending is what [Turns.Send] sends.
type Sending struct {
	Question  Question
	SessionID string // empty: a new one
	Unasked   bool   // the session may be one that is not stored, because it had no prompt
	Prompt    state.Prompt
}

// Send begins a turn for a question in a document. While a turn of the session runs,
// the question is queued. The turn outlives the request.
func (t *Turns) Send(s Sending) rpc.Work {
	x := t.running.add(t.c.Life(), &turn{sessionID: s.SessionID, injected: true, question: s.Question})
	return func(ctx context.Context) (any, error) {
		if err := t.openFor(ctx, x, &s); err != nil {
			s.Question.Failed(err)
			t.end(x)
			return nil, err
		}
		err := t.start(ctx, x, func() error { return t.runSent(x, s.Prompt) })
		switch {
		case errors.Is(err, rpc.ErrClosed):
			s.Question.Failed(err)
		case err == nil && isClosed(x.accepted):
			return started{x.sessionID, x.agent.ID}, nil
		}
		return started{x.sessionID, x.turnID()}, err
	}
}

// openFor finds the session of a question, or makes it.
func (t *Turns) openFor(ctx context.Context, x *turn, s *Sending) error {
	var ses *agent.Session
	var err error
	if s.SessionID != "" {
		if err = s.Question.May(ctx, s.SessionID); err == nil {
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
	return s.Question.Opened(ctx, ses.ID())
}

// runSent runs the turn of a question. The error is that of a turn which never
// began.
func (t *Turns) runSent(x *turn, p state.Prompt) error {
	end, err := t.run(x, p, agent.Alone, agent.Queue)
	cancelled := end.StopReason == transcript.StopCancelled || errors.Is(err, transcript.ErrCancelled)
	t.endProgress(x, cancelled, err)
	switch {
	case err == nil:
		if why := x.question.Unshown(); why != "" && !cancelled {
			t.c.Info(t.c.Life(), answerText(end, "")+"\n("+why+")")
		}
		return nil
	case x.turnID() == "":
		x.question.Failed(err)
		if isClosed(x.accepted) && !cancelled { // the command is answered already
			t.c.Error(t.c.Life(), "emendo: a queued question was not sent: "+visible.Text(err.Error()))
		}
		return err
	case !cancelled: // the document says so too
		t.c.Error(t.c.Life(), "emendo: "+visible.Text(err.Error()))
	}
	return nil
}
