package agent

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/emendo-dev/emendo/agent/frontend"
	"github.com/emendo-dev/emendo/agent/model"
	"github.com/emendo-dev/emendo/agent/model/catalogue"
	"github.com/emendo-dev/emendo/agent/transcript"
	"github.com/emendo-dev/emendo/tools"
)

// Fallback says whether another model may take over while one cannot answer.
type Fallback string

// What may be done then.
const (
	FallbackNever  Fallback = "never"
	FallbackAsk    Fallback = "ask" // the user; never where no user can be asked
	FallbackAlways Fallback = "always"
)

// fallingBack is the model of one turn.
func (t *turn) fallingBack(g model.Generator) model.Generator {
	a := t.session.agent
	o := model.FallbackOptions{Permit: t.mayTakeOver, Availability: a.available, Retry: a.choices().Retry}
	o.Chain = func(name string) []model.Link { return catalogue.Chain(name, t.who.choice) }
	return model.FallingBack(g, o)
}

// mayTakeOver reports whether another model may take over, and asks the user
// where the settings want that.
func (t *turn) mayTakeOver(ctx context.Context, f model.Fallback) bool {
	a := t.session.agent
	asks := a.elicitor()
	switch {
	case a.choices().Fallback == FallbackAlways:
		return true
	case a.choices().Fallback != FallbackAsk, asks == nil:
		return false
	}
	answer, err := asks.Elicit(ctx, frontend.Elicitation{SessionID: t.session.id, TurnID: t.id, Questions: []tools.Question{{
		Header: "Model", Type: tools.YesNoQuestion,
		Question: fmt.Sprintf("%s cannot answer: %v. Use %s for the rest of this turn?", f.From, f.Err, f.To),
	}}})
	if err != nil {
		a.log.Debug("the user was not asked for another model", "session", t.session.id, "err", err)
		return false
	}
	return !answer.Cancelled && len(answer.Values) == 1 && slices.ContainsFunc(answer.Values[0], func(v string) bool { return strings.EqualFold(v, "yes") })
}

// takeOver tells the user that another model answers, and discards what the
// first one said.
func (r *response) takeOver(f model.Fallback) {
	t := r.turn
	until := "for the rest of this turn"
	if f.Err.Gone() {
		until = "until emendo restarts"
	}
	r.discard(transcript.Notice{
		Severity: transcript.Warning, Code: transcript.NoticeModelFallback, Title: "Another model takes over",
		Description: fmt.Sprintf("%s cannot answer: %v. Using %s %s.", f.From, f.Err, f.To, until),
	})
	t.answersNow(f.To)
	t.session.modelTold = f.To
}

// discard drops the attempt that failed, and says why. The provider bills its
// tokens all the same, so they count.
func (r *response) discard(why transcript.Notice) {
	t := r.turn
	t.spent(cmp.Or(r.model, t.model), r.usage)
	if r.parts > 0 || r.shown {
		t.emit(transcript.Retract{MessageID: r.answer.messageID})
	}
	t.guard.Retract()
	t.emit(why)
	*r = response{turn: t, answer: answer{messageID: t.session.agent.o.NewID()}}
}
