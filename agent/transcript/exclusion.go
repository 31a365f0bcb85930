package transcript

import (
	"errors"
	"fmt"
	"slices"
)

// Excludable lists the kinds that the user can exclude as a whole.
var Excludable = []string{KindContextFile, KindMemory, KindFolders, KindEditor, GivenLinked}

// Exclusion keeps something from the model: a kind of content, a file, or a file
// as one kind.
type Exclusion struct {
	Kind string `json:"kind,omitempty"` // empty: every kind
	Path string `json:"path,omitempty"` // absolute, links resolved; empty: every file
}

// ErrNotExcludable means that something is always sent to the model.
var ErrNotExcludable = errors.New("it is always sent to the model")

// Check returns an error if the exclusion cannot be applied.
func (e Exclusion) Check() error {
	switch {
	case e == Exclusion{}:
		return errors.New("name a kind, a file, or both")
	case e.Kind == "", slices.Contains(Excludable, e.Kind), e.Kind == kindToolResult && e.Path != "":
		return nil
	}
	return fmt.Errorf("cannot exclude kind %q: %w; excludable kinds are %v", e.Kind, ErrNotExcludable, Excludable)
}

// Exclusions are all current exclusions. The slice is never modified.
type Exclusions []Exclusion

// Excludes reports whether something of that kind and source is excluded.
func (x Exclusions) Excludes(kind, source string) bool {
	return slices.ContainsFunc(x, func(e Exclusion) bool {
		return (e.Kind == "" || e.Kind == kind) && (e.Path == "" || e.Path == source)
	})
}

// ForKind returns a predicate that matches the paths excluded for kind.
func (x Exclusions) ForKind(kind string) func(path string) bool {
	return func(path string) bool { return x.Excludes(kind, path) }
}

// With returns x with the event applied.
func (x Exclusions) With(e Excluded) Exclusions {
	without := slices.DeleteFunc(slices.Clone(x), func(o Exclusion) bool { return o == e.Exclusion })
	if e.On {
		return append(without, e.Exclusion)
	}
	return without
}

// Has reports whether e is one of the exclusions.
func (x Exclusions) Has(e Exclusion) bool { return slices.Contains(x, e) }
