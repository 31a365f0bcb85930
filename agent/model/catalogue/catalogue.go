// Package catalogue lists the known models: their roles, generations, and what each
// generation accepts. All of it is in catalogue.json, newest first, so that a model
// is added or removed in one place. The package sends nothing and does not know
// which models a key may use.
package catalogue

import (
	"bytes"
	_ "embed"
	"encoding/json"
	"regexp"
	"slices"
	"strings"
)

// A Role says what a model is used for.
type Role string

// The roles, from the most capable model to the cheapest.
const (
	Strong Role = "strong" // for most work
	Fast   Role = "fast"   // to carry out approved plans
	Small  Role = "small"  // for short questions beside a conversation
)

// Model is one model of a provider.
type Model struct {
	ID     string  `json:"id"` // the provider's name
	Name   string  `json:"name"`
	Role   Role    `json:"role"`
	Budget *Budget `json:"thinkingBudget"` // nil: no bounds are known
	Prices *Prices `json:"prices"`         // nil: not known

	Generation string `json:"-"`
}

// Budget bounds a model's thinking budget, in tokens, as Google publishes it.
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
	Generation  string `json:"generation"` // restricts the choice; empty: any
}

// Auto reports whether the role depends on the task as well.
func (n Name) Auto() bool { return n.ID == Auto || strings.HasPrefix(n.ID, Auto+"-") }

// Auto is the name that leaves the role to emendo as well. It is the default.
const Auto = "auto"

// Thinking is how the thinking of a generation is configured.
type Thinking string

// The ways to configure thinking; empty for models that do not think.
const (
	Levels  Thinking = "levels"
	Budgets Thinking = "budgets"
)

// Generation holds what the models of one generation have in common.
type Generation struct {
	Name     string   `json:"name"`
	Match    string   `json:"match"`    // a regular expression on the provider's name
	Preset   string   `json:"preset"`   // the built-in generation preset for conversations
	Thinking Thinking `json:"thinking"` // how to configure thinking
	// Signed generations check thought signatures, and accept pictures in function
	// responses.
	Signed bool `json:"signed"`

	match *regexp.Regexp
}

//go:embed catalogue.json
var source []byte

type data struct {
	Families []struct {
		Name       string  `json:"name"`
		Generation string  `json:"generation"`
		Models     []Model `json:"models"`
	} `json:"families"`
	Generations   []Generation `json:"generations"`
	Names         []Name       `json:"names"`
	ContextLimits []struct {
		Match  string `json:"match"`
		Tokens int64  `json:"tokens"`
		match  *regexp.Regexp
	} `json:"contextLimits"`

	models []Model // newest family first
}

var catalogue = read(source)

// read parses the data file. It panics if the file is invalid, which a test checks.
func read(source []byte) (d data) {
	dec := json.NewDecoder(bytes.NewReader(source))
	dec.DisallowUnknownFields()
	if err := dec.Decode(&d); err != nil {
		panic("catalogue.json: " + err.Error())
	}
	for _, f := range d.Families {
		for _, m := range f.Models {
			m.Generation = f.Generation
			d.models = append(d.models, m)
		}
	}
	for i, g := range d.Generations {
		d.Generations[i].match = regexp.MustCompile(g.Match)
	}
	for i, l := range d.ContextLimits {
		d.ContextLimits[i].match = regexp.MustCompile(l.Match)
	}
	return d
}

// Models returns all models, newest family first.
func Models() []Model { return slices.Clone(catalogue.models) }

// Names returns the names that leave the choice of the model to emendo, in the
// order in which users are offered them.
func Names() []Name { return slices.Clone(catalogue.Names) }

// Lookup finds a name that leaves the choice to emendo.
func Lookup(name string) (Name, bool) {
	name = bare(name)
	i := slices.IndexFunc(catalogue.Names, func(n Name) bool { return n.ID == name })
	if i < 0 {
		return Name{}, false
	}
	return catalogue.Names[i], true
}

// Find finds a model by the provider's name, with or without a path before it.
func Find(name string) (Model, bool) {
	name = bare(name)
	i := slices.IndexFunc(catalogue.models, func(m Model) bool { return m.ID == name })
	if i < 0 {
		return Model{}, false
	}
	return catalogue.models[i], true
}

// With returns the models of a role, newest family first. A generation
// restricts them unless it is empty.
func With(role Role, generation string) (ids []string) {
	for _, m := range catalogue.models {
		if m.Role == role && (generation == "" || m.Generation == generation) {
			ids = append(ids, m.ID)
		}
	}
	return ids
}

// GenerationOf returns the generation of a model. It reports false for models of
// other vendors, and for names such as gemini-pro-latest that do not reveal it.
func GenerationOf(name string) (Generation, bool) {
	name = bare(name)
	for _, g := range catalogue.Generations {
		if g.match.MatchString(name) {
			return g, true
		}
	}
	return Generation{}, false
}

// ContextLimit returns how many tokens a model accepts for prompt and answer
// together. For models of other vendors it assumes Google's figure.
func ContextLimit(name string) int64 {
	name = bare(name)
	for _, l := range catalogue.ContextLimits {
		if l.match.MatchString(name) {
			return l.Tokens
		}
	}
	panic("catalogue.json: no context limit for every model")
}

// bare removes the path before a name, as in "models/NAME".
func bare(name string) string { return name[strings.LastIndexByte(name, '/')+1:] }
