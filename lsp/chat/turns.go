package chat

import (
	"context"
	"encoding/json"
	"errors"
	"sync/atomic"

	"github.com/emendo-dev/emendo/acp"
	"github.com/emendo-dev/emendo/acp/failure"
	"github.com/emendo-dev/emendo/agent"
	"github.com/emendo-dev/emendo/agent/model"
	"github.com/emendo-dev/emendo/agent/state"
	"github.com/emendo-dev/emendo/agent/transcript"
	"github.com/emendo-dev/emendo/internal/rpc"
	"github.com/emendo-dev/emendo/internal/visible"
	"github.com/emendo-dev/emendo/lsp/client"
	"github.com/emendo-dev/emendo/lsp/host"
	"github.com/emendo-dev/emendo/lsp/request"
)

// Turns runs the turns that prompts and commands begin, and shows them.
type Turns struct {
	c        *client.Client
	host     *host.Lazy
	folders  *host.Folders
	current  *Current
	running  *running
	sessions *Sessions
	infos    *Infos
	live     liveOutput
	queue    *Queue
	tokens   tokens

	documents Documents
	places    places

	signedOut atomic.Bool
}

// SignedOut reports whether the provider rejected the credentials of the last
// turn, or there were none.
func (t *Turns) SignedOut() bool { return t.signedOut.Load() }

// Running reports whether a prompt is not answered yet; prompts in a paused queue do
// not count.
func (t *Turns) Running() bool { return t.running.any("") }

// RunningIn is Running for a session.
func (t *Turns) RunningIn(sessionID string) bool { return t.running.any(sessionID) }

// Say shows a message in the progress of a turn.
func (t *Turns) Say(turnID, message string) {
	if x := t.running.find(turnID); x != nil && x.shown() != nil {
		x.shown().say(message)
	}
}

// CancelParams are the params of emendo/session/cancel.
type CancelParams struct {
	SessionID string `json:"sessionId"`
	CallID    string `json:"toolCallId"`
}

// Cancel cancels a session's turn, or one call of it. It finds every prompt that
// arrived before, begun or not.
func (t *Turns) Cancel(p CancelParams) error {
	t.running.cancel(p.SessionID, p.CallID)
	return nil
}

// CancelAll cancels every turn.
func (t *Turns) CancelAll() {
	for _, x := range t.running.of("") {
		x.drop()
	}
}

// End cancels every turn and waits for them to end, or for ctx.
func (t *Turns) End(ctx context.Context) error { return t.running.drop(ctx, "") }

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
	if err := request.Need(p.SessionID, "sessionId"); err != nil {
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
		end, err := t.run(x, prompt)
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
		return state.Prompt{}, request.Invalid("%v", err)
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
	if err := request.Need(p.SessionID, "sessionId"); err != nil {
		return nil, err
	}
	how, err := agent.ParseHow(p.How)
	if err != nil {
		return nil, request.Invalid("%v", err)
	}
	prompt, err := t.newPrompt(p.Prompt, true)
	if err != nil {
		return nil, err
	}
	x := t.running.add(t.c.Life(), &turn{sessionID: p.SessionID, injected: true})
	return func(ctx context.Context) (any, error) {
		begun := make(chan struct{})
		prompt.Begun = func(string) { close(begun) }
		turn, err := t.submit(ctx, x, prompt, how)
		if err != nil || turn.Steers {
			t.end(x)
			return injectedAs(turn), err
		}
		over := make(chan error, 1)
		running := t.c.Go(func() {
			defer t.end(x)
			over <- t.awaitInjected(x, turn)
		})
		switch {
		case !running:
			t.end(x)
			return nil, rpc.ErrClosed
		case turn.Behind:
			return injectedAs(turn), nil
		}
		select {
		case <-begun:
		case err = <-over: // it could not begin, or has ended already
		case <-turn.Waits():
		case <-ctx.Done():
			x.stop(context.Cause(ctx))
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

// submit hands a prompt to the session. The agent's turn lasts as long as x, not
// as the request, whose context is ctx.
func (t *Turns) submit(ctx context.Context, x *turn, p state.Prompt, how agent.How) (*agent.Turn, error) {
	ses, err := t.enter(ctx, x, &p)
	if err != nil {
		return nil, err
	}
	defer context.AfterFunc(ctx, func() { x.stop(context.Cause(ctx)) })()
	turn, err := ses.Submit(x.ctx, p, how)
	x.hand()
	t.queue.tell(ses)
	return turn, err
}

// awaitInjected waits for the end of an injected prompt's turn. The error is that
// of a turn which never began; the user is notified of it if the request is answered
// already.
func (t *Turns) awaitInjected(x *turn, turn *agent.Turn) error {
	_, err := turn.Result()
	t.noteAuth(err)
	switch begun := x.turnID() != ""; {
	case err == nil:
		return nil
	case begun && errors.Is(err, transcript.ErrInternal):
		t.c.Error(t.c.Life(), failure.ErrBug.Error())
		return nil
	case begun: // its updates tell how it ended
		return nil
	case errors.Is(err, agent.ErrNotQueued): // the user removed it
	case (turn.Behind || isClosed(turn.Waits())) && x.ctx.Err() == nil:
		t.c.Error(t.c.Life(), "emendo: a queued prompt was not run: "+visible.Text(err.Error()))
	}
	return err
}

// started answers a command that calls the model when its turn has begun: some
// clients give up waiting for a command after seconds.
type started struct {
	SessionID string `json:"sessionId"`
	TurnID    string `json:"turnId"`
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
		begun, over := make(chan string, 1), make(chan error, 1)
		p.Begun = func(id string) { begun <- id }
		running := t.c.Go(func() {
			defer t.end(x)
			over <- t.runCommand(x, p)
		})
		if !running {
			t.end(x)
			return nil, rpc.ErrClosed
		}
		select {
		case id := <-begun:
			return started{x.sessionID, id}, nil
		case err := <-over:
			if err == nil { // begun and ended at once, or cancelled before
				return started{SessionID: x.sessionID, TurnID: x.turnID()}, nil
			}
			return nil, err
		case <-ctx.Done():
			x.stop(context.Cause(ctx))
			return nil, context.Cause(ctx)
		}
	}
}

// runCommand runs the turn of a command and reports its end to the user. The
// error is that of a turn which never began.
func (t *Turns) runCommand(x *turn, p state.Prompt) error {
	if t.c.Can.Progress {
		x.show(t.newProgress(t.tokens.next(), func() { x.stop(transcript.ErrCancelled) }))
	}
	end, err := t.run(x, p)
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

// run runs a turn to its end.
func (t *Turns) run(x *turn, p state.Prompt) (end state.Ended, err error) {
	err = t.c.Contain(func() error {
		turn, err := t.submit(x.ctx, x, p, agent.Alone)
		if err == nil {
			end, err = turn.Result()
		}
		return err
	})
	t.noteAuth(err)
	if errors.Is(err, transcript.ErrUnknownSession) { // another process deleted it: commands begin a new one
		t.current.forget(x.sessionID)
	}
	return end, err
}

// enter waits for the session's earlier prompts, finds the session of a turn, and
// completes its prompt.
func (t *Turns) enter(ctx context.Context, x *turn, p *state.Prompt) (*agent.Session, error) {
	for _, handed := range x.before {
		select {
		case <-handed:
		case <-ctx.Done():
			return nil, context.Cause(ctx)
		}
	}
	ses, err := t.host.Session(x.ctx, x.sessionID)
	if err != nil {
		return nil, err
	}
	if x.ctx.Err() != nil {
		return nil, context.Cause(x.ctx)
	}
	t.complete(x, ses, p)
	return ses, nil
}

// complete notes the session of a turn, and completes its prompt.
func (t *Turns) complete(x *turn, ses *agent.Session, p *state.Prompt) {
	x.mu.Lock()
	x.session = ses
	x.mu.Unlock()
	if t.folders.Holds(ses.Info().Cwd) {
		p.Folders = t.folders.Added()
	}
	begun := p.Begun
	p.Begun = func(id string) {
		x.mu.Lock()
		x.id = id
		x.mu.Unlock()
		t.current.Set(ses)
		if begun != nil {
			begun(id)
		}
		t.documents.Begun(ses.ID(), id, p.Blocks)
		t.c.Touch()
	}
}

// noteAuth records whether the provider accepted the credentials, as the end of a
// turn shows.
func (t *Turns) noteAuth(err error) {
	var provider *model.Error
	if signedOut := errors.As(err, &provider) && provider.Kind == model.Auth; signedOut || err == nil {
		t.signedOut.Store(signedOut)
	}
}

// end records that a prompt is answered.
func (t *Turns) end(x *turn) {
	t.running.end(x)
	t.c.Touch()
}

// update is the wire form of a session's update.
type update struct {
	SessionID string          `json:"sessionId"`
	Seq       int64           `json:"seq"`
	TurnID    string          `json:"turnId,omitzero"`
	Replay    bool            `json:"replay,omitzero"`
	Update    json.RawMessage `json:"update"`
}

func updateOf(u transcript.Update) update {
	return update{u.SessionID, u.Seq, u.TurnID, u.Replay, acp.Update(u.Event)}
}

// Show sends an update of a session. It waits while the client reads slowly.
func (t *Turns) Show(ctx context.Context, u transcript.Update) error {
	x := t.running.find(u.TurnID)
	if x != nil && x.shown() != nil && !u.Replay {
		x.shown().follow(u.Event)
	}
	t.documents.Show(u)
	if _, ok := u.Event.(transcript.UsageUpdated); ok || t.infos.follow(u) {
		t.c.Touch()
	}
	if !t.c.Can.Session {
		return nil
	}
	sent := update{u.SessionID, u.Seq, u.TurnID, u.Replay, nil}
	if t.c.Can.OutputDelta {
		sent.Update = t.live.encode(u)
	} else {
		sent.Update = acp.Update(u.Event)
	}
	if err := t.c.Send(ctx, "emendo/session/update", sent); err != nil {
		return err
	}
	switch u.Event.(type) { //nolint:gochecksumtype // the other events do not change the queue
	case transcript.UserChunk, transcript.TurnEnded:
		if x != nil {
			t.queue.tell(x.in())
		}
	}
	return nil
}
