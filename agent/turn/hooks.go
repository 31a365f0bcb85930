package turn

import (
	"context"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/emendo-dev/emendo/agent/hooks"
	"github.com/emendo-dev/emendo/agent/state"
	"github.com/emendo-dev/emendo/agent/transcript"
)

// turnHooks runs the hooks of a turn and records their decisions.
type turnHooks struct {
	conv   *state.Conversation
	models *models
	prompt *sentPrompt

	answers       []string // the texts of the turn's answers, for the hooks at its end
	continuations int      // how often hooks continued the turn at its end
	haltReason    string   // why hooks ended the turn; empty: they did not

	following sync.Mutex // held while a call runs that hooks requested: commands run one at a time

	halted atomic.Pointer[halt] // how hooks end the turn; nil: they do not
}

// halt is a hook's decision to end the turn.
type halt struct {
	Stops  bool // stops the turn; otherwise it blocks what was about to happen
	Reason string
}

// BeforeTurn runs the hooks before a turn: those of the session's start, if this is its
// first turn in this process, and those of the prompt. Their output is sent to the model
// with the prompt. It returns how the turn ends if they do not let it begin, else nil.
func (t *turnHooks) BeforeTurn(ctx context.Context, promptID string) *halt {
	s := t.conv.Session
	if s.Trusted() && s.HookState.Begin() {
		source := "startup"
		if s.Info().Turns > 0 {
			source = "resume"
		}
		o := t.Fire(ctx, hooks.StartInput{Source: source})
		t.sendContext(promptID, transcript.KindStart, o)
	}
	if ctx.Err() != nil {
		return nil
	}
	o := t.Fire(ctx, hooks.PromptInput{Prompt: t.prompt.text()})
	if h := haltOf(o.Output); h != nil {
		return h
	}
	t.sendContext(promptID, transcript.KindHook, o)
	return nil
}

// AllowsSteer runs the hooks of the prompt on a message that the user sends to the
// running turn. If they refuse it, it withdraws the message and returns false.
func (t *turnHooks) AllowsSteer(ctx context.Context, p state.Prompt) bool {
	o := t.Fire(ctx, hooks.PromptInput{Prompt: p.Text()})
	switch h := haltOf(o.Output); {
	case h == nil:
		t.sendContext(p.MessageID, transcript.KindHook, o)
	case h.Stops:
		t.Stop(*h)
	default:
		t.conv.Emit(transcript.Withdrawn{MessageID: p.MessageID})
		t.conv.Warn(transcript.NoticeBlocked, "A hook blocked your message", hooks.BoundedMessage(h.Reason))
		return false
	}
	return true
}

// sendContext sends the output of hooks to the model, with a message of the user's.
func (t *turnHooks) sendContext(messageID, kind string, o hooks.Outcome) {
	if text := o.Context(); strings.TrimSpace(text) != "" {
		t.conv.Emit(transcript.Given{MessageID: messageID, Kind: kind, Text: hooks.Enclosed(text)})
	}
}

// AfterTurn runs the hooks after a turn that the model has finished. continues reports
// that the turn continues, with the hooks' reason as the next message. Otherwise h, if
// not nil, is how it ends. Without mayContinue the turn ends in any case.
func (t *turnHooks) AfterTurn(ctx context.Context, mayContinue bool) (continues bool, h *halt) {
	o := t.Fire(ctx, hooks.AnswerInput{Prompt: t.prompt.text(), Response: strings.Join(t.answers, "\n"), Active: t.continuations > 0})
	if !o.Ran() || ctx.Err() != nil {
		return false, nil
	}
	if o.ClearsContext() && (o.Stops() || o.Blocks()) {
		t.conv.Emit(transcript.Shortened{MessageID: t.conv.Session.Agent.Options.NewID(), Summary: clearedContext})
	}
	h = haltOf(o.Output)
	if h == nil || h.Stops {
		return false, h
	}
	if !mayContinue || t.continuations == maxContinuations {
		t.ReportHalt(*h)
		return false, nil
	}
	t.continuations++
	t.conv.Emit(transcript.Notice{Severity: transcript.Info, Code: transcript.NoticeBlocked, Title: "A hook continued the turn", Description: hooks.BoundedMessage(h.Reason)})
	t.conv.Emit(transcript.Given{MessageID: t.conv.Session.Agent.Options.NewID(), Kind: transcript.KindHook, Text: hooks.BoundedReason(h.Reason)})
	return true, nil
}

// maxContinuations limits how often hooks can continue one turn.
const maxContinuations = 10

// clearedContext replaces a conversation that a hook cleared.
const clearedContext = "(A hook of the user's cleared the conversation before this.)"

// Stop ends the turn once its running calls have ended.
func (t *turnHooks) Stop(why halt) { t.halted.CompareAndSwap(nil, &why) }

// ReportHalt notifies the user why a hook ends the turn, and returns the stop reason. Only
// the turn's goroutine calls it.
func (t *turnHooks) ReportHalt(h halt) transcript.StopReason {
	n := transcript.Notice{Severity: transcript.Warning, Code: transcript.NoticeBlocked, Title: "A hook blocked the turn", Description: hooks.BoundedMessage(h.Reason)}
	reason := transcript.StopBlocked
	if h.Stops {
		n.Code, n.Title, reason = transcript.NoticeStopped, "A hook stopped the turn", transcript.EndTurn
	}
	t.conv.Emit(n)
	t.haltReason = n.Description
	return reason
}

// haltOf returns the halt that hooks request; nil if they request none.
func haltOf(o hooks.Output) *halt {
	switch {
	case o.Stops():
		return &halt{true, o.Why()}
	case o.Blocks():
		return &halt{false, o.Why()}
	}
	return nil
}
