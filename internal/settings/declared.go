package settings

import (
	"slices"
	"strings"
)

// A scope says which layers may set a setting.
type scope int

const (
	// anyone is every layer, a trusted project's files included.
	anyone scope = iota
	// user keeps the project's files out: what decides over authority,
	// endpoints and credentials is not for a repository to say.
	user
)

func (s scope) String() string {
	if s == user {
		return "user"
	}
	return "any"
}

// A setting is one declared key. Its kind follows from what field points at.
type setting struct {
	key   string
	doc   string // sentences for docs/settings.md
	scope scope
	// field is a *string, *int, *float64, *bool, *[]string, *Period, a
	// *time.Duration, which is written as whole seconds, or, where object says
	// what it is, anything that JSON can be decoded into.
	field func(*Settings) any
	// initial is the default: a string, int, float64, bool, []string, or nil
	// for an object, which is then empty.
	initial any

	oneOf       []string // the only strings, when not empty
	least, most float64  // bounds of a number, both included
	single      bool     // one string may stand for a list of it
	either      bool     // true and false may stand for the list of "*" and the empty one
	folders     bool     // a list of folders, of which a project names only its own
	joined      bool     // a list that adds to those of weaker layers instead of replacing them
	firm        bool     // a project sets it only where nobody else has

	// object says in words what an object holds, for example "an object: names
	// to models". Objects of stronger layers are merged into those of weaker
	// ones, name by name and as deep as they go; anything else in them replaces.
	object string
	// valid checks what types cannot say, after an object was decoded into
	// otherwise zero settings. The error is an [*innerError].
	valid func(*Settings) error
	// doubt, when not nil, says of a valid value what is perhaps not meant as it
	// is heeded; empty: nothing.
	doubt func(*Settings) string
	// models, when not nil, are the names of models that it gives.
	models func(*Settings) []string
	// add, when not nil, puts what a layer says to what weaker ones said.
	add func(s *Settings, value any, l layer)
}

// maxSeconds bounds every wait: one day.
const maxSeconds = 24 * 60 * 60

// declared is every setting there is, in the order of docs/settings.md.
var declared = slices.Concat(modelSettings, generalSettings, toolSettings, contextSettings, hookSettings, securitySettings)

// private are beginnings of keys that a project's files never set, whether a
// setting of that name is declared or not.
var private = []string{"security.", "tools.sandbox", "telemetry.", "policyPaths", "adminPolicyPaths", "proxy"}

// lookup finds the setting of that key.
func lookup(key string) (setting, bool) {
	i := slices.IndexFunc(declared, func(d setting) bool { return d.key == key })
	if i < 0 {
		return setting{}, false
	}
	return declared[i], true
}

// elsewhere is the first model of a value, which has been checked, that names its
// provider, and so where requests go; empty when there is none.
func (d setting) elsewhere(value any) string {
	if d.models == nil {
		return ""
	}
	var s Settings
	d.assign(&s, value)
	for _, name := range d.models(&s) {
		if strings.Contains(name, "/") || strings.HasPrefix(name, "replay:") {
			return name
		}
	}
	return ""
}

// isGroup reports whether settings are declared below key.
func isGroup(key string) bool {
	return slices.ContainsFunc(declared, func(d setting) bool { return strings.HasPrefix(d.key, key+".") })
}

// isPrivate reports whether a project's files may not set key.
func isPrivate(key string) bool {
	if d, ok := lookup(key); ok && d.scope == user {
		return true
	}
	return slices.ContainsFunc(private, func(p string) bool { return strings.HasPrefix(key+".", p) })
}
