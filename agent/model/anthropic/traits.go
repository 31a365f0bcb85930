package anthropic

import (
	"context"
	"slices"
	"strings"

	anthropic "github.com/anthropics/anthropic-sdk-go"
)

// Thinking is how the thinking of a model is configured.
type Thinking int

// The ways to configure thinking.
const (
	NoThinking Thinking = iota // the model does not think
	Budgets                    // it thinks up to a number of tokens, if it is told to
	Adaptive                   // it decides, guided by a level of effort
)

// Traits are the properties of a model that requests depend on.
type Traits struct {
	OutputTokens int64 // the most that an answer may have, thinking included; 0: unknown
	Thinking     Thinking
	AlwaysThinks bool     // with Adaptive: thinking cannot be turned off
	Efforts      []string // levels of effort, from the lowest; empty: they cannot be chosen
	Samples      bool     // temperature, top-p and top-k are accepted
}

// outputTokens is the limit of answers of models of which none is known: every model
// that is served accepts it.
const outputTokens = 8192

// unknown are the traits of a model of which nothing is known.
var unknown = Traits{OutputTokens: outputTokens, Samples: true}

// traits returns the traits of a model. It asks the API, once, about a model that
// Options.Traits does not know. If the API does not answer, the model is asked
// without what not all models accept.
func (g *Generator) traits(ctx context.Context, name string) Traits {
	if g.o.Traits != nil {
		if t, ok := g.o.Traits(name); ok {
			return t
		}
	}
	if t, ok := g.learned.Load(name); ok {
		return t.(Traits)
	}
	t := unknown
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
func traitsOf(m *anthropic.ModelInfo) Traits {
	c := m.Capabilities
	t := Traits{OutputTokens: m.MaxTokens, Samples: true}
	if c.Thinking.Supported {
		types := c.Thinking.Types
		switch {
		case types.Adaptive.Supported:
			t.Thinking, t.AlwaysThinks = Adaptive, !types.Disabled.Supported
		case types.Enabled.Supported:
			t.Thinking = Budgets
		}
		t.Samples = types.Enabled.Supported
	}
	if e := c.Effort; e.Supported {
		for _, level := range []struct {
			name string
			ok   bool
		}{{"low", e.Low.Supported}, {"medium", e.Medium.Supported}, {"high", e.High.Supported}, {"xhigh", e.Xhigh.Supported}, {"max", e.Max.Supported}} {
			if level.ok {
				t.Efforts = append(t.Efforts, level.name)
			}
		}
	}
	return t
}

// levels are the levels of effort of all providers, from the lowest.
var levels = []string{"none", "minimal", "low", "medium", "high", "xhigh", "max"}

// effort returns the model's level closest to want, or "" to leave it to the model.
// A level that is not known here is passed on.
func (t Traits) effort(want string) string {
	want = strings.ToLower(want)
	at := slices.Index(levels, want)
	switch {
	case want == "" || len(t.Efforts) == 0:
		return ""
	case at < 0:
		return want
	}
	best, distance := "", len(levels)
	for _, e := range t.Efforts {
		if d := max(slices.Index(levels, e)-at, at-slices.Index(levels, e)); d < distance {
			best, distance = e, d
		}
	}
	return best
}
