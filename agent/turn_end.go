package agent

import (
	"cmp"
	"errors"

	"github.com/emendo-dev/emendo/agent/model"
	"github.com/emendo-dev/emendo/agent/transcript"
)

// afterCancel leaves the history so that the model knows, or, when nothing
// came of the prompt, without it.
func (t *turn) afterCancel(promptID string) {
	if !t.produced(promptID) {
		t.emit(transcript.Withdrawn{MessageID: promptID})
		return
	}
	t.emit(transcript.Given{MessageID: t.lastMessage(), Kind: "cancelled", Text: "(The user stopped you here.)"})
}

// afterError tells of a failure and says how the turn ends.
func (t *turn) afterError(promptID string, err error) transcript.StopReason {
	reason := transcript.StopError
	n := transcript.Notice{Severity: transcript.Error, Code: transcript.NoticeError, Title: "The turn failed", Description: err.Error()}
	var me *model.Error
	if errors.As(err, &me) {
		switch me.Kind {
		case model.Blocked:
			reason, n.Code, n.Title = transcript.StopBlocked, transcript.NoticeBlocked, "The provider refused the prompt"
		case model.Overflow:
			n.Code, n.Title = transcript.NoticeContextOverflow, "The conversation no longer fits the model"
			n.RequestTokens, n.ContextLimit = me.Counted, cmp.Or(me.Limit, t.session.agent.o.ContextLimit(t.model))
		case model.Cut, model.Empty:
			n.Code, n.Title = transcript.NoticeInvalidStream, "The model's answer was broken"
			n.Type = faultOf(me)
		case model.Auth, model.RateLimited, model.Quota, model.Invalid, model.NotFound, model.NoAccess, model.Unavailable, model.TLS:
		}
	}
	if !t.produced(promptID) {
		t.emit(transcript.Withdrawn{MessageID: promptID})
	}
	t.emit(n)
	return reason
}

// faultOf names what was wrong: the kind of the error, or that the model made a
// call that cannot be read.
func faultOf(e *model.Error) string {
	if e.Finish == model.MalformedCall {
		return string(e.Finish)
	}
	return string(e.Kind)
}

// produced says whether anything of the model's follows the prompt.
func (t *turn) produced(promptID string) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.session.history.Answered(promptID)
}

func (t *turn) lastMessage() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.session.history.LastMessage()
}
