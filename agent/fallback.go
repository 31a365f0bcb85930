package agent

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/emendo-dev/emendo/agent/model"
	"github.com/emendo-dev/emendo/tools"
)

// Fallback says whether another model may take over when one cannot answer.
type Fallback string

// What may be done then.
const (
	FallbackNever  Fallback = "never"
	FallbackAsk    Fallback = "ask" // the user; never where nobody can be asked
	FallbackAlways Fallback = "always"
)

// fallingBack is the model of one turn.
func (t *turn) fallingBack(g model.Generator) model.Generator {
	a := t.session.agent
	o := model.FallbackOptions{Permit: t.mayTakeOver, Availability: a.available, Retry: a.choices().Retry}
	if a.choices().Fallback != FallbackNever {
		o.Chain = func(name string) []model.Link { return model.Chain(name, t.who.open) }
	}
	return model.FallingBack(g, o)
}

// mayTakeOver says whether another model may, or asks the user.
func (t *turn) mayTakeOver(ctx context.Context, f model.Fallback) bool {
	a := t.session.agent
	asks := a.elicitor()
	switch {
	case a.choices().Fallback == FallbackAlways:
		return true
	case a.choices().Fallback != FallbackAsk, asks == nil:
		return false
	}
	answer, err := asks.Elicit(ctx, Elicitation{SessionID: t.session.id, TurnID: t.id, Questions: []tools.Question{{
		Header: "Model", Type: tools.YesNoQuestion,
		Question: fmt.Sprintf("%s cannot answer: %v. Shall %s go on for the rest of this turn?", f.From, f.Err, f.To),
	}}})
	if err != nil {
		a.log.Debug("the user was not asked for another model", "session", t.session.id, "err", err)
		return false
	}
	return !answer.Cancelled && len(answer.Values) == 1 && slices.ContainsFunc(answer.Values[0], func(v string) bool { return strings.EqualFold(v, "yes") })
}

// takeOver tells that another model answers, and forgets what the first one said.
func (r *response) takeOver(f model.Fallback) {
	t := r.turn
	t.answersNow(f.To)
	r.startAnew(Notice{
		Severity: Warning, Code: NoticeModelFallback, Title: "Another model takes over",
		Description: fmt.Sprintf("%s cannot answer: %v. %s goes on for the rest of this turn.", f.From, f.Err, f.To),
	})
}

// startAnew forgets the attempt that failed, and says why.
func (r *response) startAnew(why Notice) {
	t := r.turn
	if r.parts > 0 || r.shown {
		t.emit(Retract{r.answer.messageID})
	}
	t.guard.Retract()
	t.emit(why)
	*r = response{turn: t, answer: answer{messageID: t.session.agent.o.NewID()}}
}
