package turnhooks

import (
	"context"
	"strings"
	"sync"

	"github.com/emendo-dev/emendo/agent/hooks"
	"github.com/emendo-dev/emendo/agent/state"
	"github.com/emendo-dev/emendo/agent/transcript"
	"github.com/emendo-dev/emendo/agent/turnmodel"
)

// Hooks runs the hooks of a turn and records their decisions.
type Hooks struct {
	*state.Conversation
	models *turnmodel.Choice
	asked  func() string

	answers       []string // the texts of its answers, which they are told at its end
	continuations int      // how often they had it go on after it was done
	haltReason    string   // they ended it; empty: they did not

	following sync.Mutex // held while calls follow that they wanted

	haltMu sync.Mutex
	halted *Halt // they end it; nil: they do not
}

// New returns the hooks of a turn. asked returns what the user asks in words.
func New(c *state.Conversation, models *turnmodel.Choice, asked func() string) *Hooks {
	return &Hooks{Conversation: c, models: models, asked: asked}
}

// Halt is a hook's decision to end the turn.
type Halt struct {
	Stops  bool // else it blocks: what was about to happen must not
	Reason string
}

// BeforeTurn runs the hooks that go before a turn: those of the session's beginning,
// when it is the first here, and those of the prompt. What they add the model
// reads with the prompt. It gives how the turn ends when they do not let it
// begin.
func (t *Hooks) BeforeTurn(ctx context.Context, promptID string) *Halt {
	s := t.Session
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
	o := t.Fire(ctx, hooks.PromptInput{Prompt: t.asked()})
	if h := haltOf(o.Output); h != nil {
		return h
	}
	t.sendContext(promptID, transcript.KindHook, o)
	return nil
}

// AllowsSteer has hooks look at what the user says while the turn runs, as they look at
// its prompt; false if they refuse it, and it is withdrawn.
func (t *Hooks) AllowsSteer(ctx context.Context, p state.Prompt) bool {
	o := t.Fire(ctx, hooks.PromptInput{Prompt: p.Text()})
	switch h := haltOf(o.Output); {
	case h == nil:
		t.sendContext(p.MessageID, transcript.KindHook, o)
	case h.Stops:
		t.Stop(*h)
	default:
		t.Emit(transcript.Withdrawn{MessageID: p.MessageID})
		t.Emit(transcript.Notice{Severity: transcript.Warning, Code: transcript.NoticeBlocked, Title: "A hook blocked your message", Description: hooks.BoundedMessage(h.Reason)})
		return false
	}
	return true
}

// sendContext has the model read what hooks say, with a message of the user's.
func (t *Hooks) sendContext(messageID, kind string, o hooks.Outcome) {
	if text := o.Context(); strings.TrimSpace(text) != "" {
		t.Emit(transcript.Given{MessageID: messageID, Kind: kind, Text: hooks.Enclosed(text)})
	}
}

// AfterTurn runs the hooks that go behind a turn, of which the model thinks that it
// is done. goes says that it goes on, with the hooks' reason as what is said
// next; else h, when not nil, is how it ends.
func (t *Hooks) AfterTurn(ctx context.Context, mayGoOn bool) (goes bool, h *Halt) {
	o := t.Fire(ctx, hooks.AnswerInput{Prompt: t.asked(), Response: strings.Join(t.answers, "\n"), Active: t.continuations > 0})
	if !o.Ran() || ctx.Err() != nil {
		return false, nil
	}
	if o.ClearsContext() && (o.Stops() || o.Blocks()) {
		t.Emit(transcript.Shortened{MessageID: t.Session.Agent.Options.NewID(), Summary: clearedContext})
	}
	h = haltOf(o.Output)
	if h == nil || h.Stops {
		return false, h
	}
	t.ReportHalt(*h)
	if !mayGoOn || t.continuations == maxContinuations {
		return false, nil
	}
	t.continuations, t.haltReason = t.continuations+1, ""
	t.Emit(transcript.Given{MessageID: t.Session.Agent.Options.NewID(), Kind: transcript.KindHook, Text: hooks.BoundedReason(h.Reason)})
	return true, nil
}

// maxContinuations is how often hooks can have one turn go on.
const maxContinuations = 10

// clearedContext stands for a conversation that a hook has had forgotten.
const clearedContext = "(What was said before was cleared by a hook of the user's.)"

// Stop has the turn end once the calls that run have ended.
func (t *Hooks) Stop(why Halt) {
	t.haltMu.Lock()
	defer t.haltMu.Unlock()
	if t.halted == nil {
		t.halted = &why
	}
}

// Halting returns why hooks end the turn; nil if they do not.
func (t *Hooks) Halting() *Halt {
	t.haltMu.Lock()
	defer t.haltMu.Unlock()
	return t.halted
}

// Follow waits until no other call follows on the word of hooks: a command runs
// alone, whoever wanted it.
func (t *Hooks) Follow() (done func()) {
	t.following.Lock()
	return t.following.Unlock
}

// Answered notes the text of an answer.
func (t *Hooks) Answered(text string) { t.answers = append(t.answers, text) }

// HaltReason returns why hooks ended the turn; empty if they did not.
func (t *Hooks) HaltReason() string { return t.haltReason }

// ReportHalt tells the user why a hook ends the turn, and returns the stop reason; the
// turn's goroutine calls it last.
func (t *Hooks) ReportHalt(h Halt) transcript.StopReason {
	n := transcript.Notice{Severity: transcript.Warning, Code: transcript.NoticeBlocked, Title: "A hook blocked the turn", Description: hooks.BoundedMessage(h.Reason)}
	reason := transcript.StopBlocked
	if h.Stops {
		n.Code, n.Title, reason = transcript.NoticeStopped, "A hook stopped the turn", transcript.EndTurn
	}
	t.Emit(n)
	t.haltReason = n.Description
	return reason
}

// haltOf returns the halt that hooks request; nil if they request none.
func haltOf(o hooks.Output) *Halt {
	switch {
	case o.Stops():
		return &Halt{true, o.Why()}
	case o.Blocks():
		return &Halt{false, o.Why()}
	}
	return nil
}
