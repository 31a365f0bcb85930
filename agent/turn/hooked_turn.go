package turn

import (
	"context"
	"strings"
	"sync"

	"github.com/emendo-dev/emendo/agent/hooks"
	"github.com/emendo-dev/emendo/agent/state"
	"github.com/emendo-dev/emendo/agent/transcript"
)

// turnHooks runs the hooks of a turn, and keeps what they want of it.
type turnHooks struct {
	*Turn

	said   []string // the texts of its answers, which they are told at its end
	sentOn int      // how often they had it go on after it was done
	why    string   // they ended it; empty: they did not

	following sync.Mutex // held while calls follow that they wanted

	haltMu sync.Mutex
	halted *halt // they end it; nil: they do not
}

// halt is that a hook ends the turn.
type halt struct {
	stops  bool // else it blocks: what was about to happen must not
	reason string
}

// runSteps runs the turn's steps, unless hooks end it before the first. A prompt
// that they block is withdrawn, one that they stop at stays.
func (t *Turn) runSteps(ctx context.Context, promptID string) (transcript.StopReason, error) {
	h := t.hooks.opened(ctx, promptID)
	if h == nil {
		return t.steps(ctx)
	}
	if !h.stops {
		t.Emit(transcript.Withdrawn{MessageID: promptID})
	}
	return t.hooks.tellHalt(*h), nil
}

// opened runs the hooks that go before a turn: those of the session's beginning,
// when it is the first here, and those of the prompt. What they add the model
// reads with the prompt. It gives how the turn ends when they do not let it
// begin.
func (t *turnHooks) opened(ctx context.Context, promptID string) *halt {
	s := t.Session
	if s.Trusted() && s.Hooking.Begin() {
		source := "startup"
		if s.Info().Turns > 0 {
			source = "resume"
		}
		o := t.hooks.fire(ctx, hooks.StartInput{Source: source})
		t.hooks.giveContext(promptID, transcript.KindStart, o)
	}
	if ctx.Err() != nil {
		return nil
	}
	o := t.hooks.fire(ctx, hooks.PromptInput{Prompt: t.prompt.Text()})
	if h := haltOf(o.Output); h != nil {
		return h
	}
	t.hooks.giveContext(promptID, transcript.KindHook, o)
	return nil
}

// heard has hooks look at what the user says while the turn runs, as they look at
// its prompt; false when they refuse it, and it is taken back.
func (t *turnHooks) heard(ctx context.Context, p state.Prompt) bool {
	o := t.hooks.fire(ctx, hooks.PromptInput{Prompt: p.Text()})
	switch h := haltOf(o.Output); {
	case h == nil:
		t.hooks.giveContext(p.MessageID, transcript.KindHook, o)
	case h.stops:
		t.hooks.stop(*h)
	default:
		t.Emit(transcript.Withdrawn{MessageID: p.MessageID})
		t.Emit(transcript.Notice{Severity: transcript.Warning, Code: transcript.NoticeBlocked, Title: "A hook refused what you said", Description: hooks.BoundedMessage(h.reason)})
		return false
	}
	return true
}

// giveContext has the model read what hooks say, with a message of the user's.
func (t *turnHooks) giveContext(messageID, kind string, o hooks.Outcome) {
	if text := o.Context(); strings.TrimSpace(text) != "" {
		t.Emit(transcript.Given{MessageID: messageID, Kind: kind, Text: hooks.Enclosed(text)})
	}
}

// closed runs the hooks that go behind a turn, of which the model thinks that it
// is done. goes says that it goes on, with the hooks' reason as what is said
// next; else h, when not nil, is how it ends.
func (t *turnHooks) closed(ctx context.Context, mayGoOn bool) (goes bool, h *halt) {
	o := t.hooks.fire(ctx, hooks.AnswerInput{Prompt: t.prompt.Text(), Response: strings.Join(t.hooks.said, "\n"), Active: t.hooks.sentOn > 0})
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
	t.hooks.tellHalt(*h)
	if !mayGoOn || t.hooks.sentOn == maxSentOn {
		return false, nil
	}
	t.hooks.sentOn, t.hooks.why = t.hooks.sentOn+1, ""
	t.Emit(transcript.Given{MessageID: t.Session.Agent.Options.NewID(), Kind: transcript.KindHook, Text: hooks.BoundedReason(h.reason)})
	return true, nil
}

// maxSentOn is how often hooks can have one turn go on.
const maxSentOn = 10

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

// halting is why the turn ends; nil when it goes on.
func (h *turnHooks) halting() *halt {
	h.haltMu.Lock()
	defer h.haltMu.Unlock()
	return h.halted
}

// tellHalt tells why a hook ends the turn, and gives the reason for its end; the
// turn's goroutine calls it last.
func (t *turnHooks) tellHalt(h halt) transcript.StopReason {
	n := transcript.Notice{Severity: transcript.Warning, Code: transcript.NoticeBlocked, Title: "A hook blocked the turn", Description: hooks.BoundedMessage(h.reason)}
	reason := transcript.StopBlocked
	if h.stops {
		n.Code, n.Title, reason = transcript.NoticeStopped, "A hook stopped the turn", transcript.EndTurn
	}
	t.Emit(n)
	t.hooks.why = n.Description
	return reason
}

// haltOf is the end that hooks want; nil when they want none.
func haltOf(o hooks.Output) *halt {
	switch {
	case o.Stops():
		return &halt{true, o.Why()}
	case o.Blocks():
		return &halt{false, o.Why()}
	}
	return nil
}
