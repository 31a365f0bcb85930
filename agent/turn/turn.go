package turn

import (
	"cmp"
	"context"
	"errors"
	"sync"
	"time"

	"github.com/emendo-dev/emendo/agent/model"
	"github.com/emendo-dev/emendo/agent/openfiles"
	"github.com/emendo-dev/emendo/agent/rewind"
	"github.com/emendo-dev/emendo/agent/state"
	"github.com/emendo-dev/emendo/agent/transcript"
	"github.com/emendo-dev/emendo/agent/turnhooks"
	"github.com/emendo-dev/emendo/agent/turnmodel"
	"github.com/emendo-dev/emendo/agent/turnreview"
)

// Turn runs one prompt.
type Turn struct {
	*state.Conversation
	ID      string
	prompt  state.Prompt
	focused state.Prompt // the last prompt or steer that came with the state of the editor
	begun   time.Time
	cancel  context.CancelCauseFunc

	slash      slashPrompt
	hooks      *turnhooks.Hooks
	models     *turnmodel.Choice
	Compactor  compactor
	loops      loopGuard
	files      openfiles.Files
	edited     state.EditedFiles
	Instructor instructor
	refused    refusedAttachments

	incomplete string // why the answer is cut off; empty: it is not
	spent      string // how the budget was used up; empty: it was not

	text  string        // of the last response that has any
	watch *rewind.Watch // of what commands change

	unasked unasked // commands that nobody allowed
	drawing rewind.Drawing

	review *turnreview.Review

	acting sync.Mutex // held while a subagent's calls change something or run commands

	calls map[string]context.CancelCauseFunc // of running calls; guarded by the conversation's Mu
}

// handBack ends the turn's output. Later events are recorded between turns, after
// everything of the turn.
func (t *Turn) handBack() error {
	s := t.Session
	for out := false; !out; {
		_ = t.Outbox.Flush(nil) // the first failure is asked for below
		out = s.Owner.TurnFlushed()
	}
	t.Outbox.Close()
	err := t.Outbox.Err()
	if err != nil {
		s.Owner.Reread()
		return err
	}
	return s.Log.Sync()
}

// Stop cancels the turn, or one of its calls.
func (t *Turn) Stop(callID string) {
	if callID == "" {
		t.cancel(transcript.ErrCancelled)
		return
	}
	t.Mu.Lock()
	cancel := t.calls[callID]
	t.Mu.Unlock()
	if cancel != nil {
		cancel(transcript.ErrCancelled)
	}
}

func (t *Turn) run(ctx context.Context) (state.Ended, error) {
	messageID := t.appendPrompt(ctx)
	t.tellChanged()
	var reason transcript.StopReason
	err := t.slash.expand(ctx, messageID)
	if err == nil {
		reason, err = t.runSteps(ctx, messageID)
	}
	t.recordSteers(ctx, (ctx.Err() != nil || err != nil) && !t.HasAnswer(messageID))
	switch {
	case ctx.Err() != nil:
		reason, err = transcript.StopCancelled, nil
		t.afterCancel(messageID)
	case t.slash.rejected:
		t.slash.notSent(transcript.NoticeNotSent, err)
		reason, err = transcript.StopCancelled, nil
	case err != nil:
		reason = t.afterError(messageID, err)
		if reason != transcript.StopError {
			err = nil
		}
	}
	return t.end(transcript.TurnEnded{StopReason: reason}, err)
}

// runSteps runs the turn's steps, unless hooks end it before the first. A prompt
// that they block is withdrawn, one that they stop at stays.
func (t *Turn) runSteps(ctx context.Context, promptID string) (transcript.StopReason, error) {
	h := t.hooks.BeforeTurn(ctx, promptID)
	if h == nil {
		return t.steps(ctx)
	}
	if !h.Stops {
		t.Emit(transcript.Withdrawn{MessageID: promptID})
	}
	return t.hooks.ReportHalt(*h), nil
}

// end records and shows that the turn has ended, and why.
func (t *Turn) end(e transcript.TurnEnded, err error) (state.Ended, error) {
	s := t.Session
	t.drawing.Wait()
	s.Mu.Lock()
	if !e.Aside {
		s.Details.Turns++
	}
	s.Details.Used(s.Agent.Now())
	limit := s.Details.Usage.ContextLimit
	s.Mu.Unlock()
	used, byModel := t.models.Usage()
	e.Usage = transcript.Usage{Usage: used, ContextLimit: limit}
	e.DurationMS, e.Files, e.Unasked = s.Agent.Now().Sub(t.begun).Milliseconds(), t.changedFiles(), t.unasked.list()
	s.Owner.TurnEnding(e.StopReason == transcript.StopCancelled && s.Agent.Client.Abilities().Queue) // a user who sees the queue resumes it
	end := state.Ended{TurnID: t.ID, StopReason: e.StopReason, Usage: e.Usage, Models: byModel, Text: t.text, Incomplete: t.incomplete, Halted: t.hooks.HaltReason(), Spent: t.spent}
	if derr := t.Outbox.Flush(e); derr != nil {
		return end, err // handBack reports errors of the log
	}
	i := s.Info()
	t.Outbox.PutNow(i.ToSummary())
	return end, err
}

// NewTurn returns a turn without an outbox.
func NewTurn(s *state.Session, id string, p state.Prompt) *Turn {
	t := &Turn{Conversation: &state.Conversation{Session: s}, ID: id, prompt: p, begun: s.Agent.Now(), watch: s.Files.Watch(id), calls: map[string]context.CancelCauseFunc{}}
	t.models = turnmodel.New(t.Conversation, id)
	t.hooks = turnhooks.New(t.Conversation, t.models, t.slash.asked)
	t.slash, t.Compactor, t.loops, t.files, t.Instructor = slashPrompt{Turn: t}, compactor{Turn: t}, loopGuard{Turn: t}, openfiles.Files{Session: s, Emit: t.Emit}, instructor{Turn: t}
	t.edited.Session, t.refused.Turn = s, t
	t.review = turnreview.New(t.Conversation, id, func() { t.Stop("") }, t.hooks.Notify)
	t.Gate = t.newGate()
	return t
}

// afterCancel notes in the history that the turn was cancelled, or withdraws the prompt
// if the model had not answered yet.
func (t *Turn) afterCancel(promptID string) {
	if !t.HasAnswer(promptID) {
		t.Emit(transcript.Withdrawn{MessageID: promptID})
		return
	}
	t.Emit(transcript.Given{MessageID: t.LastMessage(), Kind: "cancelled", Text: "(The user stopped you here.)"})
}

// afterError reports a failure and returns how the turn ends.
func (t *Turn) afterError(promptID string, err error) transcript.StopReason {
	reason := transcript.StopError
	n := transcript.Notice{Severity: transcript.Error, Code: transcript.NoticeError, Title: "The turn failed", Description: err.Error()}
	var me *model.Error
	if !t.slash.expanded() {
		t.slash.notSent(transcript.NoticeError, err)
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
	if !t.HasAnswer(promptID) && (me == nil || me.OfRequest()) {
		t.Emit(transcript.Withdrawn{MessageID: promptID})
	}
	t.Emit(n)
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
