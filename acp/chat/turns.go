package chat

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"

	"github.com/emendo-dev/emendo/acp"
	"github.com/emendo-dev/emendo/acp/client"
	"github.com/emendo-dev/emendo/acp/failure"
	"github.com/emendo-dev/emendo/acp/host"
	"github.com/emendo-dev/emendo/agent"
	"github.com/emendo-dev/emendo/agent/state"
	"github.com/emendo-dev/emendo/agent/transcript"
	"github.com/emendo-dev/emendo/internal/rpc"
)

// Turns runs the prompts of a client.
type Turns struct {
	Client  *client.Client
	Hosts   *host.Hosts
	Updates *Updates

	mu      sync.Mutex
	running map[string]*turn // by session
}

// turn is a prompt from its arrival until its answer.
type turn struct {
	session *host.Session
	ctx     context.Context
	stop    context.CancelCauseFunc
	done    chan struct{} // closed when it is answered

	// In version 2 of the protocol.
	begun    func()      // called when it begins to run; may be nil
	accepted chan string // takes the ID of the prompt's message; nil: it is not asked for
	ran      atomic.Bool // it has begun to run
}

// Prompt answers session/prompt, at the end of the turn.
func (t *Turns) Prompt(ctx context.Context, p acp.PromptParams) (rpc.Work, error) {
	x, prompt, err := t.prepare(ctx, p)
	if err != nil {
		return nil, err
	}
	return func(context.Context) (any, error) {
		defer t.finish(x)
		end, err := t.run(x, prompt)
		if err != nil && errors.Is(err, context.Cause(x.ctx)) { // cancelled before the turn began
			return acp.PromptedOf("", transcript.StopCancelled, transcript.Usage{}), nil
		}
		if err != nil {
			return nil, err
		}
		return acp.PromptedOf(end.TurnID, end.StopReason, end.Usage), nil
	}, nil
}

// prepare begins a turn.
func (t *Turns) prepare(ctx context.Context, p acp.PromptParams) (*turn, state.Prompt, error) {
	s, err := t.Hosts.Session(p.SessionID)
	if err != nil {
		return nil, state.Prompt{}, err
	}
	blocks, err := acp.Blocks(p.Prompt)
	if err != nil {
		return nil, state.Prompt{}, failure.Invalid("%v", err)
	}
	x, err := t.begin(ctx, s)
	return x, state.Prompt{Blocks: blocks, Folders: s.Added}, err
}

// begin records a prompt. It runs on the read loop, so that a cancel which follows the
// prompt always finds it.
func (t *Turns) begin(ctx context.Context, s *host.Session) (*turn, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.running[s.ID] != nil {
		return nil, fmt.Errorf("session %s: %w", s.ID, transcript.ErrBusy)
	}
	x := &turn{session: s, done: make(chan struct{})}
	x.ctx, x.stop = context.WithCancelCause(ctx)
	if t.running == nil {
		t.running = map[string]*turn{}
	}
	t.running[s.ID] = x
	return x, nil
}

func (t *Turns) finish(x *turn) {
	x.stop(nil)
	t.mu.Lock()
	defer t.mu.Unlock()
	delete(t.running, x.session.ID)
	close(x.done)
}

// run runs a turn to its end.
func (t *Turns) run(x *turn, p state.Prompt) (end state.Ended, err error) {
	err = t.Client.Contain(func() error {
		ses, err := x.session.Agent(x.ctx)
		if err != nil {
			return err
		}
		if x.ctx.Err() != nil {
			return context.Cause(x.ctx)
		}
		p.Begun = func(string) {
			x.ran.Store(true)
			if x.begun != nil {
				x.begun()
			}
			if t.Hosts.MarkUsed(x.session) {
				t.greet(x.ctx, x.session, ses)
			}
		}
		turn, err := ses.Submit(x.ctx, p, agent.Alone)
		if err == nil {
			end, err = turn.Result()
		}
		return err
	})
	return end, err
}

// greet tells the user at a session's first prompt what they should know of its folder.
func (t *Turns) greet(ctx context.Context, s *host.Session, ses *agent.Session) {
	for _, w := range s.Host.Warnings {
		t.Updates.showEvent(ctx, s.ID, transcript.Notice{Severity: transcript.Warning, Code: transcript.NoticeSettings, Title: "Settings", Description: w})
	}
	if ses.Trusted() {
		return
	}
	t.Updates.showEvent(ctx, s.ID, transcript.Notice{
		Severity: transcript.Info, Code: transcript.NoticeRestricted, Title: "This folder is restricted",
		Description: fmt.Sprintf("The model can read it and propose edits; commands, network access, MCP servers, hooks and the project's own settings are off. To trust it, run `emendo trust add` in %s; it applies from the next prompt on.", s.Folder),
	})
}

// Cancel cancels a session's turn.
func (t *Turns) Cancel(p acp.SessionParams) error {
	t.mu.Lock()
	defer t.mu.Unlock()
	if x := t.running[p.SessionID]; x != nil {
		x.stop(transcript.ErrCancelled)
	}
	return nil
}

// end cancels a session's turn and waits for its end.
func (t *Turns) end(ctx context.Context, sessionID string) error {
	t.mu.Lock()
	x := t.running[sessionID]
	t.mu.Unlock()
	if x == nil {
		return nil
	}
	x.stop(transcript.ErrCancelled)
	select {
	case <-x.done:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}
