package state

import (
	"cmp"
	"context"
	"strings"

	"github.com/emendo-dev/emendo/agent/model"
	"github.com/emendo-dev/emendo/agent/model/catalogue"
)

// ResolvedModel is the model behind a name that the user chose.
type ResolvedModel struct {
	Gen      model.Generator // tunes requests
	Plain    model.Generator // Gen without the tuning
	Name     string          // the provider's name for it
	Provider string          // "" for Google
	Choice   catalogue.Name  // the user's name, if it leaves the choice to emendo
}

// ResolveModel resolves a name to a provider's model, one of the user's presets,
// or, if the name leaves the choice to emendo, the best model available to the key.
func (a *Process) ResolveModel(name string) (ResolvedModel, error) {
	provider, bare := a.SplitModel(name)
	known := a.knows(provider)
	out := ResolvedModel{Provider: provider}
	out.Choice, _ = a.lookup(provider, bare)
	preset := a.ResolveAlias(provider, bare)
	v, err := a.Tuning().Look(catalogue.Query{Name: preset, Chat: known})
	if err != nil && bare != "" {
		return ResolvedModel{}, &model.Error{Kind: model.NotFound, Message: err.Error(), Err: err}
	}
	if v.Model != preset { // a preset of the user's names another
		if at, rest, ok := strings.Cut(v.Model, "/"); ok && (at != "models") {
			provider, v.Model = at, rest
			out.Provider = at
		}
		if c, ok := a.lookup(provider, v.Model); ok {
			out.Choice = c
		}
		v.Model = a.ResolveAlias(provider, v.Model)
	}
	g, short, err := a.Choices().Generator(Qualified(provider, v.Model))
	if err != nil {
		return ResolvedModel{}, err
	}
	out.Plain, out.Name = model.With(g, observed{a, g, provider}), short
	out.Gen = model.With(out.Plain, Tuned{a.Tuning(), short, preset, known})
	return out, nil
}

// lookup finds a name that leaves the choice of a provider's model to emendo.
func (a *Process) lookup(provider, name string) (catalogue.Name, bool) {
	return a.Choices().Catalogue.Lookup(cmp.Or(provider, catalogue.Google), name)
}

// knows reports whether the catalogue has models of a provider.
func (a *Process) knows(provider string) bool {
	return len(a.Choices().Catalogue.Models(cmp.Or(provider, catalogue.Google))) > 0
}

// ResolveAlias returns the provider's name for an alias in the catalogue. It
// returns any other name unchanged.
func (a *Process) ResolveAlias(provider, name string) string {
	if c, ok := a.lookup(provider, name); ok {
		return a.Available.Of(provider).Usable(c.Candidates(c.Role))
	}
	return name
}

// Chain returns the models of a provider that may answer a request to the named
// one; see [catalogue.Catalogue.Chain].
func (a *Process) Chain(provider, name string, choice catalogue.Name) []model.Link {
	c := a.Choices().Catalogue
	if !c.Serves(cmp.Or(provider, catalogue.Google), c.ProviderOf(name)) {
		return []model.Link{{Model: name}}
	}
	return c.Chain(name, choice)
}

// Helper resolves the model of a preset for a request beside a conversation with a
// model of a provider. It prefers that provider's model of the same role; the named
// model is used if it is from that provider or has its own. It returns false if
// none of them can answer at the moment.
func (a *Process) Helper(provider, name string) (ResolvedModel, bool) {
	out := ResolvedModel{Provider: provider, Name: name}
	if at, rest, ok := strings.Cut(name, "/"); ok && at != "models" {
		out.Provider, out.Name = at, rest
	} else if choice, ok := a.lookup(provider, name); ok {
		out.Choice, out.Name = choice, a.ResolveAlias(provider, name)
	} else if of := a.Choices().Catalogue.ProviderOf(name); !a.knows(provider) || of != "" && !a.Choices().Catalogue.Serves(cmp.Or(provider, catalogue.Google), of) {
		return out, false
	}
	return out, a.Available.Of(out.Provider).Down(out.Name) == nil
}

// Tuning returns the current tuning table.
func (a *Process) Tuning() *catalogue.Tuning { return a.Choices().Tuning }

var builtInTuning = catalogue.BuiltInTuning()

// SplitModel splits a model's name into its provider, "" for Google, and the rest.
// A name of recorded answers ("replay:…") counts as a provider.
func (a *Process) SplitModel(name string) (provider, bare string) {
	if strings.HasPrefix(name, "replay:") {
		return name, ""
	}
	if provider, bare, ok := strings.Cut(name, "/"); ok {
		return provider, bare
	}
	if of := a.Choices().Provider; of != nil {
		return of(name), name
	}
	return "", name
}

// Qualified returns a provider's name for a model prefixed with the provider.
func Qualified(provider, name string) string {
	if provider == "" || strings.HasPrefix(provider, "replay:") {
		return provider + name
	}
	return provider + "/" + name
}

// Tuned is a layer that adds the table's configuration for a model to each request. The model
// named Name gets the configuration of Preset.
type Tuned struct {
	Table  *catalogue.Tuning
	Name   string // the model that the preset uses
	Preset string
	Chat   bool // the requests are steps of a conversation
}

// Begin implements [model.Layer].
func (g Tuned) Begin(_ context.Context, req *model.Request) (model.Watch, error) {
	req.Config = g.Config(*req)
	return nil, nil
}

// Config returns the configuration to send with a request.
func (g Tuned) Config(req model.Request) model.Config {
	q := catalogue.Query{Name: req.Model, Chat: g.Chat, Retry: req.Again}
	if req.Model == g.Name {
		q.Name = g.Preset
	}
	if v, err := g.Table.Look(q); err == nil { // otherwise the table has no entry
		return req.Config.Over(v.Config)
	}
	return req.Config
}
