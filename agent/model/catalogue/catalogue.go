// Package catalogue lists the known models of all providers: their roles, limits,
// prices and abilities. All of it is in catalogue.json, newest first, so that a model
// is added or removed in one place, and the user can change it with a setting. Beside it
// are the presets that configure requests to the models. The package sends nothing and
// does not know which models a key may use.
package catalogue

import (
	_ "embed"
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/emendo-dev/emendo/agent/model"
)

// A Role says what a model is used for.
type Role string

// The roles, from the most capable model to the cheapest.
const (
	Strong Role = "strong" // for most work
	Fast   Role = "fast"   // to carry out approved plans
	Small  Role = "small"  // for short questions beside a conversation
)

// Model is one model of a provider. What it does not say is as in its generation.
type Model struct {
	ID      string  `json:"id"` // the provider's name
	Name    string  `json:"name"`
	Role    Role    `json:"role"`    // empty: used only by name
	Context int64   `json:"context"` // tokens of prompt and answer together; 0: of the generation
	Output  int64   `json:"output"`  // the longest answer in tokens; 0: of the generation
	Budget  *Budget `json:"thinkingBudget"`
	Prices  *Prices `json:"prices"` // nil: not known
	Abilities

	Provider   string `json:"-"`
	Generation string `json:"-"`
}

// Abilities are what requests to a model may contain. Nil and empty fields are as in
// the generation.
type Abilities struct {
	Thinking     Thinking `json:"thinking"` // how to configure thinking
	Efforts      []string `json:"efforts"`  // of thinking, from the least, with Efforts and Adaptive
	AlwaysThinks *bool    `json:"alwaysThinks"`
	Sampling     *bool    `json:"sampling"` // it accepts temperature, top-p and the like
	Tools        *bool    `json:"tools"`    // it calls tools natively
	Images       *bool    `json:"images"`
	Search       *bool    `json:"search"`  // its provider searches the web for it
	Patches      *bool    `json:"patches"` // it is trained to edit by patches
	// Signed models check signatures, and accept pictures in results of tools.
	Signed *bool `json:"signed"`
}

// override returns base with the fields that a sets replaced.
func (a Abilities) override(base Abilities) Abilities {
	if a.Thinking != "" {
		base.Thinking = a.Thinking
	}
	if a.Efforts != nil {
		base.Efforts = a.Efforts
	}
	for _, f := range []struct{ to, from **bool }{
		{&base.AlwaysThinks, &a.AlwaysThinks},
		{&base.Sampling, &a.Sampling},
		{&base.Tools, &a.Tools},
		{&base.Images, &a.Images},
		{&base.Search, &a.Search},
		{&base.Signed, &a.Signed},
		{&base.Patches, &a.Patches},
	} {
		if *f.from != nil {
			*f.to = *f.from
		}
	}
	return base
}

// EffortNames are all efforts of thinking, from the least.
var EffortNames = []string{"none", "minimal", "low", "medium", "high", "xhigh", "max"}

// NearestEffort returns the one of efforts that is closest to want, and of two that are
// equally close the greater one; "" if want or all of them are not known.
func NearestEffort(efforts []string, want string) string {
	at, best, least := slices.Index(EffortNames, strings.ToLower(want)), "", len(EffortNames)
	for i, name := range EffortNames {
		if distance := max(i-at, at-i); at >= 0 && distance <= least && slices.Contains(efforts, name) {
			best, least = name, distance
		}
	}
	return best
}

// Is reports whether an ability is known to be there.
func Is(ability *bool) bool { return ability != nil && *ability }

// Lacks reports whether an ability is known to be missing.
func Lacks(ability *bool) bool { return ability != nil && !*ability }

// Budget bounds a model's thinking budget, in tokens, as the provider publishes it.
type Budget struct {
	Min int32 `json:"min"`
	Max int32 `json:"max"`
	Off bool  `json:"off"` // 0 turns thinking off although Min is larger
}

// Nearest returns the budget closest to want that the model accepts. Every model
// accepts negative values, which let it decide.
func (b Budget) Nearest(want int32) int32 {
	if want < 0 || want == 0 && (b.Off || b.Min == 0) {
		return want
	}
	return min(max(want, b.Min), b.Max)
}

// Name is a name that leaves the choice among models to emendo.
type Name struct {
	ID          string `json:"id"`
	Name        string `json:"name"`
	Description string `json:"description"`
	Role        Role   `json:"role"`
	Provider    string `json:"provider"`   // whose models it chooses from; in the file empty: any
	Generation  string `json:"generation"` // restricts the choice; empty: any

	of *Catalogue
}

// Auto reports whether the role depends on the task as well.
func (n Name) Auto() bool { return n.ID == Auto || strings.HasPrefix(n.ID, Auto+"-") }

// Auto is the name that leaves the role to emendo as well. It is the default.
const Auto = "auto"

// Thinking is how the thinking of a model is configured.
type Thinking string

// The ways to configure thinking; empty for models that do not think.
const (
	Levels   Thinking = "levels"   // by a level
	Budgets  Thinking = "budgets"  // by a number of tokens
	Efforts  Thinking = "efforts"  // by an effort
	Adaptive Thinking = "adaptive" // the model decides, guided by an effort
)

// Generation holds what the models of one generation have in common.
type Generation struct {
	Name    string `json:"name"`
	Match   string `json:"match"`  // a regular expression on the provider's name
	Preset  string `json:"preset"` // the built-in generation preset for conversations
	Context int64  `json:"context"`
	Output  int64  `json:"output"`
	Abilities

	match *regexp.Regexp
}

// Provider is a provider, or an API that several have.
type Provider struct {
	Name string `json:"name"`
	// Serves is the provider whose models it serves too; empty: it has its own, or
	// those that it lists.
	Serves string `json:"serves"`
	// Match matches the names of all its models, also those too new or too old for the
	// catalogue; empty: it is not known.
	Match string `json:"match"`

	match *regexp.Regexp
}

//go:embed catalogue.json
var source []byte

// Catalogue is a list of models. It is immutable.
type Catalogue struct{ d data }

// BuiltIn returns the catalogue without the user's changes.
var BuiltIn = sync.OnceValue(func() *Catalogue { return builtInFrom(source) })

// Google is the provider that models without a provider are of.
const Google = "gemini"

// source returns the provider whose models a provider serves.
func (c *Catalogue) source(provider string) string {
	for _, p := range c.d.Providers {
		if p.Name == provider && p.Serves != "" {
			return p.Serves
		}
	}
	return provider
}

// Serves reports whether a provider serves the models of another, or of itself.
func (c *Catalogue) Serves(provider, of string) bool { return of != "" && c.source(provider) == of }

// Models returns the models of a provider, newest family first.
func (c *Catalogue) Models(provider string) (out []Model) {
	provider = c.source(provider)
	for _, m := range c.d.models {
		if m.Provider == provider {
			out = append(out, m)
		}
	}
	return out
}

// Names returns the names that leave the choice of a provider's model to emendo, in
// the order in which users are offered them.
func (c *Catalogue) Names(provider string) (out []Name) {
	if len(c.Models(provider)) == 0 {
		return nil
	}
	for _, n := range c.d.Names {
		if n.Provider == "" || n.Provider == c.source(provider) {
			n.Provider, n.of = c.source(provider), c
			out = append(out, n)
		}
	}
	return out
}

// Lookup finds a name that leaves the choice of a provider's model to emendo.
func (c *Catalogue) Lookup(provider, name string) (Name, bool) {
	name = model.PlainName(name)
	names := c.Names(provider)
	i := slices.IndexFunc(names, func(n Name) bool { return n.ID == name })
	if i < 0 {
		return Name{}, false
	}
	return names[i], true
}

// Find finds a model by the provider's name, with or without a path before it.
func (c *Catalogue) Find(name string) (Model, bool) {
	name = model.PlainName(name)
	i := slices.IndexFunc(c.d.models, func(m Model) bool { return m.ID == name })
	if i < 0 {
		return Model{}, false
	}
	return c.d.models[i], true
}

// Traits returns what is known of a model, with what its generation says. A dated
// version is like its model. It reports false if even the generation is not known,
// as for models of other vendors and names such as gemini-pro-latest.
func (c *Catalogue) Traits(name string) (Model, bool) {
	name = model.PlainName(name)
	var m Model
	for _, other := range c.d.models {
		if strings.HasPrefix(name, other.ID) && len(other.ID) > len(m.ID) {
			m = other
		}
	}
	g, ok := c.GenerationOf(name)
	if m.ID != "" && m.ID != name && m.Generation != g.Name {
		m = Model{} // a name that only begins like one
	}
	m.Context, m.Output = max(m.Context, 0), max(m.Output, 0)
	if m.Context == 0 {
		m.Context = g.Context
	}
	if m.Output == 0 {
		m.Output = g.Output
	}
	m.Abilities = m.Abilities.override(g.Abilities)
	return m, ok || m.ID != ""
}

// With returns the models of a provider with a role, newest family first. A
// generation restricts them unless it is empty.
func (c *Catalogue) With(provider string, role Role, generation string) (ids []string) {
	for _, m := range c.Models(provider) {
		if m.Role == role && (generation == "" || m.Generation == generation) {
			ids = append(ids, m.ID)
		}
	}
	return ids
}

// GenerationOf returns the generation of a model. It reports false for models of
// other vendors, and for names such as gemini-pro-latest that do not reveal it.
func (c *Catalogue) GenerationOf(name string) (Generation, bool) {
	name = model.PlainName(name)
	for _, g := range c.d.Generations {
		if g.match.MatchString(name) {
			return g, true
		}
	}
	return Generation{}, false
}

// ProviderOf returns the provider of a model's name, also of one that is too new or
// too old for the catalogue; "" if it is not known.
func (c *Catalogue) ProviderOf(name string) string {
	if m, ok := c.Find(name); ok {
		return m.Provider
	}
	name = model.PlainName(name)
	for _, p := range c.d.Providers {
		if p.match != nil && p.match.MatchString(name) {
			return p.Name
		}
	}
	return ""
}

// ContextLimit returns how many tokens a model accepts for prompt and answer
// together. For unknown models it assumes Google's figure.
func (c *Catalogue) ContextLimit(name string) int64 {
	if m, _ := c.Traits(name); m.Context != 0 {
		return m.Context
	}
	name = model.PlainName(name)
	for _, l := range c.d.ContextLimits {
		if l.match.MatchString(name) {
			return l.Tokens
		}
	}
	panic("catalogue.json: no context limit for every model")
}

// ContextLimit is [Catalogue.ContextLimit] of the built-in catalogue.
func ContextLimit(name string) int64 { return BuiltIn().ContextLimit(name) }
