package turn

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"github.com/emendo-dev/emendo/agent/loop"
	"github.com/emendo-dev/emendo/agent/model"
	"github.com/emendo-dev/emendo/agent/transcript"
)

// maxMalformed is how many answers in a row may have a malformed call and nothing else to
// act on.
const maxMalformed = 3

// unlimited, as the most requests of a turn, is no limit.
const unlimited = -1

// steps asks the model until it calls nothing.
func (t *Turn) steps(ctx context.Context) (transcript.StopReason, error) {
	malformed := 0
	for n := 0; ; n++ {
		if t.prompt.MaxSteps >= 0 && n >= t.prompt.MaxSteps {
			t.conv.Warn(transcript.NoticeMaxTurns, "The turn reached its limit", fmt.Sprintf("The model was asked %d times in this turn, which is the limit. Send another prompt to continue.", n))
			return transcript.MaxTurnRequests, nil
		}
		if t.spent = t.models.Spent(); t.spent != "" {
			t.conv.Warn(transcript.NoticeBudget, "The turn reached its budget", t.spent+" Send another prompt to continue.")
			return transcript.MaxTurnRequests, nil
		}
		if n > 0 {
			if g, ok := t.review.Decisions(t.conv.LastMessage()); ok {
				t.conv.Emit(g)
			}
			t.instructor.sendModeChange()
			t.sendNestedContext(ctx)
			t.steer(ctx, false)
			if h := t.hooks.halted.Load(); h != nil {
				return t.hooks.ReportHalt(*h), nil
			}
		}
		t.reportJobs()
		if over, err := t.loops.checkProgress(ctx, n+1); over || err != nil {
			return transcript.StopLoop, err
		}
		answer, err := t.step(ctx)
		for t.compactor.mayShorten(err) {
			answer, err = t.step(ctx)
		}
		if err != nil {
			answer, err = t.withoutAttachments(ctx, answer, err)
		}
		if err == nil {
			err = t.recorded(answer)
		}
		if err != nil {
			return "", err
		}
		if answer.loop.Strike != loop.GoOn {
			if t.rejectLoop(answer) {
				return transcript.StopLoop, nil
			}
			continue
		}
		if answer.halted != nil {
			return t.hooks.ReportHalt(*answer.halted), nil
		}
		if len(answer.calls) == 0 && answer.finish == model.MalformedCall {
			if malformed++; malformed == maxMalformed || !t.mayAsk(n+1) {
				return "", &model.Error{Kind: model.Cut, Finish: model.MalformedCall, Message: "the model's calls are malformed: " + cmp.Or(answer.why, answer.word)}
			}
			t.malformed(answer)
			continue
		}
		malformed = 0
		if len(answer.calls) == 0 {
			reason := t.stopReason(answer)
			if reason == transcript.EndTurn && (t.steer(ctx, false) || t.mayAsk(n+1) && t.loops.shouldContinue(ctx, answer)) {
				continue
			}
			goes, halted := t.hooks.AfterTurn(ctx, t.mayAsk(n+1))
			if halted != nil {
				return t.hooks.ReportHalt(*halted), nil
			}
			if goes || reason == transcript.EndTurn && t.steer(ctx, true) {
				continue
			}
			return reason, nil
		}
		if err := t.schedule(ctx, answer); err != nil {
			return "", err
		}
		if err := ctx.Err(); err != nil {
			return "", context.Cause(ctx)
		}
		if h := t.hooks.halted.Load(); h != nil {
			return t.hooks.ReportHalt(*h), nil
		}
	}
}

// malformed tells the model and the user that an answer had a malformed call.
func (t *Turn) malformed(a answer) {
	t.conv.Emit(transcript.Notice{
		Severity: transcript.Warning, Code: transcript.NoticeInvalidStream, Type: string(model.MalformedCall), Title: "The model made a malformed call",
		Description: "The model is told, and asked again: " + cmp.Or(a.why, a.word),
	})
	t.conv.Emit(transcript.Given{MessageID: a.messageID, Kind: transcript.GivenAdvice, Text: model.MalformedAdvice(cmp.Or(a.why, a.word))})
}

// mayAsk reports whether the model may be asked again after n requests.
func (t *Turn) mayAsk(n int) bool {
	return (t.prompt.MaxSteps < 0 || n < t.prompt.MaxSteps) && t.models.Spent() == ""
}

// recorded returns an error if an event could not be recorded; the answer's calls do not
// run then. If the calls only read, it does not wait for pending writes.
func (t *Turn) recorded(a answer) error {
	reading := func(c transcript.ToolCall) bool { return (&call{tool: t.instructor.called(c)}).class() == reads }
	if i := slices.IndexFunc(a.calls, func(c transcript.ToolCall) bool { return !reading(c) }); i < 0 {
		return t.conv.Outbox.Err()
	}
	return t.conv.Outbox.Delivered()
}

// cutOff notifies the user that the answer is incomplete.
func (t *Turn) cutOff(why string) {
	t.incomplete = why
	t.conv.Warn(transcript.NoticeIncomplete, "The answer is incomplete", why+" Send another prompt to continue.")
}

func (t *Turn) stopReason(a answer) transcript.StopReason {
	switch a.finish {
	case model.Safety:
		t.conv.Warn(transcript.NoticeBlocked, "The model stopped its answer", fmt.Sprintf("The provider ended it for safety or recitation (%s).", a.word))
		return transcript.Refusal
	case model.MaxTokens:
		t.cutOff("The answer reached the model's limit for one response.")
		return transcript.StopMaxTokens
	case model.MalformedCall, model.Other:
		t.cutOff(fmt.Sprintf("The provider ended the answer before it was complete (%s).", cmp.Or(a.word, string(a.finish))))
		return transcript.EndTurn
	case model.Stop:
		return transcript.EndTurn
	}
	panic("agent: unknown finish " + string(a.finish))
}
