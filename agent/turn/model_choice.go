package turn

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/emendo-dev/emendo/agent/frontend"
	"github.com/emendo-dev/emendo/agent/model"
	"github.com/emendo-dev/emendo/agent/model/catalogue"
	"github.com/emendo-dev/emendo/agent/policy"
	"github.com/emendo-dev/emendo/agent/route"
	"github.com/emendo-dev/emendo/agent/state"
	"github.com/emendo-dev/emendo/agent/transcript"
	"github.com/emendo-dev/emendo/tools"
)

// modelChoice chooses the models that answer in a turn, and counts what they cost.
type modelChoice struct{ *Turn }

// stage is where a turn stands in planning.
type stage struct{ planning, approved bool }

// route chooses the model that answers from here on. What was chosen stays for
// the whole turn, unless it begins a plan, or the user approves one.
func (t *modelChoice) route(ctx context.Context) {
	if !t.chosen.Choice.Auto() {
		return
	}
	s := t.Session
	o := s.Agent.Choices().Routing
	t.Mu.Lock()
	at := stage{approved: t.approved && o.Plans}
	t.Mu.Unlock()
	at.planning = o.Plans && s.Info().Mode == policy.Plan
	first := t.stage == nil
	if !first && (*t.stage == at || !at.planning && !at.approved) {
		return
	}
	t.stage = &at
	usable := func(r catalogue.Role) string {
		return s.Agent.Available.Of(t.chosen.Provider).Usable(t.chosen.Choice.Candidates(r))
	}
	p := route.Prompt{Strong: usable(catalogue.Strong), Fast: usable(catalogue.Fast), Planning: at.planning, Approved: at.approved, Down: func(name string) bool { return s.Agent.Available.Of(t.chosen.Provider).Down(name) != nil }}
	if first && o.Classifier {
		p.Hard = t.models.classifier()
	}
	d := route.Decide(ctx, p)
	if ctx.Err() != nil {
		return
	}
	s.Agent.Log.Info("a model was chosen", "session", s.SessionID, "turn", t.ID, "model", d.Model, "source", d.Source, "why", d.Why, "latency", d.Latency, "err", d.Err)
	t.models.setModel(d.Model)
	t.models.reportModel(d)
}

// reportModel tells the user which model answers if it has changed since the last
// notice in this session.
func (t *modelChoice) reportModel(d route.Decision) {
	s := t.Session
	if s.LastModelShown == d.Model {
		return
	}
	s.LastModelShown = d.Model
	why := d.Why
	if why != "" {
		why = " (" + why + ")"
	}
	t.Emit(transcript.Notice{Severity: transcript.Info, Code: transcript.NoticeModel, Title: "Model", Description: d.Model + why})
}

// classifier returns a function that asks a small model about the prompt; nil if
// there is no such model.
func (t *modelChoice) classifier() func(context.Context) (bool, string, error) {
	g, name, err := t.models.utility(model.Classifier)
	if err != nil {
		return nil
	}
	messages, _ := t.Messages()
	return route.Ask(g, name, messages)
}

// setModel notes which model answers.
func (t *modelChoice) setModel(name string) {
	t.Session.Mu.Lock()
	defer t.Session.Mu.Unlock()
	t.model = name
}

// fallingBack is the model of one turn.
func (t *modelChoice) fallingBack(who state.ResolvedModel) model.Generator {
	a := t.Session.Agent
	o := model.FallbackOptions{Permit: t.mayTakeOver, Availability: a.Available.Of(who.Provider), Retry: a.Choices().Retry}
	o.Chain = func(name string) []model.Link { return a.Chain(who.Provider, name, t.chosen.Choice) }
	return model.FallingBack(who.Gen, o)
}

// mayTakeOver reports whether another model may take over, and asks the user
// where the settings want that.
func (t *modelChoice) mayTakeOver(ctx context.Context, f model.Fallback) bool {
	a := t.Session.Agent
	asks := a.Elicitor()
	switch {
	case a.Choices().Fallback == state.FallbackAlways:
		return true
	case a.Choices().Fallback != state.FallbackAsk, asks == nil:
		return false
	}
	answer, err := asks.Elicit(ctx, frontend.Elicitation{SessionID: t.Session.SessionID, TurnID: t.ID, Questions: []tools.Question{{
		Header: "Model", Type: tools.YesNoQuestion,
		Question: fmt.Sprintf("%s cannot answer: %v. Use %s for the rest of this turn?", f.From, f.Err, f.To),
	}}})
	if err != nil {
		a.Log.Debug("the user was not asked for another model", "session", t.Session.SessionID, "err", err)
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
	t.models.setModel(f.To)
	t.Session.LastModelShown = f.To
}

// discard drops the attempt that failed, and says why. The provider bills its
// tokens all the same, so they count.
func (r *response) discard(why transcript.Notice) {
	t := r.turn
	t.models.count(cmp.Or(r.model, t.model), r.usage)
	if r.parts > 0 || r.shown {
		t.Emit(transcript.Retract{MessageID: r.answer.messageID})
	}
	t.loops.guard.Retract()
	t.Emit(why)
	*r = response{turn: t, answer: answer{messageID: t.Session.Agent.Options.NewID()}}
}

// contextLimit returns how many tokens a model of the turn's provider accepts.
func (t *modelChoice) contextLimit(name string) int64 {
	return t.Session.Agent.ContextLimit(t.chosen.Gen, name)
}
