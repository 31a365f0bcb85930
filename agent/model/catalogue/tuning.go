package catalogue

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/emendo-dev/emendo/agent/model"
)

// Values are a model and its configuration. Empty fields are unset.
type Values struct {
	Model  string
	Config model.Config
}

// override returns base with the fields that v sets replaced.
func (v Values) override(base Values) Values {
	return Values{cmp.Or(v.Model, base.Model), v.Config.Over(base.Config)}
}

// A Preset is a named set of values.
type Preset struct {
	Extends string // the preset that it extends; empty: none
	Values  Values
}

// An Override adds to the values of the requests that it matches.
type Override struct {
	Match  Match
	Values Values
}

// Match selects the requests of an override: those that match all its non-empty
// fields. An empty Match matches nothing.
type Match struct {
	Model string // a preset in the chain, or the model's name
	Scope string // [Core], or a subagent's name
	Retry *bool  // whether the request is repeated
}

// Core is the scope of everything but subagents, and of requests without a scope.
const Core = "core"

// TuningOptions are the user's part of a tuning.
type TuningOptions struct {
	Presets   map[string]Preset
	Overrides []Override
}

// Tuning resolves a name to a model and its configuration. Presets extend each other, the
// user's replace built-in ones, and overrides apply to the result. It follows the
// modelConfigs of Gemini CLI. It is immutable and safe for concurrent use.
type Tuning struct {
	presets   map[string]Preset
	overrides []Override
}

// deepest bounds the length of a chain of presets.
const deepest = 100

// NewTuning returns the built-in presets and the user's, which replace those of the
// same name. Its error names an invalid preset.
func NewTuning(o TuningOptions) (*Tuning, error) {
	t := &Tuning{maps.Clone(builtIn), slices.Concat(builtInOverrides, o.Overrides)}
	maps.Copy(t.presets, o.Presets)
	for _, name := range slices.Sorted(maps.Keys(t.presets)) {
		if _, err := t.chain(name); err != nil {
			return nil, err
		}
	}
	return t, nil
}

// BuiltInTuning returns the tuning without user configuration.
func BuiltInTuning() *Tuning {
	t, err := NewTuning(TuningOptions{})
	if err != nil {
		panic(err) // covered by a test
	}
	return t
}

// Query selects values.
type Query struct {
	Name  string // a preset, or a model
	Scope string // see [Match]; empty is [Core]
	Retry bool   // the request is repeated
	Chat  bool   // a model without a preset gets the one for conversations
}

// Look resolves a query. It fails if the values name no model.
func (t *Tuning) Look(q Query) (Values, error) {
	var chain []string // from the root to the leaf
	if _, ok := t.presets[q.Name]; ok {
		chain, _ = t.chain(q.Name) // NewTuning has checked it
	} else if q.Chat {
		chain, _ = t.chain(chatBase(q.Name))
	}
	var v Values
	for _, name := range chain {
		v = t.presets[name].Values.override(v)
	}
	if _, ok := t.presets[q.Name]; !ok {
		v.Model = q.Name
	}

	type hit struct{ level, keys, at int }
	var hits []hit
	for i, o := range t.overrides {
		if level, keys, ok := o.Match.holds(q, chain, v.Model); ok {
			hits = append(hits, hit{level, keys, i})
		}
	}
	slices.SortFunc(hits, func(a, b hit) int {
		return cmp.Or(cmp.Compare(a.level, b.level), cmp.Compare(a.keys, b.keys), cmp.Compare(a.at, b.at))
	})
	for _, h := range hits {
		v = t.overrides[h.at].Values.override(v)
	}
	if v.Model == "" {
		return Values{}, fmt.Errorf("preset %q has no model: set one in it or in a preset that it extends", q.Name)
	}
	return v, nil
}

// holds reports whether m matches a request, how many fields it sets, and the
// level of its preset in the chain: 0 for a model, 1 for the root of the chain.
func (m Match) holds(q Query, chain []string, name string) (level, keys int, ok bool) {
	if m.Model != "" {
		keys++
		if level = slices.Index(chain, m.Model) + 1; level == 0 && m.Model != name {
			return 0, 0, false
		}
	}
	if m.Scope != "" {
		keys++
		if m.Scope != cmp.Or(q.Scope, Core) {
			return 0, 0, false
		}
	}
	if m.Retry != nil {
		keys++
		if *m.Retry != q.Retry {
			return 0, 0, false
		}
	}
	return level, keys, keys > 0
}

// chain returns the presets that the named one extends, from the root, and itself.
func (t *Tuning) chain(name string) ([]string, error) {
	var out []string
	for from := name; name != ""; {
		p, ok := t.presets[name]
		switch {
		case !ok:
			return nil, fmt.Errorf("preset %q extends unknown preset %q", out[0], name)
		case slices.Contains(out, name):
			return nil, fmt.Errorf("preset %q extends itself by way of %s", name, strings.Join(out, ", "))
		case len(out) == deepest:
			return nil, fmt.Errorf("preset %q extends more than %d others", from, deepest)
		}
		out = slices.Insert(out, 0, name)
		name = p.Extends
	}
	return out, nil
}
