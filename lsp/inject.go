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
		begun, over := make(chan struct{}), make(chan error, 1)
		prompt.Begun = func(string) { close(begun) }
		in, err := s.hand(ctx, t, prompt, how)
		if err != nil || in.Run == nil {
			s.endTurn(t)
			return injected{in.TurnID, in.Position}, err
		}
		running := s.spawn(func() {
			defer s.endTurn(t)
			over <- s.injectedTurn(t, in)
		})
		switch {
		case !running:
			s.endTurn(t)
			return nil, rpc.ErrClosed
		case in.Behind:
			return injected{in.TurnID, in.Position}, nil
		}
		select {
		case <-begun:
		case err = <-over: // it could not begin, or is over already
		case <-ctx.Done():
			t.stop(context.Cause(ctx))
			err = context.Cause(ctx)
		}
		return injected{in.TurnID, in.Position}, err
	}, nil
}

// hand gives a prompt to the agent.
func (s *server) hand(ctx context.Context, t *turn, p agent.Prompt, how agent.How) (agent.Injected, error) {
	ses, err := s.enter(ctx, t, &p)
	if err != nil {
		return agent.Injected{}, err
	}
	in, err := ses.Inject(ctx, p, how)
	t.made()
	s.tellQueue(ses)
	return in, err
}

// injectedTurn runs the turn of a prompt that was injected. The error is that of
// a turn which never began; the user is told of it when nobody else is.
func (s *server) injectedTurn(t *turn, in agent.Injected) error {
	err := s.contained(func() error {
		_, err := in.Run(t.ctx)
		return err
	})
	s.noteAuth(err)
	switch begun := t.turnID() != ""; {
	case err == nil:
		return nil
	case begun && errors.Is(err, errBug):
		s.tell(s.life, errorMessage, err.Error())
		return nil
	case begun: // its updates say how it ended
		return nil
	case errors.Is(err, agent.ErrNotQueued): // the user removed it
	case in.Behind && t.ctx.Err() == nil:
		s.tell(s.life, errorMessage, "emendo: a prompt that waited was not run: "+visible.Text(err.Error()))
	}
	return err
}
