package hooks

import (
	"cmp"
	"regexp"
	"slices"
	"strings"
)

// plan finds the hooks for an event, in the order in which they would run, and
// whether they run one after another, each told what those before it have
// changed. subject is the tool's name, or what set the event off; empty for
// other events.
//
// Of hooks that are alike the strongest source's counts: a project's does not
// take the place of the user's with another time or another environment.
func (c Config) plan(e Event, subject string) (all []Hook, sequential bool) {
	if c.Off {
		return nil, false
	}
	for _, h := range c.Hooks {
		if h.Event == e && h.Command != "" && !c.disabled(h) && h.matches(subject) {
			all = append(all, h)
		}
	}
	slices.SortStableFunc(all, func(a, b Hook) int { return cmp.Compare(a.Source, b.Source) })
	strongest := map[string]Source{}
	for _, h := range all {
		strongest[h.key()] = h.Source // the order is theirs
	}
	all = slices.DeleteFunc(all, func(h Hook) bool { return h.Source < strongest[h.key()] })
	return all, slices.ContainsFunc(all, func(h Hook) bool { return h.Sequential })
}

// matches reports whether the hook's matcher is met. A tool's name is searched for
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
