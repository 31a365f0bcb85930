package chat

import (
	"context"
	"encoding/json"
	"errors"

	"github.com/emendo-dev/emendo/lsp/client"

	"github.com/emendo-dev/emendo/acp"
	"github.com/emendo-dev/emendo/acp/failure"
	"github.com/emendo-dev/emendo/agent"
	"github.com/emendo-dev/emendo/agent/state"
	"github.com/emendo-dev/emendo/agent/transcript"
	"github.com/emendo-dev/emendo/internal/rpc"
	"github.com/emendo-dev/emendo/internal/visible"
)

type promptParams struct {
	SessionID string            `json:"sessionId"`
	Prompt    []json.RawMessage `json:"prompt"`
	Context   *bool             `json:"context"`
	Exclude   []exclusion       `json:"exclude"`
	Token     json.RawMessage   `json:"workDoneToken"`
}

// ended answers a prompt.
type ended struct {
	TurnID     string                `json:"turnId"`
	StopReason transcript.StopReason `json:"stopReason"`
	Usage      acp.Usage             `json:"usage"`
}

// Prompt answers emendo/session/prompt, at the end of the turn.
func (t *Turns) Prompt(ctx context.Context, p promptParams) (rpc.Work, error) {
	if err := client.Need(p.SessionID, "sessionId"); err != nil {
		return nil, err
	}
	prompt, err := t.newPrompt(p.Prompt, p.Context == nil || *p.Context)
	if err != nil {
		return nil, err
	}
	if prompt.Exclude, err = exclusionsOf(p.Exclude); err != nil {
		return nil, err
	}
	x := t.running.add(ctx, &turn{sessionID: p.SessionID})
	return func(context.Context) (any, error) {
		defer t.end(x)
		if len(p.Token) > 0 && string(p.Token) != "null" {
			shown := t.newProgress(p.Token, nil)
			x.show(shown)
			defer func() { // the token is valid until the answer
				shown.end("")
				<-shown.done
			}()
		}
		end, err := t.run(x, prompt, agent.Alone)
		if err != nil && errors.Is(err, context.Cause(x.ctx)) { // cancelled before the turn began
			return ended{StopReason: transcript.StopCancelled}, nil
		}
		if err != nil {
			return nil, err
		}
		return ended{end.TurnID, end.StopReason, acp.UsageOf(end.Usage)}, nil
	}, nil
}

// newPrompt returns a prompt with the workspace and the focus of this moment.
func (t *Turns) newPrompt(content []json.RawMessage, focus bool) (state.Prompt, error) {
	blocks, err := acp.Blocks(content)
	if err != nil {
		return state.Prompt{}, client.Invalid("%v", err)
	}
	p := state.Prompt{Blocks: blocks, Snapshot: t.c.Workspace.Snapshot()}
	if focus {
		p.Focus = new(t.c.Focus.Now())
	}
	return p, nil
}

type injectParams struct {
	SessionID string            `json:"sessionId"`
	Prompt    []json.RawMessage `json:"prompt"`
	How       string            `json:"how"`
}

// injected answers an injected prompt, which is accepted, not done.
type injected struct {
	TurnID   string `json:"turnId"`
	Position int    `json:"position"`
}

// Inject answers emendo/session/inject. The turn that the prompt may become
// outlives the request; an update reports its end.
func (t *Turns) Inject(_ context.Context, p injectParams) (rpc.Work, error) {
	if err := client.Need(p.SessionID, "sessionId"); err != nil {
		return nil, err
	}
	how, err := agent.ParseHow(p.How)
	if err != nil {
		return nil, client.Invalid("%v", err)
	}
	prompt, err := t.newPrompt(p.Prompt, true)
	if err != nil {
		return nil, err
	}
	x := t.running.add(t.c.Life(), &turn{sessionID: p.SessionID, injected: true})
	return func(ctx context.Context) (any, error) {
		err := t.start(ctx, x, func() error {
			_, err := t.run(x, prompt, how)
			return t.reportInjected(x, err)
		})
		if err != nil {
			return nil, err
		}
		return injected{x.agent.ID, x.agent.Position}, nil
	}, nil
}

// reportInjected notifies the user of why an injected prompt was not run, if the request is
// answered already. It returns the error of a turn which never began.
func (t *Turns) reportInjected(x *turn, err error) error {
	switch begun := x.turnID() != ""; {
	case err == nil:
		return nil
	case begun && errors.Is(err, transcript.ErrInternal):
		t.c.Error(t.c.Life(), failure.ErrBug.Error())
		return nil
	case begun: // its updates tell how it ended
		return nil
	case errors.Is(err, agent.ErrNotQueued): // the user removed it
	case isClosed(x.accepted) && x.ctx.Err() == nil:
		t.c.Error(t.c.Life(), "emendo: a queued prompt was not run: "+visible.Text(err.Error()))
	}
	return err
}

// Start begins a turn for a command, in the session with the ID or the current
// one. The turn outlives the request.
func (t *Turns) Start(sessionID string, p state.Prompt) rpc.Work {
	x := t.running.add(t.c.Life(), &turn{sessionID: sessionID})
	return func(ctx context.Context) (any, error) {
		ses, err := t.sessions.For(ctx, x.sessionID)
		if err != nil {
			t.end(x)
			return nil, err
		}
		t.running.join(x, ses.ID())
		if err := t.start(ctx, x, func() error { return t.runCommand(x, p) }); err != nil {
			return nil, err
		}
		return started{x.sessionID, x.turnID()}, nil
	}
}

// runCommand runs the turn of a command and reports its end to the user. The
// error is that of a turn which never began.
func (t *Turns) runCommand(x *turn, p state.Prompt) error {
	t.showCancellable(x)
	end, err := t.run(x, p, agent.Alone)
	cancelled := end.StopReason == transcript.StopCancelled || x.ctx.Err() != nil && (err == nil || errors.Is(err, context.Cause(x.ctx)))
	t.endProgress(x, cancelled, err) // of it and the message below Helix shows only the later
	switch {
	case cancelled:
		return nil
	case err != nil && x.turnID() == "":
		return err
	case t.c.Can.Session: // it has seen the updates
	case err != nil:
		t.c.Error(t.c.Life(), "emendo: "+visible.Text(err.Error()))
	default:
		t.c.Info(t.c.Life(), answerText(end, t.places.news(x.sessionID, t.documents.Where(t.c.Life(), x.sessionID))))
	}
	return nil
}
