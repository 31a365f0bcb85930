// Package tuning says which model and which configuration of it stand behind a
// name: a table of presets that extend each other, the user's over the built-in
// ones, and overrides over what comes of them. It follows the modelConfigs of
// Gemini CLI. It sends nothing, and does not know where the settings came from.
package tuning

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/emendo-dev/emendo/agent/model"
)

// Values are a model and its configuration. What is empty is not said.
type Values struct {
	Model  string
	Config model.Config
}

// over lays v over base.
func (v Values) over(base Values) Values {
	return Values{cmp.Or(v.Model, base.Model), v.Config.Over(base.Config)}
}

// A Preset are values under a name.
type Preset struct {
	Extends string // the preset that it adds to; empty: none
	Values  Values
}

// An Override adds to the values of the requests that it matches.
type Override struct {
	Match  Match
	Values Values
}

// Match says which requests an override is for: those for which all that it
// says holds. One that says nothing matches nothing.
type Match struct {
	Model string // a preset on the way to the values, or the model's name
	Scope string // who asks: [Core], or a subagent's name
	Retry *bool  // whether the request is a repeated one
}

// Core is the scope of everything but subagents; a request without a scope
// is in it too.
const Core = "core"

// Options are the user's part of a table.
type Options struct {
	Presets   map[string]Preset
	Overrides []Override
}

// Table finds values. It does not change, and may be used side by side.
type Table struct {
	presets   map[string]Preset
	overrides []Override
}

// deepest bounds how many presets extend each other.
const deepest = 100

// New makes a table of the built-in presets and the user's, which replace those
// of the same name. Its error says which of the user's presets cannot be.
func New(o Options) (*Table, error) {
	t := &Table{maps.Clone(builtIn), slices.Concat(builtInOverrides, o.Overrides)}
	maps.Copy(t.presets, o.Presets)
	for _, name := range slices.Sorted(maps.Keys(t.presets)) {
		if _, err := t.chain(name); err != nil {
			return nil, err
		}
	}
	return t, nil
}

// Built is the table of someone who configured nothing.
func Built() *Table {
	t, err := New(Options{})
	if err != nil {
		panic(err) // a test makes it
	}
	return t
}

// Query asks for values.
type Query struct {
	Name  string // a preset, or a model
	Scope string // see [Match]; empty is [Core]
	Retry bool   // the request is a repeated one
	Chat  bool   // a model without a preset is asked as in a conversation
}

// Look finds values. Its error says that no model comes of them.
func (t *Table) Look(q Query) (Values, error) {
	var chain []string // from the root to the leaf
	if _, ok := t.presets[q.Name]; ok {
		chain, _ = t.chain(q.Name) // New has checked it
	} else if q.Chat {
		chain, _ = t.chain(chatBase(q.Name))
	}
	var v Values
	for _, name := range chain {
		v = t.presets[name].Values.over(v)
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
		v = t.overrides[h.at].Values.over(v)
	}
	if v.Model == "" {
		return Values{}, fmt.Errorf("no model comes of the preset %q: give one of those it extends a model", q.Name)
	}
	return v, nil
}

// holds says whether a request is meant, how many things were said of it, and
// how deep in the chain the named preset stands: a model is on level 0, the
// root of the chain on 1.
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

// chain are the presets that the one of that name extends, from the root on,
// and itself.
func (t *Table) chain(name string) ([]string, error) {
	var out []string
	for from := name; name != ""; {
		p, ok := t.presets[name]
		switch {
		case !ok:
			return nil, fmt.Errorf("the preset %q extends %q, which there is not", out[0], name)
		case slices.Contains(out, name):
			return nil, fmt.Errorf("the preset %q extends itself, by way of %s", name, strings.Join(out, ", "))
		case len(out) == deepest:
			return nil, fmt.Errorf("the preset %q extends more than %d others", from, deepest)
		}
		out = slices.Insert(out, 0, name)
		name = p.Extends
	}
	return out, nil
}
