package catalogue

import (
	"bytes"
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
)

// data is the form of catalogue.json, and of the user's changes to it.
type data struct {
	Providers     []Provider   `json:"providers"`
	Families      []family     `json:"families"`
	Generations   []Generation `json:"generations"`
	Names         []Name       `json:"names"`
	ContextLimits []struct {
		Match  string `json:"match"`
		Tokens int64  `json:"tokens"`
		match  *regexp.Regexp
	} `json:"contextLimits"`

	models []Model // newest family first
}

// family is a list of models that came out together.
type family struct {
	Name       string  `json:"name"`
	Provider   string  `json:"provider"`
	Generation string  `json:"generation"`
	Models     []Model `json:"models"`
}

// builtInFrom reads the built-in file. It panics if that is invalid, which a test checks.
func builtInFrom(source []byte) *Catalogue {
	var d data
	if err := decode(source, &d); err != nil {
		panic("catalogue.json: " + err.Error())
	}
	for _, f := range d.Families {
		for _, m := range f.Models {
			m.Provider, m.Generation = f.Provider, f.Generation
			d.models = append(d.models, m)
		}
	}
	c, err := complete(d)
	if err != nil {
		panic("catalogue.json: " + err.Error())
	}
	return c
}

func decode(source []byte, into any) error {
	dec := json.NewDecoder(bytes.NewReader(source))
	dec.DisallowUnknownFields()
	return dec.Decode(into)
}

// complete compiles the regular expressions.
func complete(d data) (*Catalogue, error) {
	d.Generations, d.Providers = slices.Clone(d.Generations), slices.Clone(d.Providers)
	var err error
	for i, p := range d.Providers {
		if p.Match == "" {
			continue
		}
		if d.Providers[i].match, err = regexp.Compile(p.Match); err != nil {
			return nil, fmt.Errorf("provider %s: %w", p.Name, err)
		}
	}
	for i, g := range d.Generations {
		if d.Generations[i].match, err = regexp.Compile(g.Match); err != nil {
			return nil, fmt.Errorf("generation %s: %w", g.Name, err)
		}
	}
	for i, l := range d.ContextLimits {
		if d.ContextLimits[i].match, err = regexp.Compile(l.Match); err != nil {
			return nil, fmt.Errorf("context limit: %w", err)
		}
	}
	return &Catalogue{d}, nil
}

// Entry is a model in the user's setting: its fields replace those of the model of
// the same ID, or describe a new one.
type Entry struct {
	Provider   string `json:"provider"`   // of a new model
	Generation string `json:"generation"` // of a new model; may be empty
	Remove     bool   `json:"remove"`     // the model is left out
}

// Merge returns the catalogue with the user's models, by ID, in the form of the file's.
// A new model comes before the others, so that its role prefers it.
func (c *Catalogue) Merge(models map[string]json.RawMessage) (*Catalogue, error) {
	d := c.d
	d.models = slices.Clone(d.models)
	var added []Model
	ids := make([]string, 0, len(models))
	for id := range models {
		ids = append(ids, id)
	}
	slices.Sort(ids)
	for _, id := range ids {
		at := slices.IndexFunc(d.models, func(m Model) bool { return m.ID == id })
		m := Model{ID: id, Name: id}
		if at >= 0 {
			m = d.models[at].clone()
		}
		in := struct {
			*Model
			Entry
		}{Model: &m, Entry: Entry{Provider: m.Provider, Generation: m.Generation}}
		if err := decode(models[id], &in); err != nil {
			return nil, fmt.Errorf("model %s: %w", id, err)
		}
		m.ID, m.Provider, m.Generation = id, in.Entry.Provider, in.Entry.Generation
		switch {
		case in.Remove && at >= 0:
			d.models = slices.Delete(d.models, at, at+1)
		case in.Remove:
		case m.Provider == "":
			return nil, fmt.Errorf("model %s: name its provider", id)
		case !slices.Contains([]Role{"", Strong, Fast, Small}, m.Role):
			return nil, fmt.Errorf("model %s: role %q is not strong, fast or small", id, m.Role)
		case !slices.Contains([]Thinking{"", Levels, Budgets, Efforts, Adaptive}, m.Thinking):
			return nil, fmt.Errorf("model %s: thinking %q is not levels, budgets, efforts or adaptive", id, m.Thinking)
		case at >= 0:
			d.models[at] = m
		default:
			added = append(added, m)
		}
	}
	d.models = slices.Concat(added, d.models)
	return &Catalogue{d}, nil
}

// clone returns a copy that shares nothing with m.
func (m Model) clone() Model {
	b, err := json.Marshal(m)
	if err != nil {
		panic("catalogue: " + err.Error()) // it was read from JSON
	}
	out := Model{Provider: m.Provider, Generation: m.Generation}
	if err := json.Unmarshal(b, &out); err != nil {
		panic("catalogue: " + err.Error())
	}
	return out
}
