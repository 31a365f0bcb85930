package turn

import (
	"context"
	"strings"
	"sync"

	"github.com/emendo-dev/emendo/agent/hooks"
	"github.com/emendo-dev/emendo/agent/state"
	"github.com/emendo-dev/emendo/agent/transcript"
)

// turnHooks runs the hooks of a turn and records their decisions.
type turnHooks struct {
	*Turn

	answers       []string // the texts of its answers, which they are told at its end
	continuations int      // how often they had it go on after it was done
	haltReason    string   // they ended it; empty: they did not

	following sync.Mutex // held while calls follow that they wanted

	haltMu sync.Mutex
	halted *halt // they end it; nil: they do not
}

// halt is a hook's decision to end the turn.
type halt struct {
	stops  bool // else it blocks: what was about to happen must not
	reason string
}

// runSteps runs the turn's steps, unless hooks end it before the first. A prompt
// that they block is withdrawn, one that they stop at stays.
func (t *Turn) runSteps(ctx context.Context, promptID string) (transcript.StopReason, error) {
	h := t.hooks.beforeTurn(ctx, promptID)
	if h == nil {
		return t.steps(ctx)
	}
	if !h.stops {
		t.Emit(transcript.Withdrawn{MessageID: promptID})
	}
	return t.hooks.reportHalt(*h), nil
}

// beforeTurn runs the hooks that go before a turn: those of the session's beginning,
// when it is the first here, and those of the prompt. What they add the model
// reads with the prompt. It gives how the turn ends when they do not let it
// begin.
func (t *turnHooks) beforeTurn(ctx context.Context, promptID string) *halt {
	s := t.Session
	if s.Trusted() && s.HookState.Begin() {
		source := "startup"
		if s.Info().Turns > 0 {
			source = "resume"
		}
		o := t.hooks.fire(ctx, hooks.StartInput{Source: source})
		t.hooks.sendContext(promptID, transcript.KindStart, o)
	}
	if ctx.Err() != nil {
		return nil
	}
	o := t.hooks.fire(ctx, hooks.PromptInput{Prompt: t.slash.asked()})
	if h := haltOf(o.Output); h != nil {
		return h
	}
	t.hooks.sendContext(promptID, transcript.KindHook, o)
	return nil
}

// allowsSteer has hooks look at what the user says while the turn runs, as they look at
// its prompt; false if they refuse it, and it is withdrawn.
func (t *turnHooks) allowsSteer(ctx context.Context, p state.Prompt) bool {
	o := t.hooks.fire(ctx, hooks.PromptInput{Prompt: p.Text()})
	switch h := haltOf(o.Output); {
	case h == nil:
		t.hooks.sendContext(p.MessageID, transcript.KindHook, o)
	case h.stops:
		t.hooks.stop(*h)
	default:
		t.Emit(transcript.Withdrawn{MessageID: p.MessageID})
		t.Emit(transcript.Notice{Severity: transcript.Warning, Code: transcript.NoticeBlocked, Title: "A hook blocked your message", Description: hooks.BoundedMessage(h.reason)})
		return false
	}
	return true
}

// sendContext has the model read what hooks say, with a message of the user's.
func (t *turnHooks) sendContext(messageID, kind string, o hooks.Outcome) {
	if text := o.Context(); strings.TrimSpace(text) != "" {
		t.Emit(transcript.Given{MessageID: messageID, Kind: kind, Text: hooks.Enclosed(text)})
	}
}

// afterTurn runs the hooks that go behind a turn, of which the model thinks that it
// is done. goes says that it goes on, with the hooks' reason as what is said
// next; else h, when not nil, is how it ends.
func (t *turnHooks) afterTurn(ctx context.Context, mayGoOn bool) (goes bool, h *halt) {
	o := t.hooks.fire(ctx, hooks.AnswerInput{Prompt: t.slash.asked(), Response: strings.Join(t.hooks.answers, "\n"), Active: t.hooks.continuations > 0})
	if !o.Ran() || ctx.Err() != nil {
		return false, nil
	}
	if o.ClearsContext() && (o.Stops() || o.Blocks()) {
		t.Emit(transcript.Shortened{MessageID: t.Session.Agent.Options.NewID(), Summary: clearedContext})
	}
	h = haltOf(o.Output)
	if h == nil || h.stops {
		return false, h
	}
	t.hooks.reportHalt(*h)
	if !mayGoOn || t.hooks.continuations == maxContinuations {
		return false, nil
	}
	t.hooks.continuations, t.hooks.haltReason = t.hooks.continuations+1, ""
	t.Emit(transcript.Given{MessageID: t.Session.Agent.Options.NewID(), Kind: transcript.KindHook, Text: hooks.BoundedReason(h.reason)})
	return true, nil
}

// maxContinuations is how often hooks can have one turn go on.
const maxContinuations = 10

// clearedContext stands for a conversation that a hook has had forgotten.
const clearedContext = "(What was said before was cleared by a hook of the user's.)"

// stop has the turn end once the calls that run have ended.
func (h *turnHooks) stop(why halt) {
	h.haltMu.Lock()
	defer h.haltMu.Unlock()
	if h.halted == nil {
		h.halted = &why
	}
}

// halting returns why hooks end the turn; nil if they do not.
func (h *turnHooks) halting() *halt {
	h.haltMu.Lock()
	defer h.haltMu.Unlock()
	return h.halted
}

// reportHalt tells the user why a hook ends the turn, and returns the stop reason; the
// turn's goroutine calls it last.
func (t *turnHooks) reportHalt(h halt) transcript.StopReason {
	n := transcript.Notice{Severity: transcript.Warning, Code: transcript.NoticeBlocked, Title: "A hook blocked the turn", Description: hooks.BoundedMessage(h.reason)}
	reason := transcript.StopBlocked
	if h.stops {
		n.Code, n.Title, reason = transcript.NoticeStopped, "A hook stopped the turn", transcript.EndTurn
	}
	t.Emit(n)
	t.hooks.haltReason = n.Description
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
