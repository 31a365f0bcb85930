package state

import (
	"context"
	"slices"
	"strings"

	"github.com/emendo-dev/emendo/agent/model"
	"github.com/emendo-dev/emendo/agent/model/catalogue"
)

// OfferedModel is a model that the user may choose by name.
type OfferedModel struct {
	model.Offered

	Provider string
	// Generation is what is known of models like it; the zero value where
	// nothing is.
	Generation catalogue.Generation
	// Reason says why the model cannot answer now; empty when it can, as far as
	// is known.
	Reason string
}

// keyModels is what a provider said that the key may use.
type keyModels struct {
	turn   chan struct{}   // holds the token of whoever asks
	asked  model.Generator // who said it
	models []model.Offered
}

// notOffered is why a model of the catalogue cannot be chosen.
const notOffered = "your key may not use it, or it has been withdrawn"

// Models lists the models of the default provider: those of the catalogue,
// newest first, then the others that the key may use. The provider is asked
// once, and again with refresh. A provider that cannot tell has all of the
// catalogue. The error is the provider's.
func (a *Process) Models(ctx context.Context, refresh bool) ([]OfferedModel, error) {
	c := a.Choices()
	provider, _ := SplitModel(c.Model)
	if !IsGoogle(provider) {
		return nil, nil
	}
	g, _, err := c.Generator(Qualified(provider, a.ResolveAlias(catalogue.Auto)))
	if err != nil {
		return nil, err
	}
	var said []model.Offered
	lister, tells := g.(model.Lister)
	if tells {
		if said, err = a.offered.ask(ctx, g, lister, refresh); err != nil {
			return nil, err
		}
	}
	name := strings.TrimSuffix(provider, "/")
	if name == "" {
		name = "gemini"
	}
	var out []OfferedModel
	for _, m := range catalogue.Models() {
		o := OfferedModel{Offered: model.Offered{ID: m.ID, Name: m.Name, InputTokens: catalogue.ContextLimit(m.ID)}, Provider: name}
		if i := slices.IndexFunc(said, func(s model.Offered) bool { return s.ID == m.ID }); i >= 0 {
			o.InputTokens, o.OutputTokens = said[i].InputTokens, said[i].OutputTokens
		} else if tells {
			o.Reason = notOffered
		}
		out = append(out, o)
	}
	known := len(out)
	for _, s := range said {
		if _, ok := catalogue.Find(s.ID); !ok {
			out = append(out, OfferedModel{Offered: s, Provider: name})
		}
	}
	slices.SortStableFunc(out[known:], func(x, y OfferedModel) int { return strings.Compare(y.ID, x.ID) })
	for i := range out {
		out[i].Generation, _ = catalogue.GenerationOf(out[i].ID)
		if e := a.Available.Down(out[i].ID); e != nil {
			out[i].Reason = e.Error()
		}
	}
	return out, nil
}

// WatchModels has f called when what [Agent.Models] returns has changed since a
// model turned out to be withdrawn. f must not block.
func (a *Process) WatchModels(f func()) { a.Available.Watch(f) }

// ask returns what the generator's provider says, which it is asked once.
func (k *keyModels) ask(ctx context.Context, g model.Generator, l model.Lister, refresh bool) ([]model.Offered, error) {
	select {
	case k.turn <- struct{}{}:
		defer func() { <-k.turn }()
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	}
	if k.asked == g && !refresh {
		return k.models, nil
	}
	said, err := l.Models(ctx)
	if err != nil {
		return nil, err
	}
	k.asked, k.models = g, said
	return said, nil
}
