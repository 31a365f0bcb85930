// Package catalogue knows the models by name: their families, the role each
// plays, and what generations of them accept. catalogue.json holds all of it,
// newest first, so that a model is added or withdrawn in one place. The package
// sends nothing and does not know which models a key may use.
package catalogue

import (
	"bytes"
	_ "embed"
	"encoding/json"
	"regexp"
	"slices"
	"strings"
)

// Role says what a model is used for.
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

	Generation string `json:"-"`
}

// Budget bounds a model's thinking budget, in tokens, as Google publishes it.
type Budget struct {
	Min int32 `json:"min"`
	Max int32 `json:"max"`
	Off bool  `json:"off"` // 0 turns thinking off although Min is larger
}

// Nearest returns the budget closest to want that the model accepts. Negative
// values, which let the model decide, are accepted by every model.
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

// Auto reports whether the role may change with the task, too.
func (n Name) Auto() bool { return n.ID == Auto || strings.HasPrefix(n.ID, Auto+"-") }

// Auto is the name that leaves the role to emendo as well. It is the default.
const Auto = "auto"

// Thinking says how a generation is told how long to think.
type Thinking string

// The ways to say it; empty where a model does not think.
const (
	Levels  Thinking = "levels"
	Budgets Thinking = "budgets"
)

// Generation is what the models of one generation have in common.
type Generation struct {
	Name     string   `json:"name"`
	Match    string   `json:"match"`    // a regular expression on the provider's name
	Preset   string   `json:"preset"`   // the built-in generation preset for conversations
	Thinking Thinking `json:"thinking"` // how to configure thinking
	// Signed: thought signatures are checked, and pictures may be in the answer
	// to a call.
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

// read parses the data file. It panics on a file that is wrong: a test reads it.
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

// GenerationOf returns what is known of a model by its generation; false for
// models of others, and for names such as gemini-pro-latest that do not tell.
func GenerationOf(name string) (Generation, bool) {
	name = bare(name)
	for _, g := range catalogue.Generations {
		if g.match.MatchString(name) {
			return g, true
		}
	}
	return Generation{}, false
}

// ContextLimit returns how many tokens of prompt and answer a model takes
// together: what Google publishes, which is also assumed for models of others.
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
