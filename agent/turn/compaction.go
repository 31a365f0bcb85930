package turn

import (
	"context"
	"errors"
	"fmt"

	"github.com/emendo-dev/emendo/agent/briefing"
	"github.com/emendo-dev/emendo/agent/compact"
	"github.com/emendo-dev/emendo/agent/hooks"
	"github.com/emendo-dev/emendo/agent/model"
	"github.com/emendo-dev/emendo/agent/state"
	"github.com/emendo-dev/emendo/agent/transcript"
)

// The states of a [Compaction].
const (
	compacting      = "in_progress"
	compacted       = "completed"
	compactionFails = "failed"
)

// compactor compacts the conversation of a turn.
type compactor struct {
	conv       *state.Conversation
	models     *models
	hooks      *turnHooks
	instructor *instructor

	tooLong bool         // compact before the next request, whatever the estimate
	refused *model.Error // the provider's last refusal of the conversation as too long; nil: none
	size    int64        // the estimate for what was refused
}

// learn notes that the provider refused a request of the model, for which size tokens were
// estimated.
func (t *compactor) learn(size int64, name string, e *model.Error) {
	counted := e.Counted
	if e.Kind == model.Overflow {
		t.refused, t.size = e, size
		if limit, guessed := t.models.LimitOf(name); counted == 0 && !guessed && t.conv.Session.Ratio.Scale(size) <= limit {
			counted = limit + limit/10 // the estimate was too low
		}
	}
	t.conv.Session.Ratio.Learn(size, counted)
}

// mayShorten reports whether err is the provider's refusal of a conversation that it
// finds too long. Then the conversation is compacted and the request repeated, as often
// as that makes it shorter.
func (t *compactor) mayShorten(err error) bool {
	e, ok := errors.AsType[*model.Error](err)
	if !ok || e.Kind != model.Overflow || e != t.refused || t.tooLong {
		return false
	}
	t.tooLong = true
	return true
}

// refusedBefore returns the refusal of a request that was no larger than one of size
// tokens; nil if there is none. It was to be shortened, and is not sent again as it was.
func (t *compactor) refusedBefore(size int64) error {
	if t.refused == nil || size < t.size {
		return nil
	}
	err := *t.refused // another error, which ends the turn
	return &err
}

// makeRoom masks old tool results and summarizes the older part of a long
// conversation before the next request. If that fails, the conversation stays as
// it is. It reports whether a summary took the place of messages.
func (t *compactor) makeRoom(ctx context.Context, system string, specs []model.Tool) (summarized bool, err error) {
	s := t.conv.Session
	messages, _ := t.conv.Session.Record.Messages()
	if _, cuts := compact.Mask(messages, s.Masking()); len(cuts) > 0 {
		t.conv.Emit(transcript.Shortened{Cuts: cuts})
		messages, _ = t.conv.Session.Record.Messages()
	}
	in := t.compaction(messages, system, specs)
	in.Forced = t.tooLong
	t.tooLong = false
	if !compact.Due(in) {
		return false, nil
	}
	in.FailedBefore = s.FailedCompaction.TooSoon(t.models.Name(), in)
	event := transcript.Compaction{ID: s.Agent.Options.NewID(), Status: compacting, OriginalTokens: in.Size(messages)}
	g, name, err := t.models.Utility(model.Compression)
	if err != nil {
		return false, err
	}
	asks := &announcing{compactor: t, event: event}
	r, err := compact.Run(ctx, model.With(g, asks), name, in)
	if ctx.Err() == nil && err != nil {
		s.Agent.Log.Warn("a conversation was not summed up", "session", s.SessionID, "err", err)
	}
	if e, ok := t.shortened(in, r); ok {
		t.conv.Emit(e)
	}
	if asks.announced || r.Status == compact.ContentTruncated {
		event.Status, event.NewTokens = compactionFails, r.After
		if e := r.Status; e == compact.Compacted || e == compact.ContentTruncated {
			event.Status = compacted
		}
		t.conv.Emit(event)
	}
	if ctx.Err() != nil {
		return false, context.Cause(ctx)
	}
	return r.Status == compact.Compacted, nil
}

// compaction returns the input for [compact.Run].
func (t *compactor) compaction(messages []model.Message, system string, specs []model.Tool) compact.Input {
	s := t.conv.Session
	limit := t.models.Limit()
	in := compact.Input{
		Messages: messages, Limit: limit, Threshold: s.Agent.Settings().Model.CompressionThreshold, Around: model.RequestTokens(model.Request{System: system, Tools: specs}),
		Ratio: s.Ratio, Save: s.Private.SaveOutput(), NewID: s.Agent.Options.NewID,
	}
	s.Record.Read(func(h *transcript.History) { in.Preface, in.Plan = h.Preface(), h.Plan })
	return in
}

// shortened records the result of a compaction and returns the event that applies
// it; false if nothing changes.
func (t *compactor) shortened(in compact.Input, r compact.Result) (transcript.Shortened, bool) {
	s := t.conv.Session
	switch r.Status {
	case compact.Compacted:
		s.FailedCompaction = state.FailedCompaction{}
		s.Briefing.Forget() // the next prompt sends all of it again
		messages, _ := t.conv.Session.Record.Messages()
		e := transcript.Shortened{MessageID: s.Agent.Options.NewID(), Summary: r.Summary, Cuts: r.Cut}
		s.Record.Read(func(h *transcript.History) { e.From = h.Staying(messages, r.Kept) })
		return e, true
	case compact.ContentTruncated:
		return transcript.Shortened{Cuts: r.Cut}, true
	case compact.Inflated, compact.Empty, compact.Failed:
		if !in.Forced { // what the user tried on a short conversation says nothing of a long one
			s.FailedCompaction = state.FailedCompaction{Model: t.models.Name(), Size: r.Before}
		}
	case compact.Noop:
	}
	return transcript.Shortened{}, false
}

// announcing is a layer that announces a compaction to hooks and the user before its first
// request.
type announcing struct {
	compactor *compactor
	event     transcript.Compaction
	announced bool
}

// Begin implements [model.Layer].
func (a *announcing) Begin(ctx context.Context, _ *model.Request) (model.Watch, error) {
	if !a.announced {
		a.announced = true
		a.compactor.hooks.Fire(ctx, hooks.CompressInput{Trigger: "auto"})
		a.compactor.conv.Emit(a.event)
	}
	return nil, nil
}

// Compact summarizes the older part of the conversation between turns. record writes the
// result into the log. The caller holds the session.
func Compact(ctx context.Context, s *state.Session, focus string, record func(transcript.Shortened) error) (compact.Result, error) {
	t := newTurn(s, "", state.Prompt{})
	return t.compactor.sumUp(ctx, focus, func(e transcript.Shortened) error {
		if err := record(e); err != nil {
			return err
		}
		t.conv.Fold(e)
		return nil
	})
}

// sumUp summarizes the older part of the conversation at the user's request. keep
// applies the result.
func (t *compactor) sumUp(ctx context.Context, focus string, keep func(transcript.Shortened) error) (compact.Result, error) {
	s := t.conv.Session
	gen, name, err := t.models.Utility(model.Compression)
	if err != nil {
		return compact.Result{}, err
	}
	t.models.Set(name)
	messages, _ := t.conv.Session.Record.Messages()
	modules, specs := t.instructor.systemPrompt(s.Briefing.Files(ctx))
	in := t.compaction(messages, briefing.PromptText(modules), specs)
	in.Forced, in.Focus = true, focus
	if in := (hooks.CompressInput{Trigger: "manual"}); t.conv.Outbox != nil {
		t.hooks.Fire(ctx, in)
	} else {
		s.FireBetweenTurns(ctx, in)
	}
	r, err := compact.Run(ctx, gen, name, in)
	if err != nil {
		return compact.Result{}, fmt.Errorf("compacting session %s: %w", s.SessionID, err)
	}
	if e, ok := t.shortened(in, r); ok {
		if err := keep(e); err != nil {
			return compact.Result{}, err
		}
	}
	return r, nil
}
