package gemini

import (
	"context"
	"strings"

	"google.golang.org/genai"

	"github.com/emendo-dev/emendo/agent/model/catalogue"
)

// traits are the properties of a model that requests depend on.
type traits struct {
	thinks   bool               // it returns thoughts
	thinking catalogue.Thinking // how to configure them; empty: not at all
	budget   *catalogue.Budget  // bounds of its thinking budget; nil: unknown
	signed   bool               // it checks signatures, accepts pictures in function responses, and wants IDs
}

// traitsOf returns the traits of a model. It reports false if the name does not
// reveal the generation.
func traitsOf(c *catalogue.Catalogue, name string) (traits, bool) {
	m, ok := c.Traits(name)
	if !ok {
		return traits{}, false
	}
	t := traits{thinking: m.Thinking, signed: catalogue.Is(m.Signed), budget: m.Budget}
	t.thinks = m.Thinking != "" && !strings.Contains(name, "image") && !strings.Contains(name, "tts")
	return t, true
}

// nearest returns the thinking budget closest to want that the model accepts.
func (t traits) nearest(want int32) int32 {
	if t.budget == nil {
		return want
	}
	return t.budget.Nearest(want)
}

// traits returns the traits of a model. If its name does not reveal them, it asks
// the API once. Until a response names the version, thinking is left to the model,
// and signatures are assumed to be checked, as by the newest models.
func (g *Generator) traits(ctx context.Context, client *genai.Client, name string) traits {
	c := g.o.Catalogue
	if t, ok := traitsOf(c, name); ok || !c.Serves(catalogue.Google, c.ProviderOf(name)) {
		return t
	}
	if t, ok := g.known.Load(name); ok {
		return t.(traits)
	}
	t := traits{signed: true}
	_ = g.way.Ask(ctx, func(ctx context.Context) error { // without an answer, it stays at that
		m, err := client.Models.Get(ctx, name, nil)
		if err != nil {
			return err
		}
		t.thinks = m.Thinking
		if v, ok := traitsOf(c, "gemini-"+strings.TrimPrefix(m.Version, "gemini-")); ok {
			t = v
		}
		return nil
	})
	if ctx.Err() == nil {
		g.known.Store(name, t)
	}
	return t
}

// answered notes which version a name stands for.
func (g *Generator) answered(name, version string) {
	if _, ok := traitsOf(g.o.Catalogue, name); ok || version == "" {
		return
	}
	if t, ok := traitsOf(g.o.Catalogue, version); ok {
		g.known.Store(name, t)
	}
}
