package state

import (
	"context"
	"iter"
	"strings"

	"github.com/emendo-dev/emendo/agent/model"
	"github.com/emendo-dev/emendo/agent/model/catalogue"
	"github.com/emendo-dev/emendo/agent/tuning"
)

// ResolvedModel is what answers to the name of a model that the user chose.
type ResolvedModel struct {
	Gen    model.Generator // tunes requests
	Name   string          // the provider's
	Choice catalogue.Name  // the user's name, if it leaves the choice to emendo
}

// ResolveModel finds what answers to a name: a model of a provider, one of the
// user's presets, or the best model that the key may use where the name leaves
// the choice to emendo.
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

// ResolveAlias returns the provider's name of the model that a name of the catalogue
// stands for; another name stands for itself.
func (a *Process) ResolveAlias(name string) string {
	if c, ok := catalogue.Lookup(name); ok {
		return a.Available.Usable(c.Candidates(c.Role))
	}
	return name
}

// Tuning is the table that holds now.
func (a *Process) Tuning() *tuning.Table {
	if t := a.Choices().Tuning; t != nil {
		return t
	}
	return builtInTuning
}

var builtInTuning = tuning.Built()

// split takes the provider off a model's name, its slash included. The name of
// recorded answers is a provider as a whole.
func SplitModel(name string) (provider, bare string) {
	if strings.HasPrefix(name, "replay:") {
		return name, ""
	}
	i := strings.IndexByte(name, '/') + 1
	return name[:i], name[i:]
}

// IsGoogle says whether a provider has the models that short names stand for.
func IsGoogle(provider string) bool {
	return provider == "" || provider == "gemini/" || provider == "vertex/"
}

// Qualified is a model's name behind a provider, unless it has one.
func Qualified(provider, name string) string {
	if strings.Contains(name, "/") {
		return name
	}
	return provider + name
}

// Tuned tells models how to answer: each by what the table says of it, and the
// one that stands behind a preset by that.
type Tuned struct {
	model.Generator
	Table  *tuning.Table
	Name   string // of the model behind the preset
	Preset string
	Chat   bool
}

// Stream implements [model.Generator].
func (g Tuned) Stream(ctx context.Context, req model.Request) iter.Seq2[model.Chunk, error] {
	req.Config = g.Config(req)
	return g.Generator.Stream(ctx, req)
}

// Config is how the model of a request is told to answer.
func (g Tuned) Config(req model.Request) model.Config {
	q := tuning.Query{Name: req.Model, Chat: g.Chat, Retry: req.Again}
	if req.Model == g.Name {
		q.Name = g.Preset
	}
	if v, err := g.Table.Look(q); err == nil { // else nothing is said of it
		return req.Config.Over(v.Config)
	}
	return req.Config
}
