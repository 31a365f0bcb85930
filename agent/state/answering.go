package state

import (
	"context"
	"iter"
	"strings"

	"github.com/emendo-dev/emendo/agent/model"
	"github.com/emendo-dev/emendo/agent/model/catalogue"
	"github.com/emendo-dev/emendo/agent/tuning"
)

// ResolvedModel is the model that a name chosen by the user stands for.
type ResolvedModel struct {
	Gen    model.Generator // tunes requests
	Name   string          // the provider's name for it
	Choice catalogue.Name  // the user's name, if it leaves the choice to emendo
}

// ResolveModel resolves a name to a provider's model, one of the user's presets,
// or, if the name leaves the choice to emendo, the best model available to the key.
func (a *Process) ResolveModel(name string) (ResolvedModel, error) {
	provider, bare := SplitModel(name)
	ours := IsGoogle(provider)
	out := ResolvedModel{}
	preset := bare
	if ours {
		out.Choice, _ = catalogue.Lookup(bare)
		preset = a.ResolveAlias(bare)
	}
	v, err := a.Tuning().Look(tuning.Query{Name: preset, Chat: ours})
	if err != nil && bare != "" {
		return ResolvedModel{}, &model.Error{Kind: model.NotFound, Message: err.Error(), Err: err}
	}
	if ours {
		if c, ok := catalogue.Lookup(v.Model); ok { // a preset of the user's names it
			out.Choice = c
		}
		v.Model = a.ResolveAlias(v.Model)
	}
	g, short, err := a.Choices().Generator(Qualified(provider, v.Model))
	if err != nil {
		return ResolvedModel{}, err
	}
	out.Gen, out.Name = Tuned{g, a.Tuning(), short, preset, ours}, short
	return out, nil
}

// ResolveAlias returns the provider's name for an alias in the catalogue. It
// returns any other name unchanged.
func (a *Process) ResolveAlias(name string) string {
	if c, ok := catalogue.Lookup(name); ok {
		return a.Available.Usable(c.Candidates(c.Role))
	}
	return name
}

// Tuning returns the current tuning table.
func (a *Process) Tuning() *tuning.Table {
	if t := a.Choices().Tuning; t != nil {
		return t
	}
	return builtInTuning
}

var builtInTuning = tuning.Built()

// SplitModel splits a model's name into its provider, including the slash, and the
// rest. A name of recorded answers ("replay:…") is all provider.
func SplitModel(name string) (provider, bare string) {
	if strings.HasPrefix(name, "replay:") {
		return name, ""
	}
	i := strings.IndexByte(name, '/') + 1
	return name[:i], name[i:]
}

// IsGoogle reports whether a provider serves Google's models, which aliases name.
func IsGoogle(provider string) bool {
	return provider == "" || provider == "gemini/" || provider == "vertex/"
}

// Qualified returns name prefixed with the provider, unless it already has one.
func Qualified(provider, name string) string {
	if strings.Contains(name, "/") {
		return name
	}
	return provider + name
}

// Tuned adds the table's configuration for a model to each request. The model
// named Name gets the configuration of Preset.
type Tuned struct {
	model.Generator
	Table  *tuning.Table
	Name   string // the model that the preset uses
	Preset string
	Chat   bool // the requests are steps of a conversation
}

// Stream implements [model.Generator].
func (g Tuned) Stream(ctx context.Context, req model.Request) iter.Seq2[model.Chunk, error] {
	req.Config = g.Config(req)
	return g.Generator.Stream(ctx, req)
}

// Config returns the configuration to send with a request.
func (g Tuned) Config(req model.Request) model.Config {
	q := tuning.Query{Name: req.Model, Chat: g.Chat, Retry: req.Again}
	if req.Model == g.Name {
		q.Name = g.Preset
	}
	if v, err := g.Table.Look(q); err == nil { // otherwise the table has no entry
		return req.Config.Over(v.Config)
	}
	return req.Config
}
