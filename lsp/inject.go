package lsp

import (
	"context"
	"encoding/json"
	"errors"

	"github.com/emendo-dev/emendo/agent"
	"github.com/emendo-dev/emendo/internal/rpc"
	"github.com/emendo-dev/emendo/internal/visible"
)

type injectParams struct {
	SessionID string            `json:"sessionId"`
	Prompt    []json.RawMessage `json:"prompt"`
	How       string            `json:"how"`
}

// injected is the answer to an injected prompt: it is taken, not done.
type injected struct {
	TurnID   string `json:"turnId"`
	Position int    `json:"position"`
}

// inject adds a prompt to what a session does. The turn that it may become
// outlives the request; its end is told by an update.
func (s *server) inject(_ context.Context, p injectParams) (rpc.Work, error) {
	if err := need(p.SessionID, "sessionId"); err != nil {
		return nil, err
	}
	how, err := agent.ParseHow(p.How)
	if err != nil {
		return nil, rpc.Errorf(rpc.InvalidParams, "%v", err)
	}
	prompt, err := s.takePrompt(p.Prompt, true)
	if err != nil {
		return nil, err
	}
	t := s.turns.inject(s.life, p.SessionID)
	return func(ctx context.Context) (any, error) {
		begun := make(chan struct{})
		prompt.Begun = func(string) { close(begun) }
		turn, err := s.submit(ctx, t, prompt, how)
		if err != nil || turn.Steers {
			s.endTurn(t)
			return injectedAs(turn), err
		}
		over := make(chan error, 1)
		running := s.spawn(func() {
			defer s.endTurn(t)
			over <- s.awaitInjected(t, turn)
		})
		switch {
		case !running:
			s.endTurn(t)
			return nil, rpc.ErrClosed
		case turn.Behind:
			return injectedAs(turn), nil
		}
		select {
		case <-begun:
		case err = <-over: // it could not begin, or is over already
		case <-ctx.Done():
			t.stop(context.Cause(ctx))
			err = context.Cause(ctx)
		}
		return injectedAs(turn), err
	}, nil
}

func injectedAs(t *agent.Turn) injected {
	if t == nil {
		return injected{}
	}
	return injected{t.ID, t.Position}
}

// submit gives a prompt to the agent. The turn lasts as long as t; ctx is the
// request's.
func (s *server) submit(ctx context.Context, t *turn, p agent.Prompt, how agent.How) (*agent.Turn, error) {
	ses, err := s.enter(ctx, t, &p)
	if err != nil {
		return nil, err
	}
	defer context.AfterFunc(ctx, func() { t.stop(context.Cause(ctx)) })()
	turn, err := ses.Submit(t.ctx, p, how)
	t.made()
	s.tellQueue(ses)
	return turn, err
}

// awaitInjected waits for the end of an injected prompt's turn. The error is that
// of a turn which never began; the user is shown it when no request is answered
// with it.
func (s *server) awaitInjected(t *turn, turn *agent.Turn) error {
	_, err := turn.Result()
	s.noteAuth(err)
	switch begun := t.turnID() != ""; {
	case err == nil:
		return nil
	case begun && errors.Is(err, agent.ErrInternal):
		s.tell(s.life, errorMessage, errBug.Error())
		return nil
	case begun: // its updates say how it ended
		return nil
	case errors.Is(err, agent.ErrNotQueued): // the user removed it
	case turn.Behind && t.ctx.Err() == nil:
		s.tell(s.life, errorMessage, "emendo: a prompt that waited was not run: "+visible.Text(err.Error()))
	}
	return err
}
