package settings

import (
	"cmp"
	"reflect"
	"slices"
	"strings"
	"sync"

	"github.com/go-json-experiment/json/jsontext"
)

// A scope limits which layers may set a setting.
type scope int

const (
	// user excludes the project's files: a repository must not decide about
	// authority, endpoints and credentials.
	user scope = iota
	// anyone is every layer, a trusted project's files included.
	anyone
)

// A setting is one declared key. Its kind follows from the type of its field.
type setting struct {
	key   string
	doc   string // sentences for docs/settings.md
	scope scope
	// initial is the default: a string, int, float64 or bool; nil: the zero value.
	initial any

	oneOf       []string // the only strings, when not empty
	least, most float64  // bounds of a number, both included
	single      bool     // one string may stand for a list of it
	either      bool     // true and false may stand for the list of "*" and the empty one
	folders     bool     // a list of folders, of which a project names only its own
	joined      bool     // a list that adds to those of weaker layers instead of replacing them
	firm        bool     // a project sets it only where nobody else has
	projects    string   // the only value that a project sets; empty: any
	apart       bool     // what a project or an extension sets is kept apart, since it needs approval
	onMac       any      // the default on macOS, if it is another one
	each        bool     // an object whose members are checked one by one: an invalid one leaves the others in effect

	// object describes the content of an object, for example "an object: names
	// to models". Objects of stronger layers are merged into those of weaker
	// ones, recursively and by name; other values in them replace.
	object string
}

// A field of [Settings] may have a type that says more of its setting.
type (
	// checked has values that its Go type cannot exclude. The error is an [*innerError].
	checked interface{ check() error }
	// doubted returns a warning about a valid value that may not do what the user
	// meant; empty: none. key is that of the setting.
	doubted interface{ doubt(key string) string }
	// naming returns the names of models in the value.
	naming interface{ models() []string }
	// adding adds a layer's value to those of weaker layers. Others are merged.
	adding interface {
		add(value jsontext.Value, l layer)
	}
)

// field returns a pointer to the setting's field of s: to a kind of string, an int, float64,
// bool, list of strings, [Period] or [time.Duration], which is written as whole seconds, or,
// where object says what it is, to anything that JSON can be decoded into.
func (d setting) field(s *Settings) any {
	index, ok := places()[strings.ToLower(d.key)]
	if !ok {
		panic("settings: no field has the key " + d.key)
	}
	return reflect.ValueOf(s).Elem().FieldByIndex(index).Addr().Interface()
}

// places returns the index in [Settings] of the field of each key, in lower case. The key of
// a field is the names that lead to it, or that of its tag.
var places = sync.OnceValue(func() map[string][]int {
	all := map[string][]int{}
	var walk func(t reflect.Type, key string, index []int)
	walk = func(t reflect.Type, key string, index []int) {
		for i := range t.NumField() {
			f := t.Field(i)
			at := append(slices.Clip(index), i)
			name := strings.ToLower(cmp.Or(f.Tag.Get("key"), strings.TrimPrefix(key+"."+f.Name, ".")))
			all[name] = at
			if f.Type.Kind() == reflect.Struct && f.Tag.Get("json") != "-" {
				walk(f.Type, name, at)
			}
		}
	}
	walk(reflect.TypeFor[Settings](), "", nil)
	return all
})

// maxSeconds limits every wait to one day.
const maxSeconds = 24 * 60 * 60

// declared lists every setting, in the order of docs/settings.md.
var declared = slices.Concat(modelSettings, generalSettings, toolSettings, languageSettings, companionSettings, chatSettings, contextSettings, skillSettings, agentSettings, extensionSettings, hookSettings, mcpSettings, networkSettings, telemetrySettings, securitySettings, signInSettings)

// private lists prefixes of keys that a project's files never set, declared or
// not.
var private = []string{"security.", "tools.sandbox", "telemetry.", "policyPaths", "adminPolicyPaths", "proxy", "network."}

// lookup returns the setting with that key.
func lookup(key string) (setting, bool) {
	i := slices.IndexFunc(declared, func(d setting) bool { return d.key == key })
	if i < 0 {
		return setting{}, false
	}
	return declared[i], true
}

// elsewhere returns the first model that names a provider, and so decides where requests
// go, among those of a setting in otherwise zero settings, or "".
func (d setting) elsewhere(s *Settings) string {
	names := []string{s.Model.Name}
	if field, ok := d.field(s).(naming); ok {
		names = field.models()
	}
	for _, name := range names {
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
