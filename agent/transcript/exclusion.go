package transcript

import (
	"errors"
	"fmt"
	"slices"
)

// Excludable are the kinds that the user may leave out as a whole.
var Excludable = []string{KindContextFile, KindMemory, KindFolders, KindEditor, kindLinked}

// Exclusion leaves something out of what the model is given: a kind, a file,
// or a file as one kind.
type Exclusion struct {
	Kind string `json:"kind,omitempty"` // empty: every kind
	Path string `json:"path,omitempty"` // absolute, links resolved; empty: every file
}

// ErrNotExcludable says that something is always given.
var ErrNotExcludable = errors.New("this is always part of what the model is given")

// Check says what is wrong with an exclusion.
func (e Exclusion) Check() error {
	switch {
	case e == Exclusion{}:
		return errors.New("name a kind, a file or both")
	case e.Kind == "", slices.Contains(Excludable, e.Kind), e.Kind == kindToolResult && e.Path != "":
		return nil
	}
	return fmt.Errorf("the kind %q: %w; what can be left out are %v", e.Kind, ErrNotExcludable, Excludable)
}

// Exclusions are all that hold. They are not changed, but made anew.
type Exclusions []Exclusion

// is says whether something of that kind and source is left out.
func (x Exclusions) Excludes(kind, source string) bool {
	return slices.ContainsFunc(x, func(e Exclusion) bool {
		return (e.Kind == "" || e.Kind == kind) && (e.Path == "" || e.Path == source)
	})
}

// of is is for one kind.
func (x Exclusions) ForKind(kind string) func(path string) bool {
	return func(path string) bool { return x.Excludes(kind, path) }
}

// With is x after the event.
func (x Exclusions) With(e Excluded) Exclusions {
	without := slices.DeleteFunc(slices.Clone(x), func(o Exclusion) bool { return o == e.Exclusion })
	if e.On {
		return append(without, e.Exclusion)
	}
	return without
}

func (x Exclusions) Has(e Exclusion) bool { return slices.Contains(x, e) }
