package phrase

import (
	"cmp"
	"encoding/json"
	"slices"
	"strconv"
	"strings"
)

// Args are strings and numbers by name, in the order of the names. A long conversation has tens
// of thousands of them; a map of one would take ten times as much memory.
type Args []Arg

// Arg is one of [Args].
type Arg struct {
	Name  string
	Value any
}

func (a Args) at(name string) (int, bool) {
	return slices.BinarySearchFunc(a, name, func(x Arg, name string) int { return cmp.Compare(x.Name, name) })
}

// Get returns the value of a name, nil for an unknown one.
func (a Args) Get(name string) any {
	if i, ok := a.at(name); ok {
		return a[i].Value
	}
	return nil
}

// with returns the arguments with another one.
func (a Args) with(name string, value any) Args {
	i, _ := a.at(name)
	return slices.Insert(a, i, Arg{name, value})
}

// fill returns a phrase with the arguments in place of their names: {NAME} or {NAME:UNIT}. It leaves
// no garbage, between which what is kept of a long conversation would take twice the memory.
func (a Args) fill(form string) string {
	var b strings.Builder
	for {
		before, rest, ok := strings.Cut(form, "{")
		inside, after, ends := strings.Cut(rest, "}")
		if !ok || !ends {
			if b.Len() == 0 {
				return form
			}
			b.WriteString(form)
			return b.String()
		}
		name, unit, _ := strings.Cut(inside, ":")
		value := shownAs(unit, a.Get(name))
		if b.Len() == 0 && before == "" && after == "" {
			return value
		}
		b.WriteString(before)
		b.WriteString(value)
		form = after
	}
}

// MarshalJSON returns the arguments as an object.
func (a Args) MarshalJSON() ([]byte, error) {
	b := []byte{'{'}
	for i, x := range a {
		if i > 0 {
			b = append(b, ',')
		}
		value, err := json.Marshal(x.Value)
		if err != nil {
			return nil, err
		}
		b = append(strconv.AppendQuote(b, x.Name), ':') // a word
		b = append(b, value...)
	}
	return append(b, '}'), nil
}

// UnmarshalJSON reads the arguments from an object.
func (a *Args) UnmarshalJSON(b []byte) error {
	var named map[string]any
	if err := json.Unmarshal(b, &named); err != nil {
		return err
	}
	*a = nil
	for name, value := range named {
		*a = a.with(name, value)
	}
	return nil
}
