package settings

import (
	"bytes"
	"errors"
	"fmt"

	"github.com/tailscale/hujson"
)

// A found value is one setting as a layer gives it.
type found struct {
	setting setting
	value   any // in the form of setting.initial
	offset  int // of the key, in bytes
}

// A mistake is what is wrong with a layer's text, and where.
type mistake struct {
	offset int // in bytes
	what   string
}

// A reading is what a layer's text says.
type reading struct {
	found   []found
	unknown []mistake // keys that nobody declared
	kept    []mistake // keys that a project may not set
	bad     []mistake // values that cannot be: wrong type, out of range, twice
}

// read parses text, JSON with comments and trailing commas, and looks up what
// it sets. Keys nest, or are written with dots, or both; a null counts as
// unset. The error is a *mistake where the text is no such JSON. With project,
// settings that are the user's alone are set apart in kept.
func read(text []byte, project bool) (reading, *mistake) {
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
	r := reader{start: start, project: project, seen: map[string]bool{}}
	r.object("", object)
	return r.reading, nil
}

var byteOrderMark = []byte("\xef\xbb\xbf")

// syntaxMistake takes the place out of hujson's error, which begins with it.
func syntaxMistake(text []byte, start int, err error) *mistake {
	var line, column int
	if _, scan := fmt.Sscanf(err.Error(), "hujson: line %d, column %d:", &line, &column); scan != nil {
		return &mistake{start, err.Error()}
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
	seen    map[string]bool
}

func (r *reader) object(group string, object *hujson.Object) {
	for _, member := range object.Members {
		name, _ := member.Name.Value.(hujson.Literal)
		key := name.String()
		if group != "" {
			key = group + "." + key
		}
		r.member(key, r.start+member.Name.StartOffset, member.Value)
	}
}

func (r *reader) member(key string, offset int, value hujson.Value) {
	d, isSetting := lookup(key)
	object, isObject := value.Value.(*hujson.Object)
	at := r.start + value.StartOffset
	switch {
	case value.Value.Kind() == 'n' || key == "$schema":
	case isObject && isGroup(key):
		r.object(key, object)
	case r.project && isPrivate(key):
		r.kept = append(r.kept, mistake{offset, fmt.Sprintf("%.100q is ignored: a project does not decide it; set it in your own settings", key)})
	case isGroup(key):
		r.bad = append(r.bad, mistake{at, fmt.Sprintf("%q must be an object in braces, not %s", key, jsonKind(value))})
	case !isSetting:
		r.unknown = append(r.unknown, mistake{offset, fmt.Sprintf("unknown setting %.100q is ignored: did you mean %q?", key, nearest(key))})
	case r.seen[key]:
		r.bad = append(r.bad, mistake{offset, fmt.Sprintf("%q is set twice: remove one of the two", key)})
	default:
		r.seen[key] = true
		var checked any
		var err error
		if d.object != "" {
			checked, err = r.checkObject(d, value)
		} else {
			checked, err = d.check(value)
		}
		if err != nil {
			m := mistake{at, err.Error()}
			if inner, ok := errors.AsType[*placedError](err); ok {
				m.offset = r.start + inner.offset
			}
			r.bad = append(r.bad, m)
			return
		}
		r.found = append(r.found, found{d, checked, offset})
	}
}
