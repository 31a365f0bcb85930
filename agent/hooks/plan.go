package hooks

import (
	"cmp"
	"regexp"
	"slices"
	"strings"
)

// Plan is what one event starts.
type Plan struct {
	Hooks      []Hook
	Sequential bool // one after another, each told what those before it have changed
}

// Plan finds the hooks for an event, in the order in which they run. subject is
// the tool's name, or what set the event off; empty for other events. permit is
// asked about every hook that would run; one that it refuses does not stand in
// the way of another like it.
func (c Config) Plan(e Event, subject string, permit func(Hook) bool) Plan {
	var p Plan
	if c.Off {
		return p
	}
	all := slices.Clone(c.Hooks)
	slices.SortStableFunc(all, func(a, b Hook) int { return cmp.Compare(a.Source, b.Source) })
	planned := map[string]bool{}
	for _, h := range all {
		if h.Event != e || h.Command == "" || c.disabled(h) || planned[h.key()] || !h.matches(subject) {
			continue
		}
		if permit != nil && !permit(h) {
			continue
		}
		planned[h.key()] = true
		p.Hooks = append(p.Hooks, h)
		p.Sequential = p.Sequential || h.Sequential
	}
	return p
}

// matches says whether the hook's matcher is met. A tool's name is searched for
// a regular expression, as which a broken one stands for itself; what set an
// event off is one of the words that | divides.
func (h Hook) matches(subject string) bool {
	if h.Matcher == "" || h.Matcher == "*" {
		return true
	}
	switch {
	case h.Event.ofTool():
		re, err := regexp.Compile(h.Matcher)
		if err != nil {
			return h.Matcher == subject
		}
		return re.MatchString(subject)
	case h.Event.triggered():
		return slices.Contains(strings.Split(h.Matcher, "|"), subject)
	}
	return true
}
