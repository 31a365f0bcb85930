package agent

import (
	"context"

	"github.com/emendo-dev/emendo/agent/model"
	"github.com/emendo-dev/emendo/agent/model/catalogue"
	"github.com/emendo-dev/emendo/agent/policy"
	"github.com/emendo-dev/emendo/agent/route"
	"github.com/emendo-dev/emendo/agent/transcript"
)

// Routing says how a model is chosen where the user leaves that open.
type Routing struct {
	Plans      bool // the strong model plans, the fast one carries approved plans out
	Classifier bool // a small model judges each prompt first
}

// stage is where a turn stands in planning.
type stage struct{ planning, approved bool }

// route chooses the model that answers from here on. What was chosen stays for
// the whole turn, unless it begins a plan, or the user approves one.
func (t *turn) route(ctx context.Context) {
	if !t.who.choice.Auto() {
		return
	}
	s := t.session
	o := s.agent.choices().Routing
	t.mu.Lock()
	at := stage{approved: t.approved && o.Plans}
	t.mu.Unlock()
	at.planning = o.Plans && s.Info().Mode == policy.Plan
	first := t.stage == nil
	if !first && (*t.stage == at || !at.planning && !at.approved) {
		return
	}
	t.stage = &at
	usable := func(r catalogue.Role) string { return s.agent.available.Usable(t.who.choice.Candidates(r)) }
	p := route.Prompt{Strong: usable(catalogue.Strong), Fast: usable(catalogue.Fast), Planning: at.planning, Approved: at.approved, Down: func(name string) bool { return s.agent.available.Down(name) != nil }}
	if first && o.Classifier {
		p.Hard = t.judgment()
	}
	d := route.Decide(ctx, p)
	if ctx.Err() != nil {
		return
	}
	s.agent.log.Info("a model was chosen", "session", s.id, "turn", t.id, "model", d.Model, "source", d.Source, "why", d.Why, "latency", d.Latency, "err", d.Err)
	t.answersNow(d.Model)
	t.tellModel(d)
}

// tellModel tells the user which model answers, when it is not the one that was
// told last in this session.
func (t *turn) tellModel(d route.Decision) {
	s := t.session
	if s.modelTold == d.Model {
		return
	}
	s.modelTold = d.Model
	why := d.Why
	if why != "" {
		why = " (" + why + ")"
	}
	t.emit(transcript.Notice{Severity: transcript.Info, Code: transcript.NoticeModel, Title: "Model", Description: d.Model + why})
}

// judgment asks a small model about the prompt; nil where there is none to ask.
func (t *turn) judgment() func(context.Context) (bool, string, error) {
	g, name, err := t.utility(model.Classifier)
	if err != nil {
		return nil
	}
	messages, _ := t.shown()
	return route.Ask(g, name, messages)
}

// answersNow notes which model answers.
func (t *turn) answersNow(name string) {
	t.session.mu.Lock()
	defer t.session.mu.Unlock()
	t.model = name
}
