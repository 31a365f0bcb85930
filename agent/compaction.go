package agent

import (
	"context"
	"fmt"
	"iter"

	"github.com/emendo-dev/emendo/agent/compact"
	"github.com/emendo-dev/emendo/agent/hooks"
	"github.com/emendo-dev/emendo/agent/model"
	"github.com/emendo-dev/emendo/agent/prompt"
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

// shown is what the model is shown of the conversation, also item by item.
func (t *turn) shown() ([]model.Message, []transcript.ContextItem) {
	s := t.session
	left := s.leftOut()
	t.mu.Lock()
	defer t.mu.Unlock()
	s.history.Left = left
	return s.history.Request(), s.history.Items()
}

// makeRoom masks old answers of tools, and has the older part of a long
// conversation summed up, before the next request. Where the model cannot be
// asked for that, the conversation stays as it is.
func (t *turn) makeRoom(ctx context.Context, system string, specs []model.Tool) error {
	s := t.session
	messages, _ := t.shown()
	if _, cuts := compact.Mask(messages, s.masking()); len(cuts) > 0 {
		t.emit(transcript.Shortened{Cuts: cutsOf(cuts)})
		messages, _ = t.shown()
	}
	in := t.compaction(messages, system, specs)
	in.Forced = t.tooLong
	t.tooLong = false
	if !compact.Due(in) {
		return nil
	}
	in.FailedBefore = s.failed.holds(t.model, in)
	told := transcript.Compaction{ID: s.agent.o.NewID(), Status: compacting, OriginalTokens: in.Size(messages)}
	g, name, err := t.utility(model.Compression)
	if err != nil {
		return err
	}
	asked := false
	g = telling{g, func() {
		if !asked {
			asked = true
			t.fire(ctx, hooks.CompressInput{Trigger: "auto"})
			t.emit(told)
		}
	}}
	r, err := compact.Run(ctx, g, name, in)
	if ctx.Err() == nil && err != nil {
		s.agent.log.Warn("a conversation was not summed up", "session", s.id, "err", err)
	}
	if e, ok := t.shortened(in, r); ok {
		t.emit(e)
	}
	if asked || r.Status == compact.ContentTruncated {
		told.Status, told.NewTokens = compactionFails, r.After
		if e := r.Status; e == compact.Compacted || e == compact.ContentTruncated {
			told.Status = compacted
		}
		t.emit(told)
	}
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	return nil
}

// masking says which old answers of tools are masked.
func (s *Session) masking() compact.MaskOptions {
	o := s.agent.choices().Masking
	o.Save, o.Count = s.saveOutput(), &s.estimates
	return o
}

// compaction is the conversation as it is put before whoever makes it shorter.
func (t *turn) compaction(messages []model.Message, system string, specs []model.Tool) compact.Input {
	s := t.session
	t.mu.Lock()
	defer t.mu.Unlock()
	return compact.Input{
		Messages: messages, Preface: s.history.Preface(), Limit: s.agent.o.ContextLimit(t.model), Threshold: s.agent.choices().CompactAt, Around: s.estimates.Around(system, specs), Count: &s.estimates,
		Ratio: s.ratio, Plan: s.history.Plan, Save: s.saveOutput(), NewID: s.agent.o.NewID,
	}
}

// shortened takes in what became of a compaction, and gives the event that makes
// it true; false when nothing became of it.
func (t *turn) shortened(in compact.Input, r compact.Result) (transcript.Shortened, bool) {
	s := t.session
	switch r.Status {
	case compact.Compacted:
		s.failed = failedCompaction{}
		s.briefing.Forget() // the next prompt gives all of it again
		messages, _ := t.shown()
		t.mu.Lock()
		defer t.mu.Unlock()
		return transcript.Shortened{MessageID: s.agent.o.NewID(), Summary: r.Summary, From: s.history.Staying(messages, r.Kept), Cuts: cutsOf(r.Cut)}, true
	case compact.ContentTruncated:
		return transcript.Shortened{Cuts: cutsOf(r.Cut)}, true
	case compact.Inflated, compact.Empty, compact.Failed:
		if !in.Forced { // what the user tried on a short conversation says nothing of a long one
			s.failed = failedCompaction{t.model, r.Before}
		}
	case compact.Noop:
	}
	return transcript.Shortened{}, false
}

// failedCompaction is an attempt of which no summary came.
type failedCompaction struct {
	model string
	size  int64 // of the request, in tokens; 0: there was none
}

// holds says whether it is too early to ask for a summary again: the same model
// answers, and the conversation has not grown by a tenth of its limit since.
func (f failedCompaction) holds(name string, in compact.Input) bool {
	return f.size > 0 && f.model == name && in.Size(in.Messages) < f.size+in.Limit/10
}

// telling says when a model is asked.
type telling struct {
	model.Generator
	tell func()
}

// Stream implements [model.Generator].
func (g telling) Stream(ctx context.Context, req model.Request) iter.Seq2[model.Chunk, error] {
	g.tell()
	return g.Generator.Stream(ctx, req)
}

// Compacted is what became of a compaction.
type Compacted struct {
	Status        string // compacted, content_truncated, noop, inflated or empty
	Before, After int64  // tokens of a request, estimated alike
}

// Compact has the older part of the conversation summed up, however long it is.
// Prompts wait for it; while a turn runs the session is busy. Focus is what the
// user wants kept above all; it may be empty.
func (s *Session) Compact(ctx context.Context, focus string) (Compacted, error) {
	if err := s.acquire(ctx); err != nil {
		return Compacted{}, err
	}
	defer s.release()
	if err := s.lock(ctx); err != nil {
		return Compacted{}, err
	}
	defer s.unlock()
	t := s.newTurn("", Prompt{})
	return t.sumUp(ctx, focus, func(e transcript.Shortened) error {
		if err := s.log.Append(transcript.Record{At: s.agent.now(), Event: e}, true); err != nil {
			s.reread()
			return err
		}
		t.fold(e)
		return nil
	})
}

// sumUp has the older part summed up on the user's word, and keep make it true.
func (t *turn) sumUp(ctx context.Context, focus string, keep func(transcript.Shortened) error) (Compacted, error) {
	s := t.session
	gen, name, err := t.utility(model.Compression)
	if err != nil {
		return Compacted{}, err
	}
	t.model = name
	messages, _ := t.shown()
	modules, specs := t.systemPrompt(s.briefing.Files(ctx))
	in := t.compaction(messages, prompt.Text(modules), specs)
	in.Forced, in.Focus = true, focus
	if in := (hooks.CompressInput{Trigger: "manual"}); t.box != nil {
		t.fire(ctx, in)
	} else {
		s.fireAside(ctx, in)
	}
	r, err := compact.Run(ctx, gen, name, in)
	if err != nil {
		return Compacted{}, fmt.Errorf("compacting session %s: %w", s.id, err)
	}
	if e, ok := t.shortened(in, r); ok {
		if err := keep(e); err != nil {
			return Compacted{}, err
		}
	}
	return Compacted{string(r.Status), r.Before, r.After}, nil
}
