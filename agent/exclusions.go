package agent

import (
	"errors"
	"fmt"
	"slices"
)

// The kinds of what is put before the model.
const (
	kindSystem       = "system"       // a module of the system prompt
	kindTools        = "tools"        // what it may call
	kindContextFile  = "context_file" // AGENTS.md and its like
	kindMemory       = "memory"       // what was saved on the user's word
	kindEnvironment  = "environment"
	kindFolders      = "folders" // the drawn tree of the workspace
	kindEditor       = "editor"
	kindMode         = "mode" // another one, while the turn runs
	kindLinked       = givenLinked
	kindConversation = "conversation"
	kindToolResult   = "tool_result"
)

// excludable are the kinds that the user may leave out as a whole.
var excludable = []string{kindContextFile, kindMemory, kindFolders, kindEditor, kindLinked}

// Exclusion leaves something out of what the model is given: a kind, a file,
// or a file as one kind.
type Exclusion struct {
	Kind string `json:"kind,omitempty"` // empty: every kind
	Path string `json:"path,omitempty"` // absolute, links resolved; empty: every file
}

// Excluded tells that something is left out from here on, or no longer.
type Excluded struct {
	Exclusion
	On bool `json:"on"`
}

func (Excluded) isEvent() {}

// ErrNotExcludable says that something is always given.
var ErrNotExcludable = errors.New("this is always part of what the model is given")

// Check says what is wrong with an exclusion.
func (e Exclusion) Check() error {
	switch {
	case e == Exclusion{}:
		return errors.New("name a kind, a file or both")
	case e.Kind == "", slices.Contains(excludable, e.Kind), e.Kind == kindToolResult && e.Path != "":
		return nil
	}
	return fmt.Errorf("the kind %q: %w; what can be left out are %v", e.Kind, ErrNotExcludable, excludable)
}

// exclusions are all that hold. They are not changed, but made anew.
type exclusions []Exclusion

// is says whether something of that kind and source is left out.
func (x exclusions) is(kind, source string) bool {
	return slices.ContainsFunc(x, func(e Exclusion) bool {
		return (e.Kind == "" || e.Kind == kind) && (e.Path == "" || e.Path == source)
	})
}

// of is is for one kind.
func (x exclusions) of(kind string) func(path string) bool {
	return func(path string) bool { return x.is(kind, path) }
}

// with is x after the event.
func (x exclusions) with(e Excluded) exclusions {
	without := slices.DeleteFunc(slices.Clone(x), func(o Exclusion) bool { return o == e.Exclusion })
	if e.On {
		return append(without, e.Exclusion)
	}
	return without
}

// leftOut are the session's exclusions.
func (s *Session) leftOut() exclusions {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.left
}

// Exclude leaves something out of what the model is given from the next step
// on, or takes it back in. It holds as long as the session lives.
func (s *Session) Exclude(e Exclusion, on bool) error {
	if err := e.Check(); err != nil {
		return err
	}
	x := Excluded{e, on}
	if s.leftOut().has(e) == on {
		return nil
	}
	return s.change(func(*SessionInfo) { s.left = s.left.with(x) }, func(bool) Event { return x })
}

func (x exclusions) has(e Exclusion) bool { return slices.Contains(x, e) }
