package turn

import (
	"cmp"
	"context"
	"errors"
	"sync"
	"time"

	"github.com/emendo-dev/emendo/agent/model"
	"github.com/emendo-dev/emendo/agent/rewind"
	"github.com/emendo-dev/emendo/agent/state"
	"github.com/emendo-dev/emendo/agent/transcript"
)

// Turn runs one prompt.
type Turn struct {
	ID      string
	session *state.Session
	conv    *state.Conversation
	prompt  state.Prompt
	focused state.Prompt // the last prompt or steer that came with the state of the editor
	begun   time.Time
	cancel  context.CancelCauseFunc

	sent       sentPrompt
	hooks      *turnHooks
	models     *models
	compactor  *compactor
	loops      *loopGuard
	files      openFiles
	edited     *state.EditedFiles
	instructor *instructor
	review     *review

	bareFrom int // the message from which on requests are sent without attachments, from 1; 0: none is

	incomplete string // why the answer is cut off; empty: it is not
	spent      string // how the budget was used up; empty: it was not

	text  string        // of the last response that has any
	watch *rewind.Watch // of what commands change

	drawing rewind.Drawing

	acting sync.Mutex // held while a subagent's calls change something or run commands

	mu      sync.Mutex
	calls   map[string]context.CancelCauseFunc // of running calls
	unasked []transcript.Unasked               // commands that nobody allowed
}

// handBack ends the turn's output. Later events are recorded between turns, after
// everything of the turn.
func (t *Turn) handBack() error {
	s := t.session
	err := s.Outbox.End()
	if err != nil {
		s.Owner.Reread()
	}
	return err
}

// Stop cancels the turn, or one of its calls.
func (t *Turn) Stop(callID string) {
	if callID == "" {
		t.cancel(transcript.ErrCancelled)
		return
	}
	t.mu.Lock()
	cancel := t.calls[callID]
	t.mu.Unlock()
	if cancel != nil {
		cancel(transcript.ErrCancelled)
	}
}

func (t *Turn) run(ctx context.Context) (state.Ended, error) {
	messageID := t.appendPrompt(ctx)
	t.tellChanged()
	var reason transcript.StopReason
	err := t.expandPrompt(ctx, messageID)
	if err == nil {
		if h := t.hooks.BeforeTurn(ctx, messageID); h != nil {
			if !h.Stops { // a prompt that they stop at stays
				t.conv.Emit(transcript.Withdrawn{MessageID: messageID})
			}
			reason = t.hooks.ReportHalt(*h)
		} else {
			reason, err = t.steps(ctx)
		}
	}
	t.recordSteers(ctx, (ctx.Err() != nil || err != nil) && !t.conv.HasAnswer(messageID))
	switch {
	case ctx.Err() != nil:
		reason, err = transcript.StopCancelled, nil
		t.afterCancel(messageID)
	case t.sent.rejected:
		t.notSent(transcript.NoticeNotSent, err)
		reason, err = transcript.StopCancelled, nil
	case err != nil:
		reason = t.afterError(messageID, err)
		if reason != transcript.StopError {
			err = nil
		}
	}
	return t.end(transcript.TurnEnded{StopReason: reason}, err)
}

// end records and shows that the turn has ended, and why.
func (t *Turn) end(e transcript.TurnEnded, err error) (state.Ended, error) {
	s := t.session
	t.drawing.Wait()
	var limit int64
	s.Record.SetInfo(func(i *transcript.SessionInfo) {
		if !e.Aside {
			i.Turns++
		}
		i.Used(s.Agent.Now())
		limit = i.Usage.ContextLimit
	})
	used, byModel := t.models.Usage()
	e.Usage = transcript.Usage{Usage: used, ContextLimit: limit}
	e.DurationMS, e.Files, e.Unasked = s.Agent.Now().Sub(t.begun).Milliseconds(), t.changedFiles(), t.unasked
	s.Owner.TurnEnding(e.StopReason == transcript.StopCancelled && s.Agent.Client.Abilities().Queue) // a user who sees the queue resumes it
	end := state.Ended{TurnID: t.ID, StopReason: e.StopReason, Usage: e.Usage, Models: byModel, Text: t.text, Incomplete: t.incomplete, Halted: t.hooks.haltReason, Spent: t.spent}
	if derr := t.conv.Outbox.Flush(e); derr != nil {
		return end, err // handBack reports errors of the log
	}
	i := s.Info()
	t.conv.Outbox.PutNow(i.ToSummary())
	return end, err
}

// newTurn returns a turn without an outbox.
func newTurn(s *state.Session, id string, p state.Prompt) *Turn {
	conv := &state.Conversation{Session: s}
	t := &Turn{
		ID: id, session: s, conv: conv, prompt: p, sent: sentPrompt{prompt: p}, begun: s.Agent.Now(), watch: s.Files.Watch(id),
		files: openFiles{conv}, edited: state.NewEditedFiles(s), models: newModels(conv, id), calls: map[string]context.CancelCauseFunc{},
	}
	t.hooks = &turnHooks{conv: conv, models: t.models, prompt: &t.sent}
	t.instructor = &instructor{conv: conv, turnID: id, exclude: p.Exclude, reviews: p.IsReview(), models: t.models, edited: t.edited}
	t.compactor = &compactor{conv: conv, models: t.models, hooks: t.hooks, instructor: t.instructor}
	t.review = &review{conv: conv, turn: id, hooks: t.hooks, asking: make(chan struct{}, 1)}
	conv.Gate = t.newGate()
	return t
}

// Conversation returns what adds the events of the turn to its session.
func (t *Turn) Conversation() *state.Conversation { return t.conv }

// afterCancel notes in the history that the turn was cancelled, or withdraws the prompt
// if the model had not answered yet.
func (t *Turn) afterCancel(promptID string) {
	if !t.conv.HasAnswer(promptID) {
		t.conv.Emit(transcript.Withdrawn{MessageID: promptID})
		return
	}
	t.conv.Emit(transcript.Given{MessageID: t.conv.LastMessage(), Kind: "cancelled", Text: "(The user stopped you here.)"})
}

// afterError reports a failure and returns how the turn ends.
func (t *Turn) afterError(promptID string, err error) transcript.StopReason {
	reason := transcript.StopError
	n := transcript.Notice{Severity: transcript.Error, Code: transcript.NoticeError, Title: "The turn failed", Description: err.Error()}
	var me *model.Error
	if !t.sent.isReady() {
		t.notSent(transcript.NoticeError, err)
		return reason
	}
	if errors.As(err, &me) {
		switch me.Kind {
		case model.Blocked:
			reason, n.Code, n.Title = transcript.StopBlocked, transcript.NoticeBlocked, "The provider refused the prompt"
		case model.Overflow:
			n.Code, n.Title = transcript.NoticeContextOverflow, "The conversation no longer fits the model"
			n.RequestTokens, n.ContextLimit = me.Counted, cmp.Or(me.Limit, t.models.Limit())
		case model.Cut, model.Empty:
			n.Code, n.Title = transcript.NoticeInvalidStream, "The model's answer was broken"
			n.Type = faultOf(me)
		case model.Auth, model.RateLimited, model.Quota, model.Invalid, model.NotFound, model.NoAccess, model.Unavailable, model.TLS:
		}
	}
	if !t.conv.HasAnswer(promptID) && (me == nil || me.OfRequest()) {
		t.conv.Emit(transcript.Withdrawn{MessageID: promptID})
	}
	t.conv.Emit(n)
	return reason
}

// faultOf names what was wrong: the kind of the error, or a call of the model's that
// cannot be parsed.
func faultOf(e *model.Error) string {
	if e.Finish == model.MalformedCall {
		return string(e.Finish)
	}
	return string(e.Kind)
}
