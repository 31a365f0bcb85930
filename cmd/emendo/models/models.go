// Package models lists what the providers and servers that are there offer, for the
// command line. It owns the cache of those lists. How a provider is asked is in its
// package.
package models

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"text/tabwriter"
	"time"

	"github.com/emendo-dev/emendo/agent/model"
	"github.com/emendo-dev/emendo/agent/model/catalogue"
	"github.com/emendo-dev/emendo/cmd/emendo/provider"
	"github.com/emendo-dev/emendo/internal/private"
)

// fresh is how long the list of a provider counts. Servers on this machine, and those of
// the settings, are asked each time.
const fresh = 24 * time.Hour

// patience limits a request for a list.
const patience = 15 * time.Second

// Command lists models.
type Command struct {
	Models *provider.Models
	Cache  string // the folder for lists that can be asked for again
	Now    func() time.Time
	Stdout io.Writer
	Clean  func(string) string // makes text safe to print
}

// A Provider is a provider or server, and what it offers.
type Provider struct {
	Name string `json:"name"`
	// From says where the list comes from: server, cache or, for a provider that does not
	// list its models, catalogue. It is empty if there is none.
	From   string     `json:"from,omitzero"`
	Asked  *time.Time `json:"asked,omitzero"` // when the provider was asked for it
	Key    string     `json:"key,omitzero"`   // where the key comes from
	Error  string     `json:"error,omitzero"` // why there is no list
	Models []Model    `json:"models"`
}

// A Model can be chosen by its ID.
type Model struct {
	ID           string            `json:"id"`
	Name         string            `json:"name"`
	ContextLimit int64             `json:"contextLimit,omitzero"` // tokens; absent: unknown
	OutputLimit  int64             `json:"outputLimit,omitzero"`
	Prices       *catalogue.Prices `json:"prices,omitzero"`
	Abilities    []string          `json:"abilities"`
}

// cached is the list of a provider in the cache.
type cached struct {
	Asked  time.Time       `json:"asked"`
	Models []model.Offered `json:"models"`
}

// Run prints the lists. With refresh every provider is asked. Only an error of output is
// one: a provider that cannot be asked says why in its place.
func (c Command) Run(ctx context.Context, asJSON, refresh bool) error {
	kept := c.load()
	names := c.Models.Names()
	found := make([]Provider, len(names))
	lists := make([]*cached, len(names))
	var all sync.WaitGroup
	for i, name := range names {
		all.Go(func() { found[i], lists[i] = c.provider(ctx, name, kept[name], refresh) })
	}
	all.Wait()
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	for i, list := range lists {
		if list != nil {
			kept[names[i]] = *list
		}
	}
	c.save(kept)
	if asJSON {
		e := json.NewEncoder(c.Stdout)
		e.SetIndent("", "  ")
		return e.Encode(struct {
			Providers []Provider `json:"providers"`
		}{found})
	}
	return c.print(found)
}

// provider returns what a provider offers, and the list to keep if it was asked.
func (c Command) provider(ctx context.Context, name string, kept cached, refresh bool) (p Provider, asked *cached) {
	p = Provider{Name: name, Models: []Model{}}
	source, err := c.Models.Origin(name)
	if err == nil {
		p.Key = source.String()
	}
	g, _, err := c.Models.Generator(name + "/" + catalogue.Auto)
	if err == nil && source.Origin == provider.Nowhere {
		err = &model.Error{Kind: model.Auth, Message: "no key"}
	}
	lister, lists := model.As[model.Lister](g)
	switch keeps := !c.Models.Local(name); {
	case err != nil:
	case !lists:
		p.From = "catalogue"
		p.Models = c.describe(name, nil)
	case keeps && !refresh && !kept.Asked.IsZero() && c.Now().Sub(kept.Asked) < fresh:
		p.From, p.Asked = "cache", &kept.Asked
		p.Models = c.describe(name, kept.Models)
	default:
		limited, stop := context.WithTimeout(ctx, patience)
		defer stop()
		var list []model.Offered
		if list, err = lister.Models(limited); err == nil {
			now := c.Now().UTC().Truncate(time.Second)
			p.From, p.Asked = "server", &now
			p.Models = c.describe(name, list)
			if keeps {
				asked = &cached{now, list}
			}
		}
	}
	if err != nil {
		p.Error = err.Error()
		if e, ok := errors.AsType[*model.Error](err); ok {
			p.Error = e.Message
		}
		p.Error = c.Clean(p.Error)
	}
	return p, asked
}

// describe returns a provider's models with what the catalogue knows of them: of those
// that it listed, or of all in the catalogue where said is nil.
func (c Command) describe(name string, said []model.Offered) []Model {
	known := c.Models.Catalogue()
	if said == nil {
		for _, m := range known.Models(name) {
			said = append(said, model.Offered{ID: m.ID, Name: m.Name})
		}
	}
	out := []Model{}
	for _, s := range said {
		traits, _ := known.Traits(s.ID)
		if found, ok := known.Find(s.ID); !ok || !known.Serves(name, found.Provider) {
			traits = catalogue.Model{Prices: traits.Prices}
		}
		m := Model{
			ID: c.Clean(name + "/" + s.ID), Name: c.Clean(cmp.Or(s.Name, traits.Name, s.ID)), ContextLimit: cmp.Or(s.InputTokens, traits.Context),
			OutputLimit: cmp.Or(s.OutputTokens, traits.Output), Prices: traits.Prices, Abilities: []string{},
		}
		for ability, has := range map[string]bool{"tools": catalogue.Is(cmp.Or(s.Tools, traits.Tools)), "images": catalogue.Is(cmp.Or(s.Images, traits.Images)), "thinking": traits.Thinking != ""} {
			if has {
				m.Abilities = append(m.Abilities, ability)
			}
		}
		slices.Sort(m.Abilities)
		out = append(out, m)
	}
	return out
}

// print prints the lists for people: what there is first, then what there is not and why.
func (c Command) print(found []Provider) error {
	w := tabwriter.NewWriter(c.Stdout, 0, 0, 2, ' ', 0)
	for _, p := range found {
		if p.From == "" {
			continue
		}
		from := map[string]string{"server": "listed by the server", "catalogue": "from emendo's catalogue"}[p.From]
		if p.From == "cache" {
			from = "listed by the server on " + p.Asked.Format("2 January at 15:04 MST") + "; --refresh asks again"
		}
		fmt.Fprintf(w, "%s: %s\n", p.Name, from)
		for _, m := range p.Models {
			limit := ""
			if m.ContextLimit > 0 {
				limit = fmt.Sprintf("%d tokens", m.ContextLimit)
			}
			fmt.Fprintf(w, "  %s\t%s\t%s\n", m.ID, limit, strings.Join(m.Abilities, ", "))
		}
		if len(p.Models) == 0 {
			fmt.Fprintln(w, "  no models")
		}
	}
	for _, p := range found {
		if p.From == "" {
			fmt.Fprintf(w, "%s: %s\n", p.Name, p.Error)
		}
	}
	return w.Flush()
}

func (c Command) file() string { return filepath.Join(c.Cache, "models.json") }

// load returns the lists in the cache. What cannot be read is asked for again.
func (c Command) load() map[string]cached {
	lists := map[string]cached{}
	if b, err := os.ReadFile(c.file()); err != nil || json.Unmarshal(b, &lists) != nil {
		return map[string]cached{}
	}
	return lists
}

// save keeps the lists for the next time. Without a cache they are asked for then.
func (c Command) save(lists map[string]cached) {
	if b, err := json.Marshal(lists); err == nil && os.MkdirAll(c.Cache, 0o700) == nil {
		_ = private.Replace(c.file(), b)
	}
}
