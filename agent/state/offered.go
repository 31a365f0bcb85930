package state

import (
	"cmp"
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
	// Traits are what the catalogue knows of the model and its generation.
	Traits catalogue.Model
	// Prices are nil if unknown.
	Prices *catalogue.Prices
	// Reason explains why the model cannot answer now; empty if it can, as far as
	// known.
	Reason string
}

// keyModels caches the models that providers offer to the key.
type keyModels struct {
	turn chan struct{} // a lock: holds one value while a request runs
	said map[model.Lister][]model.Offered
}

// notOffered is the reason for a model that is in the catalogue but not offered by
// the provider.
const notOffered = "not available to your API key, or withdrawn"

// Models lists the models of all configured providers, the default provider first:
// those of the catalogue, newest first, then the others that the key may use. A
// provider is asked once, and again if refresh is set; servers that may not be
// running are only asked then. A provider that cannot list its models is assumed to
// have all of the catalogue. If a provider fails, its models carry the error as their
// reason. If the default provider fails, servers that may not be running are asked at the
// first time, too. The error is that of the default provider, if no model can answer.
func (a *Process) Models(ctx context.Context, refresh bool) ([]OfferedModel, error) {
	c := a.Choices()
	provider, _ := a.SplitModel(c.Model)
	if strings.HasPrefix(provider, "replay:") {
		return nil, nil
	}
	out, failed := a.modelsOf(ctx, provider, refresh, true)
	if c.Providers == nil || ctx.Err() != nil {
		return out, failed
	}
	if failed != nil {
		out = a.unavailable(cmp.Or(provider, catalogue.Google), failed)
	}
	for _, p := range c.Providers() {
		if p.Name == provider || p.Name == cmp.Or(provider, catalogue.Google) {
			continue
		}
		more, err := a.modelsOf(ctx, p.Name, refresh, refresh || failed != nil || !p.OnRequest)
		if ctx.Err() != nil {
			return nil, context.Cause(ctx)
		}
		if err != nil {
			more = a.unavailable(p.Name, err)
		}
		for i := range more {
			more[i].ID = Qualified(p.Name, more[i].ID)
		}
		out = append(out, more...)
	}
	if failed != nil && !slices.ContainsFunc(out, func(m OfferedModel) bool { return m.Reason == "" }) {
		return nil, failed
	}
	return out, nil
}

// Usable returns those of the names whose provider has credentials, and behind them the
// models that local servers offer. No other provider is asked. If no local server offers
// any, it returns nil.
func (a *Process) Usable(ctx context.Context, names []string) []string {
	c := a.Choices()
	if c.Providers == nil || strings.HasPrefix(c.Model, "replay:") {
		return nil
	}
	var local []string
	for _, p := range c.Providers() {
		if !p.Local {
			continue
		}
		offered, err := a.modelsOf(ctx, p.Name, false, true)
		if err != nil {
			continue // it is not running
		}
		for _, m := range offered {
			if m.Reason == "" {
				local = append(local, Qualified(p.Name, m.ID))
			}
		}
	}
	if len(local) == 0 {
		return nil
	}
	var usable []string
	answers := map[string]bool{} // by provider
	for _, name := range names {
		provider, bare := a.SplitModel(name)
		if _, asked := answers[provider]; !asked { // it may ask a keyring
			_, _, err := c.Generator(Qualified(provider, a.ResolveAlias(provider, bare)))
			answers[provider] = err == nil
		}
		if answers[provider] {
			usable = append(usable, name)
		}
	}
	return append(usable, local...)
}

// unavailable returns the models of a provider in the catalogue, none of which can answer
// for a reason.
func (a *Process) unavailable(provider string, why error) (out []OfferedModel) {
	for _, m := range a.Choices().Catalogue.Models(provider) {
		out = append(out, OfferedModel{Offered: model.Offered{ID: m.ID, Name: m.Name, InputTokens: m.Context}, Provider: provider, Prices: m.Prices, Reason: why.Error()})
	}
	return out
}

// modelsOf lists the models of a provider. It asks the provider if it may.
func (a *Process) modelsOf(ctx context.Context, provider string, refresh, ask bool) ([]OfferedModel, error) {
	c := a.Choices()
	g, _, err := c.Generator(Qualified(provider, a.ResolveAlias(provider, catalogue.Auto)))
	if err != nil {
		return nil, err
	}
	var said []model.Offered
	lister, tells := model.As[model.Lister](g)
	switch {
	case !tells:
	case ask:
		if said, err = a.offered.ask(ctx, lister, refresh); err != nil {
			return nil, err
		}
	default:
		said, tells = a.offered.known(ctx, lister)
	}
	name := cmp.Or(provider, catalogue.Google)
	var out []OfferedModel
	for _, m := range c.Catalogue.Models(name) {
		full, _ := c.Catalogue.Traits(m.ID)
		o := OfferedModel{Offered: model.Offered{ID: m.ID, Name: m.Name, InputTokens: c.Catalogue.ContextLimit(m.ID), OutputTokens: full.Output}, Provider: name, Prices: m.Prices}
		if i := slices.IndexFunc(said, func(s model.Offered) bool { return s.ID == m.ID }); i >= 0 {
			o.InputTokens, o.OutputTokens = cmp.Or(said[i].InputTokens, o.InputTokens), cmp.Or(said[i].OutputTokens, o.OutputTokens)
			o.Tools, o.Images = said[i].Tools, said[i].Images
		} else if tells {
			o.Reason = notOffered
		}
		out = append(out, o)
	}
	known := len(out)
	for _, s := range said {
		if m, ok := c.Catalogue.Find(s.ID); !ok || m.Provider != name {
			out = append(out, OfferedModel{Offered: s, Provider: name})
		}
	}
	slices.SortStableFunc(out[known:], func(x, y OfferedModel) int { return strings.Compare(y.ID, x.ID) })
	for i := range out {
		out[i].Traits, _ = c.Catalogue.Traits(out[i].ID)
		if e := a.Available.Of(provider).Down(out[i].ID); e != nil {
			out[i].Reason = e.Error()
		}
	}
	return out, nil
}

// ask returns the models that the provider offers. It asks once per lister,
// which is a pointer.
func (k *keyModels) ask(ctx context.Context, l model.Lister, refresh bool) ([]model.Offered, error) {
	if err := k.lock(ctx); err != nil {
		return nil, err
	}
	defer func() { <-k.turn }()
	if said, ok := k.said[l]; ok && !refresh {
		return said, nil
	}
	said, err := l.Models(ctx)
	if err != nil {
		return nil, err
	}
	k.said[l] = said
	return said, nil
}

// known returns the models that the provider offered when it was last asked; false
// if it was not asked.
func (k *keyModels) known(ctx context.Context, l model.Lister) ([]model.Offered, bool) {
	if k.lock(ctx) != nil {
		return nil, false
	}
	defer func() { <-k.turn }()
	said, ok := k.said[l]
	return said, ok
}

func (k *keyModels) lock(ctx context.Context) error {
	select {
	case k.turn <- struct{}{}:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}
