package turn

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/emendo-dev/emendo/agent/frontend"
	"github.com/emendo-dev/emendo/agent/model"
	"github.com/emendo-dev/emendo/agent/model/catalogue"
	"github.com/emendo-dev/emendo/agent/policy"
	"github.com/emendo-dev/emendo/agent/route"
	"github.com/emendo-dev/emendo/agent/state"
	"github.com/emendo-dev/emendo/agent/transcript"
	"github.com/emendo-dev/emendo/internal/settings"
	"github.com/emendo-dev/emendo/tools"
)

// models are the models of one turn: of its steps and of its auxiliary requests.
type models struct {
	conv   *state.Conversation
	turnID string
	// Budget bounds the turn. It is set before the turn makes requests.
	Budget state.Budget

	chosen state.ResolvedModel // to the name of the model that the user chose
	gen    model.Generator     // who, or what takes over from it
	stage  *stage              // that the model was chosen for; nil: it was not

	mu      sync.Mutex
	name    string // that answers now, as its provider calls it
	usage   model.Usage
	byModel map[string]model.Usage

	approved atomic.Bool // the user has approved a plan in this turn
}

// newModels returns the choice of a turn in which [models.Start] has chosen none yet.
func newModels(c *state.Conversation, turnID string) *models {
	return &models{conv: c, turnID: turnID, byModel: map[string]model.Usage{}}
}

// Start sets the model that the user chose.
func (c *models) Start(who state.ResolvedModel) {
	c.chosen, c.gen = who, c.FallingBack(who)
	c.Set(who.Name)
}

// Name returns the model that answers now, as its provider calls it.
func (c *models) Name() string {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.name
}

// Limit returns the context limit of the model that answers now.
func (c *models) Limit() int64 {
	limit, _ := c.LimitOf(c.Name())
	return limit
}

// LimitOf returns the context limit of a model of the provider of the chosen one, and whether
// that is a guess, so that the model may take more.
func (c *models) LimitOf(name string) (limit int64, guessed bool) {
	return c.conv.Session.Agent.ContextLimit(c.chosen.Gen, name)
}

// Prepare lets the server of the model that answers now say what it takes, where it has
// to be asked.
func (c *models) Prepare(ctx context.Context) {
	if i, ok := model.As[model.Informed](c.chosen.Gen); ok {
		i.Prepare(ctx, c.Name())
	}
}

// Set notes which model answers.
func (c *models) Set(name string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.name = name
}

// PlanApproved notes that the user has approved a plan, for the next [models.Route].
func (c *models) PlanApproved() { c.approved.Store(true) }

// stage is where a turn stands in planning.
type stage struct{ planning, approved bool }

// Route chooses the model for the next steps. The choice stays for the whole turn, unless
// the turn begins a plan or the user approves one.
func (c *models) Route(ctx context.Context) {
	if !c.chosen.Choice.Auto() {
		return
	}
	s := c.conv.Session
	set := s.Agent.Settings()
	plans := set.General.Plan.ModelRouting
	at := stage{approved: c.approved.Load() && plans}
	at.planning = plans && s.Info().Mode == policy.Plan
	first := c.stage == nil
	if !first && (*c.stage == at || !at.planning && !at.approved) {
		return
	}
	c.stage = &at
	known := s.Agent.Available.Of(c.chosen.Provider)
	usable := func(r catalogue.Role) string { return known.Usable(c.chosen.Choice.Candidates(r)) }
	p := route.Prompt{Strong: usable(catalogue.Strong), Fast: usable(catalogue.Fast), Planning: at.planning, Approved: at.approved, Down: func(name string) bool { return known.Down(name) != nil }}
	if first && set.Model.Routing.Classifier {
		p.Hard = c.classifier()
	}
	d := route.Decide(ctx, p)
	if ctx.Err() != nil {
		return
	}
	s.Agent.Log.Info("a model was chosen", "session", s.SessionID, "turn", c.turnID, "model", d.Model, "source", d.Source, "why", d.Why, "latency", d.Latency, "err", d.Err)
	c.Set(d.Model)
	c.reportModel(d)
}

// reportModel shows the user which model answers if it has changed since the last
// notice in this session.
func (c *models) reportModel(d route.Decision) {
	s := c.conv.Session
	if s.LastModelShown == d.Model {
		return
	}
	s.LastModelShown = d.Model
	why := d.Why
	if why != "" {
		why = " (" + why + ")"
	}
	c.conv.Emit(transcript.Notice{Severity: transcript.Info, Code: transcript.NoticeModel, Title: "Model", Description: d.Model + why})
}

// classifier returns a function that asks a small model about the prompt; nil if
// there is no such model.
func (c *models) classifier() func(context.Context) (bool, string, error) {
	g, name, err := c.Utility(model.Classifier)
	if err != nil {
		return nil
	}
	messages, _ := c.conv.Session.Record.Messages()
	return route.Ask(g, name, messages)
}

// FallingBack returns a generator that uses other models of the provider if who cannot
// answer.
func (c *models) FallingBack(who state.ResolvedModel) model.Generator {
	a := c.conv.Session.Agent
	o := model.FallbackOptions{Permit: c.mayTakeOver, Availability: a.Available.Of(who.Provider), Retry: a.Retry()}
	o.Chain = func(name string) []model.Link { return a.Chain(who.Provider, name, c.chosen.Choice) }
	return model.FallingBack(who.Gen, o)
}

// mayTakeOver reports whether another model may take over. It asks the user if the
// settings say so.
func (c *models) mayTakeOver(ctx context.Context, f model.Fallback) bool {
	a := c.conv.Session.Agent
	asks := a.Elicitor()
	switch may := a.Settings().Model.Fallback; {
	case may == settings.FallbackAlways:
		return true
	case may != settings.FallbackAsk, asks == nil:
		return false
	}
	answer, err := asks.Elicit(ctx, frontend.Elicitation{SessionID: c.conv.Session.SessionID, TurnID: c.turnID, Questions: []tools.Question{{
		Header: "Model", Type: tools.YesNoQuestion,
		Question: fmt.Sprintf("%s cannot answer: %v. Use %s for the rest of this turn?", f.From, f.Err, f.To),
	}}})
	if err != nil {
		a.Log.Debug("the user was not asked for another model", "session", c.conv.Session.SessionID, "err", err)
		return false
	}
	return !answer.Cancelled && len(answer.Values) == 1 && slices.ContainsFunc(answer.Values[0], func(v string) bool { return strings.EqualFold(v, "yes") })
}

// TakeOver switches to another model for the rest of the turn, and returns the notice
// about it.
func (c *models) TakeOver(f model.Fallback) transcript.Notice {
	c.Set(f.To)
	c.conv.Session.LastModelShown = f.To
	until := "for the rest of this turn"
	if f.Err.Gone() {
		until = "until emendo restarts"
	}
	return transcript.Notice{
		Severity: transcript.Warning, Code: transcript.NoticeModelFallback, Title: "Another model takes over",
		Description: fmt.Sprintf("%s cannot answer: %v. Using %s %s.", f.From, f.Err, f.To, until),
	}
}

// Measured returns the exact number of tokens of a request for which about n are
// estimated, if that is so close to the limit that the estimate does not tell on which
// side it is, and the provider can count. It reports false otherwise.
func (c *models) Measured(ctx context.Context, g model.Generator, req model.Request, n, limit int64) (int64, bool) {
	counter, ok := model.As[model.Counter](g)
	if !ok || n*10 < limit*9 {
		return 0, false
	}
	n, err := counter.CountTokens(ctx, req)
	if err != nil {
		c.conv.Session.Agent.Log.Debug("tokens were not counted", "model", req.Model, "err", err)
	}
	return n, err == nil && n > 0
}
