package settings

import (
	"bytes"
	"errors"
	"fmt"
	"strings"

	"github.com/tailscale/hujson"
)

// A found value is one setting as a layer gives it.
type found struct {
	setting setting
	value   any // in the form of setting.initial
	offset  int // of the key, in bytes
}

// A mistake is a problem with a layer's text and its position.
type mistake struct {
	offset int // in bytes
	what   string
}

// A reading is the content of a layer's text.
type reading struct {
	found   []found
	keys    []string // of all settings, declared or not
	root    hujson.Value
	unknown []mistake // keys that nobody declared
	kept    []mistake // keys that are ignored with a warning in every layer, mostly those that a project may not set
	old     []mistake // keys that have another name now
	bad     []mistake // values that cannot be: wrong type, out of range, twice
	private []string  // keys, as they are written, that are in kept because a project does not decide them
}

// mostReported limits the reported mistakes of each kind. A file may have been
// written to have no end of them.
const mostReported = 20

// read parses text, JSON with comments and trailing commas, and looks up what
// it sets. Keys nest, or are written with dots, or both; a null counts as
// unset. The error is a *mistake where the text is no such JSON. With project,
// settings that are the user's alone are set apart in kept. Variables in
// strings are looked up in env, if there is one.
func read(text []byte, project bool, env func(string) string) (reading, *mistake) {
	start := 0
	if bytes.HasPrefix(text, byteOrderMark) {
		start = len(byteOrderMark)
	}
	if len(bytes.TrimSpace(text[start:])) == 0 {
		return reading{}, nil
	}
	root, err := hujson.Parse(text[start:])
	if err != nil {
		return reading{}, syntaxMistake(text, start, err)
	}
	object, ok := root.Value.(*hujson.Object)
	if !ok {
		return reading{}, &mistake{start + root.StartOffset, "settings must be an object in braces, not " + jsonKind(root)}
	}
	r := reader{start: start, project: project, env: env, seen: map[string]bool{}}
	r.root = root
	r.object("", object)
	for _, m := range r.olds {
		r.renamed(m)
	}
	return r.reading, nil
}

var byteOrderMark = []byte("\xef\xbb\xbf")

// syntaxMistake takes the place out of hujson's error, which begins with it.
func syntaxMistake(text []byte, start int, err error) *mistake {
	var line, column int
	if _, scan := fmt.Sscanf(err.Error(), "hujson: line %d, column %d:", &line, &column); scan != nil {
		return &mistake{start, "not valid JSON: " + strings.TrimPrefix(err.Error(), "hujson: ")}
	}
	offset := start
	for range line - 1 {
		offset += bytes.IndexByte(text[offset:], '\n') + 1
	}
	what := err.Error()
	if cause := errors.Unwrap(err); cause != nil {
		what = cause.Error()
	}
	return &mistake{offset + column - 1, "not valid JSON: " + what}
}

// A reader collects what an object sets, and the objects in it.
type reader struct {
	reading
	start   int // offset of what was parsed in the text
	project bool
	env     func(string) string
	seen    map[string]bool
	olds    []member // whose keys have another name now
}

// A member is a key with its value.
type member struct {
	key     string
	written string // as the file has it: key, or its old name
	offset  int    // of the key
	value   hujson.Value
}

// addMistake takes a mistake into a list, as long as that has room.
func (r *reader) addMistake(list *[]mistake, offset int, what func() string) {
	switch len(*list) {
	default:
		*list = append(*list, mistake{offset, what()})
	case mostReported:
		*list = append(*list, mistake{offset, "more problems like this are not listed: fix the others first"})
	case mostReported + 1:
	}
}

// ignore notes a member that a project does not decide.
func (r *reader) ignore(m member, why string) {
	r.addMistake(&r.kept, m.offset, func() string {
		return fmt.Sprintf("%.100q is ignored: %s; set it in your own settings", m.key, why)
	})
	r.private = append(r.private, m.written)
}

func (r *reader) object(group string, object *hujson.Object) {
	for _, m := range object.Members {
		name, _ := m.Name.Value.(hujson.Literal)
		key := name.String()
		if group != "" {
			key = group + "." + key
		}
		r.member(member{key, key, r.start + m.Name.StartOffset, m.Value})
	}
}

func (r *reader) member(m member) {
	d, isSetting := lookup(m.key)
	object, isObject := m.value.Value.(*hujson.Object)
	at := r.start + m.value.StartOffset
	if !(isObject && (isGroup(m.key) || isOldGroup(m.key))) && m.key != "$schema" {
		r.keys = append(r.keys, m.written)
	}
	switch {
	case m.value.Value.Kind() == 'n' || m.key == "$schema":
	case isObject && (isGroup(m.key) || isOldGroup(m.key)):
		r.object(m.key, object)
	case renamed[m.key] != "":
		r.olds = append(r.olds, m)
	case r.project && isPrivate(m.key):
		r.ignore(m, "a project does not decide it")
	case isGroup(m.key):
		r.addMistake(&r.bad, at, func() string { return fmt.Sprintf("%q must be an object in braces, not %s", m.key, jsonKind(m.value)) })
	case !isSetting && strings.HasPrefix(m.key, "hooks."): // a guard with a slip in its event's name guards nothing
		r.addMistake(&r.kept, m.offset, m.unknown)
	case !isSetting:
		r.addMistake(&r.unknown, m.offset, m.unknown)
	case r.seen[m.key]:
		r.addMistake(&r.bad, m.offset, func() string { return fmt.Sprintf("%q is set twice: remove one of the two", m.key) })
	default:
		r.seen[m.key] = true
		r.set(d, m)
	}
}

// unknown says that nobody declared the member.
func (m member) unknown() string {
	return fmt.Sprintf("unknown setting %.100q is ignored: did you mean %q?", m.key, nearest(m.key))
}

// set takes what a member sets, if it can be.
func (r *reader) set(d setting, m member) {
	value, err := r.value(d, m.value)
	if err != nil && d.each {
		value, err = r.members(d, m.value)
	}
	if err != nil {
		at := m.value.StartOffset
		if inner, ok := errors.AsType[*placedError](err); ok {
			at = inner.offset
		}
		r.addMistake(&r.bad, r.start+at, err.Error)
		return
	}
	var s Settings
	d.assign(&s, value)
	if name := d.elsewhere(&s); r.project && name != "" {
		r.ignore(m, fmt.Sprintf("a project does not choose the provider, as %.100q does", name))
		return
	}
	if field, ok := d.field(&s).(doubted); ok {
		if doubt := field.doubt(d.key); doubt != "" {
			r.addMistake(&r.kept, m.offset, func() string { return fmt.Sprintf("%q: %s", m.key, doubt) })
		}
	}
	r.found = append(r.found, found{d, value, m.offset})
}

// members checks an object whose members are checked one by one, and returns those
// that are valid. It notes what is wrong with the others. The error is about the
// object itself.
func (r *reader) members(d setting, value hujson.Value) (any, error) {
	object, ok := value.Value.(*hujson.Object)
	if !ok {
		return r.value(d, value)
	}
	unknown := r.unknown // noted when the whole object was checked
	valid := *object
	valid.Members = nil
	for _, m := range object.Members {
		one := hujson.Value{BeforeExtra: value.BeforeExtra, StartOffset: value.StartOffset, Value: &hujson.Object{Members: []hujson.ObjectMember{m}}, EndOffset: value.EndOffset}
		_, err := r.value(d, one)
		if err == nil {
			valid.Members = append(valid.Members, m)
			continue
		}
		at := m.Value.StartOffset
		if inner, ok := errors.AsType[*placedError](err); ok {
			at = inner.offset
		}
		r.addMistake(&r.bad, r.start+at, err.Error)
	}
	value.Value = &valid
	v, err := r.value(d, value)
	r.unknown = unknown
	return v, err
}

// renamed takes a setting under its old name, unless the new one is there too.
func (r *reader) renamed(m member) {
	old := m.written
	m.key = renamed[old]
	if r.seen[m.key] {
		r.addMistake(&r.old, m.offset, func() string {
			return fmt.Sprintf("%q is ignored: it is the old name of %q, which is set too", old, m.key)
		})
		return
	}
	r.addMistake(&r.old, m.offset, func() string { return fmt.Sprintf("%q is the old name of %q: rename it", old, m.key) })
	r.member(m)
}

// value checks a value, with variables put into its strings. What they stand
// for is not reported.
func (r *reader) value(d setting, value hujson.Value) (any, error) {
	check := d.check
	if d.object != "" {
		check = func(v hujson.Value) (any, error) { return r.checkObject(d, v) }
	}
	checked, err := check(expanded(value, r.env))
	_, placed := errors.AsType[*placedError](err)
	if err == nil || placed || r.env == nil || !bytes.ContainsRune(value.Pack(), '$') {
		return checked, err
	}
	if _, err := check(value); err != nil {
		return nil, err
	}
	return nil, fmt.Errorf("%q must be %s, which what its variables stand for is not", d.key, d.kind())
}
