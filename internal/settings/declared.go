package settings

import (
	"cmp"
	"math"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/tailscale/hujson"
)

// A setting is a field of [Settings]. The field's comment is its description in
// docs/settings.md, and the field's tags declare the rest.
type setting struct {
	key   string // tag key; without it the names of the groups and of the field
	index []int  // of the field
	// anyone is tag scope:"any": every layer may set it, a trusted project's files
	// included. Otherwise a project may not: a repository must not decide about
	// authority, endpoints and credentials.
	anyone bool
	// initial is tag default: a string, int, float64 or bool; nil: the zero value.
	initial any
	onMac   any // tag mac: the default on macOS, if it is another one

	oneOf       []string // tag values: the only strings, when not empty
	least, most float64  // tag range: bounds of a number, both included
	projects    string   // tag project: the only value that a project sets; empty: any

	// object is tag object. It describes the content of an object, for example "an
	// object: names to models". Objects of stronger layers are merged into those of
	// weaker ones, recursively and by name; other values in them replace.
	object string

	// These are the words of tag how.
	single  bool // one string may stand for a list of it
	either  bool // true and false may stand for the list of "*" and the empty one
	folders bool // a list of folders, of which a project names only its own
	joined  bool // a list that adds to those of weaker layers instead of replacing them
	firm    bool // a project sets it only where nobody else has
	apart   bool // what a project or an extension sets is kept apart, since it needs approval
	each    bool // an object whose members are checked one by one: an invalid one leaves the others in effect
}

// A field of [Settings] may have a type that says more of its setting.
type (
	// worded has the only values of the setting.
	worded interface{ words() []string }
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
	return reflect.ValueOf(s).Elem().FieldByIndex(d.index).Addr().Interface()
}

// declared returns every setting, in the order of docs/settings.md.
var declared = sync.OnceValue(func() []setting { return settingsIn(reflect.TypeFor[Settings](), "", nil) })

// settingsIn returns the settings of a group, which is a struct. A field without JSON is a
// part of another one's setting.
func settingsIn(group reflect.Type, prefix string, index []int) (l []setting) {
	for i := range group.NumField() {
		f := group.Field(i)
		key, at := cmp.Or(f.Tag.Get("key"), prefix+keyOf(f.Name)), append(slices.Clip(index), i)
		switch {
		case f.Tag.Get("json") == "-":
		case f.Type.Kind() == reflect.Struct:
			l = append(l, settingsIn(f.Type, key+".", at)...)
		default:
			l = append(l, newSetting(key, f, at))
		}
	}
	return l
}

// keyOf returns a name with its first word in lower case: MCPServers is mcpServers.
func keyOf(name string) string {
	upper := len(name) - len(strings.TrimLeft(name, "ABCDEFGHIJKLMNOPQRSTUVWXYZ"))
	if 1 < upper && upper < len(name) {
		upper-- // the next word begins with the last of them
	}
	return strings.ToLower(name[:upper]) + name[upper:]
}

func newSetting(key string, f reflect.StructField, index []int) setting {
	how := strings.Fields(f.Tag.Get("how"))
	is := func(word string) bool { return slices.Contains(how, word) }
	d := setting{
		key: key, index: index, anyone: f.Tag.Get("scope") == "any", object: f.Tag.Get("object"),
		oneOf: strings.Fields(f.Tag.Get("values")), projects: f.Tag.Get("project"),
		single: is("single"), either: is("either"), folders: is("folders"), joined: is("joined"), firm: is("firm"), apart: is("apart"), each: is("each"),
	}
	if field, ok := reflect.Zero(f.Type).Interface().(worded); ok {
		d.oneOf = field.words()
	}
	if least, most, ok := strings.Cut(f.Tag.Get("range"), ".."); ok {
		d.least, d.most = number(least), number(cmp.Or(most, strconv.Itoa(math.MaxInt32)))
	}
	d.initial, d.onMac = d.tagged(f.Tag.Get("default")), d.tagged(f.Tag.Get("mac"))
	return d
}

func number(text string) float64 {
	n, err := strconv.ParseFloat(text, 64)
	if err != nil {
		panic("settings: " + err.Error())
	}
	return n
}

// tagged returns the value that a tag has; nil if it is empty.
func (d setting) tagged(text string) any {
	if text == "" {
		return nil
	}
	if t := d.fieldType(); t.Kind() == reflect.String || t == period {
		text = strconv.Quote(text)
	}
	v, is := d.fitValue(hujson.Value{Value: hujson.Literal(text)}, []byte(text))
	if is != "" {
		panic("settings: the default of " + d.key + " is " + is)
	}
	return v
}

// private lists prefixes of keys that a project's files never set, declared or
// not.
var private = []string{"security.", "tools.sandbox", "telemetry.", "policyPaths", "adminPolicyPaths", "proxy", "network."}

// lookup returns the setting with that key.
func lookup(key string) (setting, bool) {
	i := slices.IndexFunc(declared(), func(d setting) bool { return d.key == key })
	if i < 0 {
		return setting{}, false
	}
	return declared()[i], true
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
	return slices.ContainsFunc(declared(), func(d setting) bool { return strings.HasPrefix(d.key, key+".") })
}

// isPrivate reports whether a project's files may not set key.
func isPrivate(key string) bool {
	if d, ok := lookup(key); ok && !d.anyone {
		return true
	}
	return slices.ContainsFunc(private, func(p string) bool { return strings.HasPrefix(key+".", p) })
}
