package turn

import (
	"context"
	"fmt"
	"time"

	"github.com/emendo-dev/emendo/agent/loop"
	"github.com/emendo-dev/emendo/agent/model"
	"github.com/emendo-dev/emendo/agent/state"
	"github.com/emendo-dev/emendo/agent/transcript"
	"github.com/emendo-dev/emendo/tools"
)

// opinionWithin limits how long a request for an opinion about the conversation may
// delay the turn. It is not repeated.
const opinionWithin = time.Minute

// loopGuard ends a turn in which the model loops, and continues one in which the model
// stopped early.
type loopGuard struct {
	conv   *state.Conversation
	models *models
	guard  *loop.Guard
}

// newLoopGuard returns the guard of the turn of a prompt.
func newLoopGuard(conv *state.Conversation, m *models, p state.Prompt) *loopGuard {
	t := &loopGuard{conv: conv, models: m}
	t.guard = loop.New(loop.Options{Off: conv.Session.Agent.Settings().Model.DisableLoopDetection, Judge: t.judge(model.LoopJudge), Second: t.judge(model.SecondJudge)})
	t.guard.Prompt(p.Text())
	return t
}

// judge returns a function that asks the model for that purpose for its opinion.
func (t *loopGuard) judge(p model.Purpose) func(context.Context, loop.Question) (loop.Opinion, error) {
	return func(ctx context.Context, q loop.Question) (o loop.Opinion, err error) {
		g, name, err := t.models.Utility(p)
		if err == nil {
			ctx, cancel := context.WithTimeout(ctx, opinionWithin)
			defer cancel()
			o, err = loop.Ask(g, name)(ctx, q)
		}
		if err != nil {
			t.conv.Session.Agent.Log.Debug("no opinion on whether the model goes in circles", "session", t.conv.Session.SessionID, "purpose", p, "err", err)
		}
		return o, err
	}
}

// checkProgress runs at the beginning of step n, counted from 1. In a long turn it
// sometimes asks a model whether the steps make progress. If they do not, the answering
// model gets advice the first time, and the turn ends the second time.
func (t *loopGuard) checkProgress(ctx context.Context, n int) (over bool, err error) {
	v := t.guard.Step(ctx, n, func() []model.Message {
		messages, _ := t.conv.Session.Record.Messages()
		return messages
	})
	if ctx.Err() != nil {
		return false, context.Cause(ctx)
	}
	switch v.Strike {
	case loop.Recover:
		t.conv.Emit(transcript.Given{MessageID: t.conv.LastMessage(), Kind: transcript.GivenAdvice, Text: v.Advice})
	case loop.Stop:
		t.conv.Emit(loopNotice(v))
		return true, nil
	case loop.GoOn:
	}
	return false, nil
}

// rejectLoop handles an answer in which the guard found a loop: its calls do not run.
// The first time in a turn the model gets advice; the second time the turn ends.
func (t *Turn) rejectLoop(a answer) (over bool) {
	for _, made := range a.calls {
		c := t.newCall(made)
		c.end(tools.Result{Err: tools.Errorf(tools.Cancelled, "The call was not run: the same calls were made over and over.")})
	}
	if a.loop.Strike == loop.Recover {
		t.conv.Emit(transcript.Given{MessageID: a.messageID, Kind: transcript.GivenAdvice, Text: a.loop.Advice})
		return false
	}
	t.conv.Emit(loopNotice(a.loop))
	return true
}

func loopNotice(v loop.Verdict) transcript.Notice {
	return transcript.Notice{Severity: transcript.Warning, Code: transcript.NoticeLoop, Title: "The model is stuck in a loop", Description: describeLoop(v)}
}

func describeLoop(v loop.Verdict) string {
	const end = "The turn was ended; send another prompt to continue."
	switch v.Kind {
	case loop.SameCalls:
		return fmt.Sprintf("It makes the same calls over and over: %s. %s", v.Detail, end)
	case loop.SameWords:
		return fmt.Sprintf("It says the same words over and over: %q. %s", v.Detail, end)
	case loop.NoProgress:
		return fmt.Sprintf("Its steps make no progress: %s %s", v.Detail, end)
	}
	panic("agent: unknown kind of loop " + string(v.Kind))
}

// shouldContinue reports whether the model stopped early in an answer without a call,
// if the user wants that checked. If so, it asks the model to continue.
func (t *loopGuard) shouldContinue(ctx context.Context, a answer) bool {
	s := t.conv.Session
	if s.Agent.Settings().Model.SkipNextSpeakerCheck || a.finish != model.Stop {
		return false
	}
	g, name, err := t.models.Utility(model.NextSpeaker)
	if err != nil {
		s.Agent.Log.Debug("whether the model goes on is not known", "session", s.SessionID, "err", err)
		return false
	}
	within, cancel := context.WithTimeout(ctx, opinionWithin)
	defer cancel()
	messages, _ := t.conv.Session.Record.Messages()
	if !loop.GoesOn(within, g, name, messages) || ctx.Err() != nil {
		return false
	}
	t.conv.Emit(transcript.Given{MessageID: a.messageID, Kind: transcript.GivenContinue, Text: loop.Continue})
	return true
}
