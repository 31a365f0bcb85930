package turn

import (
	"context"
	"errors"
	"fmt"
	"iter"

	"github.com/emendo-dev/emendo/agent/compact"
	"github.com/emendo-dev/emendo/agent/hooks"
	"github.com/emendo-dev/emendo/agent/model"
	"github.com/emendo-dev/emendo/agent/prompt"
	"github.com/emendo-dev/emendo/agent/state"
	"github.com/emendo-dev/emendo/agent/transcript"
)

func cutsOf(cs []compact.Cut) []transcript.Cut {
	var l []transcript.Cut
	for _, c := range cs {
		l = append(l, transcript.Cut(c))
	}
	return l
}

// The states of a [Compaction].
const (
	compacting      = "in_progress"
	compacted       = "completed"
	compactionFails = "failed"
)

// compactor compacts the conversation of a turn.
type compactor struct {
	*Turn

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
		if limit := t.models.LimitOf(name); counted == 0 && !t.models.Guessed(name) && t.Session.Ratio.Scale(size) <= limit {
			counted = limit + limit/10 // the estimate was too low
		}
	}
	t.Session.Ratio.Learn(size, counted)
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
	s := t.Session
	messages, _ := t.Messages()
	if _, cuts := compact.Mask(messages, s.Masking()); len(cuts) > 0 {
		t.Emit(transcript.Shortened{Cuts: cutsOf(cuts)})
		messages, _ = t.Messages()
	}
	in := t.Compactor.compaction(messages, system, specs)
	in.Forced = t.Compactor.tooLong
	t.Compactor.tooLong = false
	if !compact.Due(in) {
		return false, nil
	}
	in.FailedBefore = s.FailedCompaction.TooSoon(t.models.Name(), in)
	event := transcript.Compaction{ID: s.Agent.Options.NewID(), Status: compacting, OriginalTokens: in.Size(messages)}
	g, name, err := t.models.Utility(model.Compression)
	if err != nil {
		return false, err
	}
	asked := false
	g = notifying{g, func() {
		if !asked {
			asked = true
			t.hooks.Fire(ctx, hooks.CompressInput{Trigger: "auto"})
			t.Emit(event)
		}
	}}
	r, err := compact.Run(ctx, g, name, in)
	if ctx.Err() == nil && err != nil {
		s.Agent.Log.Warn("a conversation was not summed up", "session", s.SessionID, "err", err)
	}
	if e, ok := t.Compactor.shortened(in, r); ok {
		t.Emit(e)
	}
	if asked || r.Status == compact.ContentTruncated {
		event.Status, event.NewTokens = compactionFails, r.After
		if e := r.Status; e == compact.Compacted || e == compact.ContentTruncated {
			event.Status = compacted
		}
		t.Emit(event)
	}
	if ctx.Err() != nil {
		return false, context.Cause(ctx)
	}
	return r.Status == compact.Compacted, nil
}

// compaction returns the input for [compact.Run].
func (t *compactor) compaction(messages []model.Message, system string, specs []model.Tool) compact.Input {
	s := t.Session
	limit := t.models.Limit()
	t.Mu.Lock()
	defer t.Mu.Unlock()
	return compact.Input{
		Messages: messages, Preface: s.History.Preface(), Limit: limit, Threshold: s.Agent.Settings().Model.CompressionThreshold, Around: s.Estimates.Around(system, specs), Count: &s.Estimates,
		Ratio: s.Ratio, Plan: s.History.Plan, Save: s.Private.SaveOutput(), NewID: s.Agent.Options.NewID,
	}
}

// shortened records the result of a compaction and returns the event that applies
// it; false if nothing changes.
func (t *compactor) shortened(in compact.Input, r compact.Result) (transcript.Shortened, bool) {
	s := t.Session
	switch r.Status {
	case compact.Compacted:
		s.FailedCompaction = state.FailedCompaction{}
		s.Briefing.Forget() // the next prompt sends all of it again
		messages, _ := t.Messages()
		t.Mu.Lock()
		defer t.Mu.Unlock()
		return transcript.Shortened{MessageID: s.Agent.Options.NewID(), Summary: r.Summary, From: s.History.Staying(messages, r.Kept), Cuts: cutsOf(r.Cut)}, true
	case compact.ContentTruncated:
		return transcript.Shortened{Cuts: cutsOf(r.Cut)}, true
	case compact.Inflated, compact.Empty, compact.Failed:
		if !in.Forced { // what the user tried on a short conversation says nothing of a long one
			s.FailedCompaction = state.FailedCompaction{Model: t.models.Name(), Size: r.Before}
		}
	case compact.Noop:
	}
	return transcript.Shortened{}, false
}

// notifying calls onRequest before each request.
type notifying struct {
	model.Generator
	onRequest func()
}

// Stream implements [model.Generator].
func (g notifying) Stream(ctx context.Context, req model.Request) iter.Seq2[model.Chunk, error] {
	g.onRequest()
	return g.Generator.Stream(ctx, req)
}

// Compacted is the result of a compaction.
type Compacted struct {
	Status        string // compacted, content_truncated, noop, inflated or empty
	Before, After int64  // tokens of a request, estimated alike
}

// SumUp summarizes the older part of the conversation at the user's request. keep
// applies the result.
func (t *compactor) SumUp(ctx context.Context, focus string, keep func(transcript.Shortened) error) (Compacted, error) {
	s := t.Session
	gen, name, err := t.models.Utility(model.Compression)
	if err != nil {
		return Compacted{}, err
	}
	t.models.Set(name)
	messages, _ := t.Messages()
	modules, specs := t.Instructor.systemPrompt(s.Briefing.Files(ctx))
	in := t.Compactor.compaction(messages, prompt.Text(modules), specs)
	in.Forced, in.Focus = true, focus
	if in := (hooks.CompressInput{Trigger: "manual"}); t.Outbox != nil {
		t.hooks.Fire(ctx, in)
	} else {
		s.FireBetweenTurns(ctx, in)
	}
	r, err := compact.Run(ctx, gen, name, in)
	if err != nil {
		return Compacted{}, fmt.Errorf("compacting session %s: %w", s.SessionID, err)
	}
	if e, ok := t.Compactor.shortened(in, r); ok {
		if err := keep(e); err != nil {
			return Compacted{}, err
		}
	}
	return Compacted{string(r.Status), r.Before, r.After}, nil
}
