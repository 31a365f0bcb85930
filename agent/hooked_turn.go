package agent

import (
	"context"
	"strings"
	"sync"

	"github.com/emendo-dev/emendo/agent/hooks"
	"github.com/emendo-dev/emendo/agent/transcript"
)

// hookedTurn is what hooks have to do with a turn.
type hookedTurn struct {
	said   []string // the texts of its answers, which they are told at its end
	sentOn int      // how often they had it go on after it was done
	why    string   // they ended it; empty: they did not

	following sync.Mutex // held while calls follow that they wanted

	mu     sync.Mutex
	halted *halt // they end it; nil: they do not
}

// halt is that a hook ends the turn.
type halt struct {
	stops  bool // else it blocks: what was about to happen must not
	reason string
}

// runSteps runs the turn's steps, unless hooks end it before the first. A prompt
// that they block is withdrawn, one that they stop at stays.
func (t *turn) runSteps(ctx context.Context, promptID string) (transcript.StopReason, error) {
	h := t.opened(ctx, promptID)
	if h == nil {
		return t.steps(ctx)
	}
	if !h.stops {
		t.emit(transcript.Withdrawn{MessageID: promptID})
	}
	return t.tellHalt(*h), nil
}

// opened runs the hooks that go before a turn: those of the session's beginning,
// when it is the first here, and those of the prompt. What they add the model
// reads with the prompt. It gives how the turn ends when they do not let it
// begin.
func (t *turn) opened(ctx context.Context, promptID string) *halt {
	s := t.session
	if s.Trusted() && s.hooking.begin() {
		source := "startup"
		if s.Info().Turns > 0 {
			source = "resume"
		}
		o := t.fire(ctx, hooks.StartInput{Source: source})
		t.giveContext(promptID, transcript.KindStart, o)
	}
	if ctx.Err() != nil {
		return nil
	}
	o := t.fire(ctx, hooks.PromptInput{Prompt: t.prompt.text()})
	if h := haltOf(o.Output); h != nil {
		return h
	}
	t.giveContext(promptID, transcript.KindHook, o)
	return nil
}

// heard has hooks look at what the user says while the turn runs, as they look at
// its prompt; false when they refuse it, and it is taken back.
func (t *turn) heard(ctx context.Context, p Prompt) bool {
	o := t.fire(ctx, hooks.PromptInput{Prompt: p.text()})
	switch h := haltOf(o.Output); {
	case h == nil:
		t.giveContext(p.messageID, transcript.KindHook, o)
	case h.stops:
		t.hooked.stop(*h)
	default:
		t.emit(transcript.Withdrawn{MessageID: p.messageID})
		t.emit(transcript.Notice{Severity: transcript.Warning, Code: transcript.NoticeBlocked, Title: "A hook refused what you said", Description: hooks.BoundedMessage(h.reason)})
		return false
	}
	return true
}

// giveContext has the model read what hooks say, with a message of the user's.
func (t *turn) giveContext(messageID, kind string, o hooks.Outcome) {
	if text := o.Context(); strings.TrimSpace(text) != "" {
		t.emit(transcript.Given{MessageID: messageID, Kind: kind, Text: hooks.Enclosed(text)})
	}
}

// text is what the prompt says in words.
func (p Prompt) text() string {
	var l []string
	for _, b := range p.Blocks {
		if b.Type == transcript.TextBlock {
			l = append(l, b.Text)
		}
	}
	return strings.Join(l, "\n")
}

// closed runs the hooks that go behind a turn, of which the model thinks that it
// is done. goes says that it goes on, with the hooks' reason as what is said
// next; else h, when not nil, is how it ends.
func (t *turn) closed(ctx context.Context, mayGoOn bool) (goes bool, h *halt) {
	o := t.fire(ctx, hooks.AnswerInput{Prompt: t.prompt.text(), Response: strings.Join(t.hooked.said, "\n"), Active: t.hooked.sentOn > 0})
	if !o.Ran() || ctx.Err() != nil {
		return false, nil
	}
	if o.ClearsContext() && (o.Stops() || o.Blocks()) {
		t.emit(transcript.Shortened{MessageID: t.session.agent.o.NewID(), Summary: clearedContext})
	}
	h = haltOf(o.Output)
	if h == nil || h.stops {
		return false, h
	}
	t.tellHalt(*h)
	if !mayGoOn || t.hooked.sentOn == maxSentOn {
		return false, nil
	}
	t.hooked.sentOn, t.hooked.why = t.hooked.sentOn+1, ""
	t.emit(transcript.Given{MessageID: t.session.agent.o.NewID(), Kind: transcript.KindHook, Text: hooks.BoundedReason(h.reason)})
	return true, nil
}

// maxSentOn is how often hooks can have one turn go on.
const maxSentOn = 10

// clearedContext stands for a conversation that a hook has had forgotten.
const clearedContext = "(What was said before was cleared by a hook of the user's.)"

// stop has the turn end once the calls that run have ended.
func (h *hookedTurn) stop(why halt) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.halted == nil {
		h.halted = &why
	}
}

// halting is why the turn ends; nil when it goes on.
func (h *hookedTurn) halting() *halt {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.halted
}

// tellHalt tells why a hook ends the turn, and gives the reason for its end; the
// turn's goroutine calls it last.
func (t *turn) tellHalt(h halt) transcript.StopReason {
	n := transcript.Notice{Severity: transcript.Warning, Code: transcript.NoticeBlocked, Title: "A hook blocked the turn", Description: hooks.BoundedMessage(h.reason)}
	reason := transcript.StopBlocked
	if h.stops {
		n.Code, n.Title, reason = transcript.NoticeStopped, "A hook stopped the turn", transcript.EndTurn
	}
	t.emit(n)
	t.hooked.why = n.Description
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
