package agent

import (
	"context"
	"iter"
	"strings"

	"github.com/emendo-dev/emendo/agent/model"
	"github.com/emendo-dev/emendo/agent/model/catalogue"
	"github.com/emendo-dev/emendo/agent/tuning"
)

// answers is what answers to the name of a model that the user chose.
type answers struct {
	gen    model.Generator // tunes requests
	name   string          // the provider's
	choice catalogue.Name  // the user's name, if it leaves the choice to emendo
}

// answering finds what answers to a name: a model of a provider, one of the
// user's presets, or the best model that the key may use where the name leaves
// the choice to emendo.
func (a *Agent) answering(name string) (answers, error) {
	provider, bare := split(name)
	ours := ofGoogle(provider)
	out := answers{}
	preset := bare
	if ours {
		out.choice, _ = catalogue.Lookup(bare)
		preset = a.spelled(bare)
	}
	v, err := a.tuning().Look(tuning.Query{Name: preset, Chat: ours})
	if err != nil && bare != "" {
		return answers{}, &model.Error{Kind: model.NotFound, Message: err.Error(), Err: err}
	}
	if ours {
		if c, ok := catalogue.Lookup(v.Model); ok { // a preset of the user's names it
			out.choice = c
		}
		v.Model = a.spelled(v.Model)
	}
	g, short, err := a.choices().Generator(qualified(provider, v.Model))
	if err != nil {
		return answers{}, err
	}
	out.gen, out.name = tuned{g, a.tuning(), short, preset, ours}, short
	return out, nil
}

// spelled returns the provider's name of the model that a name of the catalogue
// stands for; another name stands for itself.
func (a *Agent) spelled(name string) string {
	if c, ok := catalogue.Lookup(name); ok {
		return a.available.Usable(c.Candidates(c.Role))
	}
	return name
}

// tuning is the table that holds now.
func (a *Agent) tuning() *tuning.Table {
	if t := a.choices().Tuning; t != nil {
		return t
	}
	return builtInTuning
}

var builtInTuning = tuning.Built()

// split takes the provider off a model's name, its slash included. The name of
// recorded answers is a provider as a whole.
func split(name string) (provider, bare string) {
	if strings.HasPrefix(name, "replay:") {
		return name, ""
	}
	i := strings.IndexByte(name, '/') + 1
	return name[:i], name[i:]
}

// ofGoogle says whether a provider has the models that short names stand for.
func ofGoogle(provider string) bool {
	return provider == "" || provider == "gemini/" || provider == "vertex/"
}

// qualified is a model's name behind a provider, unless it has one.
func qualified(provider, name string) string {
	if strings.Contains(name, "/") {
		return name
	}
	return provider + name
}

// tuned tells models how to answer: each by what the table says of it, and the
// one that stands behind a preset by that.
type tuned struct {
	model.Generator
	table  *tuning.Table
	name   string // of the model behind the preset
	preset string
	chat   bool
}

// Stream implements [model.Generator].
func (g tuned) Stream(ctx context.Context, req model.Request) iter.Seq2[model.Chunk, error] {
	req.Config = g.config(req)
	return g.Generator.Stream(ctx, req)
}

// config is how the model of a request is told to answer.
func (g tuned) config(req model.Request) model.Config {
	q := tuning.Query{Name: req.Model, Chat: g.chat, Retry: req.Again}
	if req.Model == g.name {
		q.Name = g.preset
	}
	if v, err := g.table.Look(q); err == nil { // else nothing is said of it
		return req.Config.Over(v.Config)
	}
	return req.Config
}
