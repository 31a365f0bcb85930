package hooks

import (
	"cmp"
	"regexp"
	"slices"
	"strings"

	"github.com/emendo-dev/emendo/internal/settings"
)

// plan returns the hooks for an event in the order in which they run, and
// whether they run one after another, each with the changes of those before it.
// subject is the tool's name or what triggered the event; it is empty for other
// events. Hooks that match within, unless it is empty, are left out.
//
// Of duplicates, the one of the strongest source runs, so neither a project nor an
// extension can replace the user's hook by one with another timeout or environment.
func (c Config) plan(e Event, subject, within string) (all []Hook, sequential bool) {
	if c.Off {
		return nil, false
	}
	for _, h := range c.Hooks {
		if h.Event == e && h.Command != "" && !c.disabled(h) && h.matches(subject) && (within == "" || !h.matches(within)) {
			all = append(all, h)
		}
	}
	slices.SortStableFunc(all, func(a, b Hook) int { return cmp.Compare(a.order(), b.order()) })
	strongest := map[string]int{}
	for _, h := range all {
		strongest[h.key()] = max(strongest[h.key()], h.strength())
	}
	all = slices.DeleteFunc(all, func(h Hook) bool { return h.strength() < strongest[h.key()] })
	return all, slices.ContainsFunc(all, func(h Hook) bool { return h.Sequential })
}

// order is when a hook runs, by its source: a project's first.
func (h Hook) order() int {
	return slices.Index([]settings.Origin{settings.OfProject, settings.OfUser, settings.OfSystem, settings.OfExtension}, h.Source)
}

// strength orders hooks by which of them decides about duplicates.
func (h Hook) strength() int {
	if h.Source == settings.OfExtension {
		return 0
	}
	return h.order() + 1
}

// matches reports whether the hook's matcher matches. For tools it is a regular
// expression, or a plain name if it is not valid; for triggers it is a list of
// words separated by |.
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
