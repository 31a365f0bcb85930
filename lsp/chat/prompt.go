package chat

import (
	"context"
	"encoding/json"
	"errors"

	"github.com/emendo-dev/emendo/acp"
	"github.com/emendo-dev/emendo/acp/failure"
	"github.com/emendo-dev/emendo/agent"
	"github.com/emendo-dev/emendo/agent/slash"
	"github.com/emendo-dev/emendo/agent/state"
	"github.com/emendo-dev/emendo/agent/transcript"
	"github.com/emendo-dev/emendo/agent/view/phrase"
	"github.com/emendo-dev/emendo/internal/rpc"
	"github.com/emendo-dev/emendo/internal/visible"
	"github.com/emendo-dev/emendo/lsp/client"
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
	if err := client.Require(p.SessionID, "sessionId"); err != nil {
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
			shown := t.newProgress(p.Token, false)
			x.progress.Store(shown)
			defer func() { // the token is valid until the answer
				shown.finish("")
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
		p.Focus = new(t.c.Focus.Current())
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
	if err := client.Require(p.SessionID, "sessionId"); err != nil {
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

// Check returns an error if a prompt cannot be sent in a session: if it is empty, or names a
// slash command that there is not.
func (t *Turns) Check(ctx context.Context, sessionID string, blocks []transcript.Block) error {
	ses, err := t.c.Host.Session(ctx, sessionID)
	if err != nil {
		return err
	}
	if err := slash.Check(ctx, ses.State, state.Prompt{Blocks: blocks, Snapshot: t.c.Workspace.Snapshot()}); err != nil {
		return client.Invalid("%v", err)
	}
	return nil
}

// Begin begins a turn of a session for a prompt that an action sends. The turn outlives the
// request; updates report its end.
func (t *Turns) Begin(ctx context.Context, sessionID string, blocks []transcript.Block) error {
	return t.Add(ctx, sessionID, blocks, agent.Alone)
}

// Add is Begin for a prompt that may join the turn that runs, wait for it or end it.
func (t *Turns) Add(ctx context.Context, sessionID string, blocks []transcript.Block, how agent.How) error {
	prompt := state.Prompt{Blocks: blocks, Snapshot: t.c.Workspace.Snapshot(), Focus: new(t.c.Focus.Current())}
	x := t.running.add(t.c.Life(), &turn{sessionID: sessionID, injected: how != agent.Alone})
	return t.start(ctx, x, func() error {
		_, err := t.run(x, prompt, how)
		return t.reportInjected(x, err)
	})
}

// Offer answers a request with the end of the turn that its prompt begins, or, while another
// turn runs, once the prompt is queued. compose makes the prompt when its session is known; its
// second result is called when the prompt was sent, or never will be.
func (t *Turns) Offer(sessionID string, compose func(context.Context, *agent.Session) (state.Prompt, func(), error)) rpc.Work {
	x := t.running.add(t.c.Life(), &turn{sessionID: sessionID, injected: true})
	return func(ctx context.Context) (any, error) {
		ses, err := t.c.Host.Session(ctx, sessionID)
		if err != nil {
			t.end(x)
			return nil, err
		}
		p, over, err := compose(ctx, ses)
		if err != nil {
			t.end(x)
			return nil, err
		}
		sent := make(chan struct{})
		err = t.start(ctx, x, func() error {
			defer close(sent)
			defer over()
			_, err := t.run(x, p, agent.Alone, agent.Queue)
			return t.reportInjected(x, err)
		})
		if errors.Is(err, rpc.ErrClosed) {
			return nil, err
		}
		if err != nil {
			<-sent // so that what was not sent can be sent again after the answer
		}
		switch {
		case err == nil, isClosed(x.begun):
		case ctx.Err() != nil, errors.Is(err, transcript.ErrCancelled):
			return ended{StopReason: transcript.StopCancelled}, nil
		default:
			return nil, err
		}
		if x.agent.Behind {
			return injected{x.agent.ID, x.agent.Position}, nil
		}
		defer context.AfterFunc(ctx, func() { x.stop(transcript.ErrCancelled) })()
		end, err := x.agent.Result()
		if err != nil {
			return nil, err
		}
		return ended{end.TurnID, end.StopReason, acp.UsageOf(end.Usage)}, nil
	}
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

// Shown shows that a command of the user's runs in a conversation.
type Shown interface {
	Joined(sessionID string) // before the turn begins
	Ended()                  // when it has ended, or never began
}

// Start begins a turn for a command, in the session with the ID or the current
// one. The turn outlives the request.
func (t *Turns) Start(sessionID string, p state.Prompt) rpc.Work {
	x := t.running.add(t.c.Life(), &turn{sessionID: sessionID})
	return func(ctx context.Context) (any, error) { return t.answerCommand(ctx, x, p, nil) }
}

// StartBehind is Start for a prompt that waits while another turn of the session runs.
func (t *Turns) StartBehind(sessionID string, p state.Prompt) rpc.Work {
	x := t.running.add(t.c.Life(), &turn{sessionID: sessionID, injected: true})
	return func(ctx context.Context) (any, error) { return t.answerCommand(ctx, x, p, nil) }
}

// StartShown is StartBehind for a turn that shown shows.
// The second function ends the turn, or removes its prompt from the queue: it touches no other
// turn, and may be called before the first.
func (t *Turns) StartShown(sessionID string, p state.Prompt) (run func(context.Context, Shown) (any, error), stop func()) {
	x := t.running.add(t.c.Life(), &turn{sessionID: sessionID, injected: true})
	return func(ctx context.Context, shown Shown) (any, error) { return t.answerCommand(ctx, x, p, shown) },
		func() { x.stop(transcript.ErrCancelled) }
}

// answerCommand finds the session of a command's turn, begins the turn and answers the command.
// shown is nil where nothing shows it.
func (t *Turns) answerCommand(ctx context.Context, x *turn, p state.Prompt, shown Shown) (any, error) {
	ses, err := t.sessionFor(ctx, x)
	if err != nil {
		t.end(x)
		if shown != nil {
			shown.Ended()
		}
		return nil, err
	}
	t.running.setSession(x, ses.ID())
	ways := []agent.How{agent.Alone}
	if shown != nil {
		shown.Joined(ses.ID())
	}
	if x.injected {
		ways = append(ways, agent.Queue)
	}
	err = t.start(ctx, x, func() error {
		if shown != nil {
			defer shown.Ended()
		}
		return t.runCommand(x, p, shown != nil, ways)
	})
	switch {
	case err != nil:
		return nil, err
	case x.agent == nil: // it was stopped before
		return nil, transcript.ErrCancelled
	}
	return started{x.sessionID, x.agent.ID}, nil
}

// sessionFor finds the session of a command's turn, or makes it, unless the turn is stopped.
func (t *Turns) sessionFor(ctx context.Context, x *turn) (*agent.Session, error) {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	defer context.AfterFunc(x.ctx, func() { cancel(context.Cause(x.ctx)) })()
	return t.sessions.OrCurrent(ctx, x.sessionID)
}

// runCommand runs the turn of a command and reports its end to the user. The
// error is that of a turn which never began. A turn that is shown needs no progress.
func (t *Turns) runCommand(x *turn, p state.Prompt, shown bool, ways []agent.How) error {
	if !shown {
		t.showCancellable(x)
	}
	end, err := t.run(x, p, ways...)
	cancelled := end.StopReason == transcript.StopCancelled || x.ctx.Err() != nil && (err == nil || errors.Is(err, context.Cause(x.ctx)))
	t.endProgress(x, cancelled, err) // of it and the message below Helix shows only the later
	switch {
	case cancelled:
		return nil
	case err != nil && x.turnID() == "":
		return t.reportInjected(x, err)
	case t.c.Can.Session: // it has seen the updates
	case err != nil:
		t.c.Error(t.c.Life(), "emendo: "+visible.Text(err.Error()))
	default:
		t.c.Info(t.c.Life(), answerText(end, t.whereIfNew(x.sessionID, t.documents.Where(t.c.Life(), x.sessionID))))
	}
	return nil
}

// Documents shows conversations in documents, to users of clients without emendo's
// panel.
type Documents interface {
	// Begun is called when a turn has its ID, before [Documents.AddUpdate].
	Begun(sessionID, turnID string, prompt []transcript.Block)
	AddUpdate(u transcript.Update)
	// Where returns where the user finds the conversation; empty if nowhere.
	Where(ctx context.Context, sessionID string) string
}

// Question is a question in a document.
type Question interface {
	// CheckSession returns why the session must not get the question, before it is opened.
	CheckSession(ctx context.Context, sessionID string) error
	// Opened is called with the session, before the question is sent. It completes the prompt.
	Opened(ctx context.Context, ses *agent.Session, p *state.Prompt) error
	// Accepted is called once the question has a turn, which may wait for others. It
	// may be called again.
	Accepted(turnID string)
	// Failed is called if no turn begins.
	Failed(err error)
	// WhyUnshown is called at the end of the turn: it returns why the user does not see
	// the answer in the document; empty if they do.
	WhyUnshown() string
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
		if err == nil && isClosed(x.accepted) {
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
		if err = s.Question.CheckSession(ctx, s.SessionID); err == nil {
			ses, err = t.c.Host.Session(ctx, s.SessionID)
		}
	}
	if s.SessionID == "" || s.Unasked && errors.Is(err, transcript.ErrUnknownSession) {
		ses, err = t.sessions.create(ctx, NewParams{}, s.SessionID)
	}
	if err != nil {
		return err
	}
	t.running.setSession(x, ses.ID())
	return s.Question.Opened(ctx, ses, &s.Prompt)
}

// runSent runs the turn of a question. The error is that of a turn which never
// began.
func (t *Turns) runSent(x *turn, p state.Prompt) error {
	end, err := t.run(x, p, agent.Alone, agent.Queue)
	cancelled := end.StopReason == transcript.StopCancelled || errors.Is(err, transcript.ErrCancelled)
	t.endProgress(x, cancelled, err)
	switch {
	case err == nil:
		if why := x.question.WhyUnshown(); why != "" && !cancelled {
			t.c.Info(t.c.Life(), answerText(end, "")+"\n("+why+")")
		}
		return nil
	case x.turnID() == "":
		x.question.Failed(err)
		if isClosed(x.accepted) && !cancelled { // the command is answered already
			t.c.Error(t.c.Life(), "emendo: "+phrase.Say("error.not_sent", "why", err.Error()).Text)
		}
		return err
	case !cancelled: // the document says so too
		t.c.Error(t.c.Life(), "emendo: "+visible.Text(err.Error()))
	}
	return nil
}

// Load answers emendo/session/load. For a client that shows the queue, prompts that
// were queued when the server ended are in the queue again.
func (t *Turns) Load(ctx context.Context, p sessionParams) (any, error) {
	ses, err := t.c.Host.Session(ctx, p.SessionID)
	if err != nil {
		return nil, err
	}
	if t.c.Can.View {
		t.Recall(ctx, ses)
		return t.sessions.loaded(ctx, ses), nil
	}
	if t.c.Can.Queue {
		t.restore(ctx, ses)
	}
	r, err := t.sessions.Load(ctx, p)
	t.queue.sendAgain(ses)
	return r, err
}

// Recall opens a session without showing it again: the prompts that were queued when the
// server ended are in the queue.
func (t *Turns) Recall(ctx context.Context, ses *agent.Session) {
	t.restore(ctx, ses)
	if err := ses.Recall(ctx); err != nil {
		t.c.Log.Error("recall queued prompts", "session", ses.ID(), "error", err)
	}
	t.queue.sendIfChanged(ses)
}

// restore has the queued prompts of an earlier process run as injected ones, once
// the user resumes the queue.
func (t *Turns) restore(ctx context.Context, ses *agent.Session) {
	var xs []*turn
	turns, err := ses.RestoreQueue(ctx, func(p *state.Prompt) context.Context {
		x := t.running.add(t.c.Life(), &turn{sessionID: ses.ID(), injected: true})
		x.noteHanded()
		p.Snapshot, p.Focus = t.c.Workspace.Snapshot(), new(t.c.Focus.Current())
		t.completePrompt(x, ses, p)
		xs = append(xs, x)
		return x.ctx
	})
	if err != nil {
		t.c.Log.Error("the queue was not restored", "session", ses.ID(), "error", err)
	}
	for i, turn := range turns {
		x := xs[i]
		running := t.c.Go(func() {
			defer t.end(x)
			_, err := t.await(x, turn)
			_ = t.reportInjected(x, err) // the user was notified
		})
		if !running {
			t.end(x)
		}
	}
}
