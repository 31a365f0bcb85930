package anthropic

import (
	"context"
	"strings"

	anthropic "github.com/anthropics/anthropic-sdk-go"

	"github.com/emendo-dev/emendo/agent/model/catalogue"
)

// outputTokens is the limit of answers of models of which none is known: every model
// that is served accepts it.
const outputTokens = 8192

// traits returns the traits of a model. It asks the API, once, about a model that
// Options.Traits does not know. If the API does not answer, the model is asked
// without what not all models accept.
func (g *Generator) traits(ctx context.Context, name string) catalogue.Model {
	if g.o.Traits != nil {
		if t, _ := g.o.Traits(name); t.ID != "" {
			return t
		}
	}
	if t, ok := g.learned.Load(name); ok {
		return t.(catalogue.Model)
	}
	t := catalogue.Model{Output: outputTokens}
	_ = g.way.Ask(ctx, func(ctx context.Context) error { // without an answer, it stays at that
		m, err := g.models.Get(ctx, name, anthropic.ModelGetParams{})
		if err == nil {
			t = traitsOf(m)
		}
		return err
	})
	if ctx.Err() == nil {
		g.learned.Store(name, t)
	}
	return t
}

// traitsOf translates what the API says of a model. It does not say whether the
// model accepts sampling parameters: those that refuse thinking budgets refuse these
// as well.
func traitsOf(m *anthropic.ModelInfo) catalogue.Model {
	c := m.Capabilities
	t := catalogue.Model{Output: m.MaxTokens}
	if c.Thinking.Supported {
		types := c.Thinking.Types
		switch {
		case types.Adaptive.Supported:
			t.Thinking, t.AlwaysThinks = catalogue.Adaptive, new(!types.Disabled.Supported)
		case types.Enabled.Supported:
			t.Thinking = catalogue.Budgets
		}
		t.Sampling = new(types.Enabled.Supported)
	}
	if e := c.Effort; e.Supported {
		for i, ok := range []bool{e.Low.Supported, e.Medium.Supported, e.High.Supported, e.Xhigh.Supported, e.Max.Supported} {
			if ok {
				t.Efforts = append(t.Efforts, efforts[i])
			}
		}
	}
	return t
}

// efforts are the levels of effort of the API, from the lowest.
var efforts = []string{"low", "medium", "high", "xhigh", "max"}

// effort returns the level closest to want of those that a model has, or "" to leave it to
// the model. A level that is not known here is passed on.
func effort(known []string, want string) string {
	if len(known) > 0 && want != "" && catalogue.NearestEffort(catalogue.EffortNames, want) == "" {
		return strings.ToLower(want)
	}
	return catalogue.NearestEffort(known, want)
}
