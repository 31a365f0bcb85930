package agent

import (
	"context"
	"strings"

	"github.com/emendo-dev/emendo/agent/hooks"
)

// led takes the turn through its steps, unless hooks have it end before the
// first. A prompt that they block is taken back, one that they stop at stays.
func (t *turn) led(ctx context.Context, promptID string) (StopReason, error) {
	h := t.opened(ctx, promptID)
	if h == nil {
		return t.steps(ctx)
	}
	if !h.stops {
		t.emit(Withdrawn{promptID})
	}
	return t.tellHalt(*h), nil
}

// opened runs the hooks that go before a turn: those of the session's beginning,
// when it is the first here, and those of the prompt. What they add the model
// reads with the prompt. It gives how the turn ends when they do not let it
// begin.
func (t *turn) opened(ctx context.Context, promptID string) *halt {
	s := t.session
	s.hooking.mu.Lock()
	first := !s.hooking.begun
	s.hooking.begun, s.hooking.ended = true, false
	s.hooking.mu.Unlock()
	if first {
		source := "startup"
		if s.Info().Turns > 0 {
			source = "resume"
		}
		o := t.fire(ctx, hooks.StartInput{Source: source})
		t.giveContext(promptID, kindStart, o)
	}
	if ctx.Err() != nil {
		return nil
	}
	o := t.fire(ctx, hooks.PromptInput{Prompt: t.asked()})
	if h := haltOf(o.Output); h != nil {
		return h
	}
	t.giveContext(promptID, kindHook, o)
	return nil
}

// giveContext has the model read what hooks say, with a message of the user's.
func (t *turn) giveContext(messageID, kind string, o hooks.Outcome) {
	if text := o.Context(); strings.TrimSpace(text) != "" {
		t.emit(Given{MessageID: messageID, Kind: kind, Text: hooks.Enclosed(text)})
	}
}

// asked is the text of the prompt.
func (t *turn) asked() string {
	var l []string
	for _, b := range t.prompt.Blocks {
		if b.Type == TextBlock {
			l = append(l, b.Text)
		}
	}
	return strings.Join(l, "\n")
}

// closed runs the hooks that go behind a turn, of which the model thinks that it
// is done. goes says that it goes on, with the hooks' reason as what is said
// next; else h, when not nil, is how it ends.
func (t *turn) closed(ctx context.Context, mayGoOn bool) (goes bool, h *halt) {
	o := t.fire(ctx, hooks.AnswerInput{Prompt: t.asked(), Response: strings.Join(t.said, "\n"), Active: t.sentOn > 0})
	if !o.Ran() || ctx.Err() != nil {
		return false, nil
	}
	if o.ClearsContext() && (o.Stops() || o.Blocks()) {
		t.emit(Shortened{MessageID: t.session.agent.o.NewID(), Summary: clearedContext})
	}
	h = haltOf(o.Output)
	if h == nil || h.stops {
		return false, h
	}
	t.tellHalt(*h)
	if !mayGoOn || t.sentOn == maxSentOn {
		return false, nil
	}
	t.sentOn, t.why = t.sentOn+1, ""
	t.emit(Given{MessageID: t.session.agent.o.NewID(), Kind: kindHook, Text: hooks.BoundedReason(h.reason)})
	return true, nil
}

// maxSentOn is how often hooks can have one turn go on.
const maxSentOn = 10

// clearedContext stands for a conversation that a hook has had forgotten.
const clearedContext = "(What was said before was cleared by a hook of the user's.)"
