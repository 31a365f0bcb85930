package lsp

import (
	"context"
	"encoding/json"
	"errors"

	"github.com/emendo-dev/emendo/acp"
	"github.com/emendo-dev/emendo/agent"
	"github.com/emendo-dev/emendo/internal/rpc"
)

type promptParams struct {
	SessionID string            `json:"sessionId"`
	Prompt    []json.RawMessage `json:"prompt"`
	Context   *bool             `json:"context"`
	Token     json.RawMessage   `json:"workDoneToken"`
}

// ended is the answer to a prompt.
type ended struct {
	TurnID     string           `json:"turnId"`
	StopReason agent.StopReason `json:"stopReason"`
	Usage      acp.Usage        `json:"usage"`
}

// prompt runs a turn, and is answered when that has ended.
func (s *server) prompt(ctx context.Context, p promptParams) (rpc.Work, error) {
	if err := need(p.SessionID, "sessionId"); err != nil {
		return nil, err
	}
	prompt, err := s.takePrompt(p.Prompt, p.Context == nil || *p.Context)
	if err != nil {
		return nil, err
	}
	t := s.turns.begin(ctx, p.SessionID)
	return func(context.Context) (any, error) {
		defer s.endTurn(t)
		if hasToken(p.Token) {
			t.progress = s.newProgress(p.Token, nil)
			defer func() { // the token is good until the answer
				t.progress.end("")
				<-t.progress.done
			}()
		}
		end, err := s.runTurn(t, prompt)
		if err != nil && errors.Is(err, context.Cause(t.ctx)) { // cancelled before the turn began
			return ended{StopReason: agent.StopCancelled}, nil
		}
		if err != nil {
			return nil, err
		}
		return ended{end.TurnID, end.StopReason, acp.UsageOf(end.Usage)}, nil
	}, nil
}

func hasToken(t json.RawMessage) bool { return len(t) > 0 && string(t) != "null" }

type cancelParams struct {
	SessionID string `json:"sessionId"`
	CallID    string `json:"toolCallId"`
}

func (s *server) cancelSession(p cancelParams) error {
	s.turns.cancel(p.SessionID, p.CallID)
	return nil
}

// takePrompt takes the workspace and the focus as they are when a prompt comes.
func (s *server) takePrompt(content []json.RawMessage, focus bool) (agent.Prompt, error) {
	blocks, err := acp.Blocks(content)
	if err != nil {
		return agent.Prompt{}, rpc.Errorf(rpc.InvalidParams, "%v", err)
	}
	p := agent.Prompt{Blocks: blocks, Snapshot: s.workspace.Snapshot()}
	if focus {
		f := s.focus.now()
		p.Focus = &f
	}
	return p, nil
}
