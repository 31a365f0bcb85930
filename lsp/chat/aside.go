package chat

import (
	"context"
	"errors"

	"github.com/emendo-dev/emendo/agent"
	"github.com/emendo-dev/emendo/agent/state"
	"github.com/emendo-dev/emendo/agent/transcript"
	"github.com/emendo-dev/emendo/ide/ledger"
)

// Aside is a prompt beside the conversations: its session is in no list, and is deleted when
// the turn has ended and the user has decided on its edits.
type Aside struct {
	Mode   string
	Like   string // the session whose model it has; empty: the current one
	Prompt state.Prompt
}

// AsideShown shows an aside.
type AsideShown interface {
	Opened(sessionID string)  // before the turn begins
	Decided() <-chan struct{} // is sent to when edits of the turn have changed
	Closed(sessionID string)  // when the session is deleted
}

// StartAside returns the work that runs an aside to the end of its turn, and a function that
// stops it. The turn ends with ctx too.
func (t *Turns) StartAside(ctx context.Context, a Aside) (run func(AsideShown) (state.Ended, error), stop func()) {
	x := t.running.add(ctx, &turn{aside: true})
	return func(shown AsideShown) (end state.Ended, err error) {
		defer t.end(x)
		ses, err := t.openAside(x, a)
		if err != nil {
			return end, err
		}
		shown.Opened(ses.ID())
		end, err = t.run(x, a.Prompt, agent.Alone)
		if err != nil && (errors.Is(err, context.Cause(x.ctx)) || errors.Is(err, transcript.ErrCancelled)) {
			end, err = state.Ended{StopReason: transcript.StopCancelled}, nil
		}
		if !t.c.Go(func() { t.closeAside(ses.ID(), shown) }) {
			return end, err // the end of the server deletes it
		}
		return end, err
	}, func() { x.stop(transcript.ErrCancelled) }
}

// openAside makes the session of an aside.
func (t *Turns) openAside(x *turn, a Aside) (*agent.Session, error) {
	p := NewParams{Mode: a.Mode, Ephemeral: true}
	current := a.Like == ""
	if current {
		a.Like = t.current.ID()
	}
	if a.Like != "" {
		switch like, err := t.c.Host.Session(x.ctx, a.Like); {
		case err == nil:
			p.Model = like.Info().Model
		case current && errors.Is(err, transcript.ErrUnknownSession): // another process may have deleted it
		default:
			return nil, err
		}
	}
	ses, err := t.sessions.Create(x.ctx, p)
	if err != nil {
		return nil, err
	}
	t.running.setSession(x, ses.ID())
	return ses, nil
}

// closeAside deletes the session of an aside once none of its edits waits for the user.
func (t *Turns) closeAside(sessionID string, shown AsideShown) {
	defer shown.Closed(sessionID)
	life := t.c.Life()
	h, err := t.c.Host.Get(life)
	if err != nil {
		return
	}
	waits := func(s ledger.State) bool { return len(h.Ledger.List(sessionID, "", s)) > 0 }
	for waits(ledger.Pending) || waits(ledger.Conflicted) {
		select {
		case <-shown.Decided():
		case <-life.Done():
			return
		}
	}
	if err := h.Agent.Release(life, sessionID); err != nil && life.Err() == nil {
		t.c.Log.Error("a session beside the conversations was not deleted", "session", sessionID, "error", err)
	}
}
