package settings

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"time"

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
		checked, err := d.check(value)
		if err != nil {
			r.bad = append(r.bad, mistake{at, err.Error()})
			return
		}
		r.found = append(r.found, found{d, checked, offset})
	}
}

// check returns value in the form of d.initial. The error says what it has to
// be.
func (d setting) check(value hujson.Value) (any, error) {
	wrong := func(is string) error { return fmt.Errorf("%q must be %s, not %s", d.key, d.kind(), is) }
	value = value.Clone()
	value.Standardize()
	raw := bytes.TrimSpace(value.Pack())
	switch d.field(new(Settings)).(type) {
	case *string:
		var s string
		if json.Unmarshal(raw, &s) != nil {
			return nil, wrong(jsonKind(value))
		}
		if len(d.oneOf) > 0 && !slices.Contains(d.oneOf, s) {
			return nil, wrong(fmt.Sprintf("%.100q", s))
		}
		return s, nil
	case *Period:
		var s string
		if json.Unmarshal(raw, &s) != nil {
			return nil, wrong(jsonKind(value))
		}
		if _, err := parsePeriod(s); err != nil {
			return nil, wrong(fmt.Sprintf("%.100q", s))
		}
		return s, nil
	case *int, *time.Duration:
		var n int
		if value.Value.Kind() != '0' {
			return nil, wrong(jsonKind(value))
		}
		if json.Unmarshal(raw, &n) != nil || n < d.least || n > d.most {
			return nil, wrong(fmt.Sprintf("%.100s", raw))
		}
		return n, nil
	case *bool:
		var b bool
		if json.Unmarshal(raw, &b) != nil {
			return nil, wrong(jsonKind(value))
		}
		return b, nil
	case *[]string:
		if d.single && value.Value.Kind() == '"' {
			var s string
			err := json.Unmarshal(raw, &s)
			return []string{s}, err
		}
		if value.Value.Kind() != '[' {
			return nil, wrong(jsonKind(value))
		}
		var elements []*string // a null in the list is no string
		if json.Unmarshal(raw, &elements) != nil || slices.Contains(elements, nil) {
			return nil, wrong("a list with something else in it")
		}
		list := []string{}
		for _, e := range elements {
			list = append(list, *e)
		}
		return list, nil
	default:
		panic("settings: " + d.key + " has a field of unknown type")
	}
}

// jsonKind names what stands in the text.
func jsonKind(v hujson.Value) string {
	switch v.Value.Kind() {
	case '"':
		return "a string"
	case '0':
		return "a number"
	case 't', 'f':
		return "true or false"
	case '{':
		return "an object"
	case '[':
		return "a list"
	default:
		return "null"
	}
}
