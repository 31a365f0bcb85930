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
	// Generation describes models like it; the zero value if it is not known.
	Generation catalogue.Generation
	// Prices are nil if they are not known.
	Prices *catalogue.Prices
	// Reason explains why the model cannot answer now; empty if it can, as far as
	// is known.
	Reason string
}

// keyModels caches which models a provider offers to the key.
type keyModels struct {
	turn   chan struct{}   // a lock: holds one value while a request runs
	asked  model.Generator // the source of models
	models []model.Offered
}

// notOffered is the reason of a model that the catalogue has and the provider lacks.
const notOffered = "not available to your API key, or withdrawn"

// Models lists the models of the default provider: those of the catalogue,
// newest first, then the others that the key may use. The provider is asked
// once, and again if refresh is set. A provider that cannot list its models is
// assumed to have all of the catalogue. The error is the provider's.
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
		o := OfferedModel{Offered: model.Offered{ID: m.ID, Name: m.Name, InputTokens: catalogue.ContextLimit(m.ID)}, Provider: name, Prices: m.Prices}
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

// WatchModels calls f when the result of [Process.Models] changes because a model
// was withdrawn. f must not block.
func (a *Process) WatchModels(f func()) { a.Available.Watch(f) }

// ask returns the models that the provider offers. It asks once per generator.
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
