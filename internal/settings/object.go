package settings

import (
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"github.com/tailscale/hujson"

	"github.com/emendo-dev/emendo/internal/spelling"
)

// An innerError is a problem with one value inside an object, for
// [checked].
type innerError struct {
	Names []string // the way to the value, for example "fast", "temperature"
	What  string   // what it must be, for example "must be a number from 0 to 2"
}

func (e *innerError) Error() string { return strings.Join(e.Names, ".") + " " + e.What }

// A placedError is a mistake inside an object.
type placedError struct {
	offset int // in what was parsed
	what   string
}

func (e *placedError) Error() string { return e.what }

// checkObject returns value, an object or a list of them, as JSON that fits d's field. What it
// holds that the field has no place for is reported as unknown and left out.
func (r *reader) checkObject(d setting, value hujson.Value) (any, error) {
	begins := hujson.Kind('{')
	if d.fieldType().Kind() == reflect.Slice {
		begins = '['
	}
	if value.Value.Kind() != begins {
		return nil, fmt.Errorf("%q must be %s, not %s", d.key, d.kind(), jsonKind(value))
	}
	fit := value.Clone()
	r.leaveOut(d, nil, &fit, d.fieldType())
	fit.Standardize()
	var s Settings
	if err := json.Unmarshal(fit.Pack(), d.field(&s), json.RejectUnknownMembers(true)); err != nil {
		return nil, d.misfit(value, err)
	}
	if field, ok := d.field(&s).(checked); ok {
		if e, wrong := errors.AsType[*innerError](field.check()); wrong {
			return nil, &placedError{offsetOf(value, e.Names), fmt.Sprintf("%q %s", d.inner(e.Names), e.What)}
		}
	}
	return jsontext.Value(fit.Pack()), nil
}

// leaveOut takes out of a value, to which names lead, the members that a Go type
// has no field for, and notes them.
func (r *reader) leaveOut(d setting, names []string, value *hujson.Value, t reflect.Type) {
	for t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	switch v := value.Value.(type) {
	case *hujson.Array:
		for i := range v.Elements {
			if t.Kind() == reflect.Slice {
				r.leaveOut(d, append(slices.Clip(names), strconv.Itoa(i)), &v.Elements[i], t.Elem())
			}
		}
	case *hujson.Object:
		v.Members = slices.DeleteFunc(v.Members, func(m hujson.ObjectMember) bool {
			l, _ := m.Name.Value.(hujson.Literal)
			at := append(slices.Clip(names), l.String())
			inner, known := memberOfType(t, l.String())
			if !known {
				r.addMistake(&r.unknown, r.start+m.Name.StartOffset, func() string { return d.unknown(at, t) })
			} else if inner != nil {
				r.leaveOut(d, at, &m.Value, inner)
			}
			return !known
		})
	}
}

// memberOfType is the Go type of what an object holds under a name; nil where
// the object itself does not fit, of which others tell.
func memberOfType(t reflect.Type, name string) (inner reflect.Type, known bool) {
	switch t.Kind() { //nolint:exhaustive // the others are no objects
	case reflect.Map:
		return t.Elem(), true
	case reflect.Struct:
		for i := range t.NumField() {
			if jsonName(t.Field(i)) == name {
				return t.Field(i).Type, true
			}
		}
		return nil, false
	}
	return nil, true
}

// unknown says of a member, to which names lead, that a struct has no field for
// it.
func (d setting) unknown(names []string, t reflect.Type) string {
	what := fmt.Sprintf("unknown setting %.100q is ignored", d.inner(names))
	if like, _ := spelling.Nearest(names[len(names)-1], fieldNames(t)); like != "" {
		what += fmt.Sprintf(": did you mean %q?", like)
	}
	return what
}

// lastName is where the name of the last member of value that p points to begins.
func lastName(value hujson.Value, p jsontext.Pointer) int {
	for _, m := range slices.Backward(value.Find(string(p.Parent())).Value.(*hujson.Object).Members) {
		if l, ok := m.Name.Value.(hujson.Literal); ok && l.String() == p.LastToken() {
			return m.Name.StartOffset
		}
	}
	return value.StartOffset
}

// misfit says where in value something is of another type than d's field has
// there.
func (d setting) misfit(value hujson.Value, err error) error {
	if e, ok := errors.AsType[*jsontext.SyntacticError](err); ok && errors.Is(err, jsontext.ErrDuplicateName) {
		names := slices.Collect(e.JSONPointer.Tokens())
		return &placedError{lastName(value, e.JSONPointer), fmt.Sprintf("%q is set twice: remove one of the two", d.inner(names))}
	}
	e, ok := errors.AsType[*json.SemanticError](err)
	if !ok {
		return fmt.Errorf("%q must be %s: %w", d.key, d.kind(), err)
	}
	names := slices.Collect(e.JSONPointer.Tokens())
	must := typeWords(e.GoType)
	what := fmt.Sprintf("%q must be %s", d.inner(names), must)
	if at := value.Find(string(e.JSONPointer)); at != nil {
		is := jsonKind(*at)
		if is == "a number" && strings.HasSuffix(must, "number") {
			is = fmt.Sprintf("%.100s", at.Value)
		}
		what += ", not " + is
	}
	return &placedError{offsetOf(value, names), what}
}

// inner is the key of what stands inside d's object.
func (d setting) inner(names []string) string {
	return strings.Join(append([]string{d.key}, names...), ".")
}

// offsetOf is where the value that names lead to begins; value's own beginning
// when there is none.
func offsetOf(value hujson.Value, names []string) int {
	var p jsontext.Pointer
	for _, n := range names {
		p = p.AppendToken(n)
	}
	if at := value.Find(string(p)); at != nil {
		return at.StartOffset
	}
	return value.StartOffset
}

// fieldNames are the JSON names of a struct's fields.
func fieldNames(t reflect.Type) []string {
	if t == nil || t.Kind() != reflect.Struct {
		return nil
	}
	var names []string
	for i := range t.NumField() {
		if name := jsonName(t.Field(i)); name != "" {
			names = append(names, name)
		}
	}
	return names
}

// jsonName is the name in the field's tag, empty without one.
func jsonName(f reflect.StructField) string {
	name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
	return strings.TrimPrefix(name, "-")
}

// typeWords says what JSON a Go type is written as.
func typeWords(t reflect.Type) string {
	if t == nil {
		return "something else"
	}
	switch t.Kind() {
	case reflect.Pointer:
		return typeWords(t.Elem())
	case reflect.String:
		return "a string"
	case reflect.Bool:
		return "true or false"
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64,
		reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64:
		return "a whole number"
	case reflect.Float32, reflect.Float64:
		return "a number"
	case reflect.Slice, reflect.Array:
		return "a list"
	default:
		return "an object"
	}
}

// merge puts value, which has been checked, over what s holds. Nothing that s
// shares with other settings changes: the field is decoded afresh.
func (d setting) merge(s *Settings, value jsontext.Value) {
	field := d.field(s)
	have, err := json.Marshal(field, json.FormatNilSliceAsNull(true), json.FormatNilMapAsNull(true))
	if err == nil {
		reflect.ValueOf(field).Elem().SetZero()
		err = json.Unmarshal(have, field)
	}
	if err == nil {
		err = json.Unmarshal(value, field)
	}
	if err != nil {
		panic("settings: " + d.key + ": " + err.Error())
	}
}

// decoded decodes a value that has been checked.
func decoded[T any](value jsontext.Value) (v T) {
	if err := json.Unmarshal(value, &v); err != nil {
		panic("settings: " + err.Error())
	}
	return v
}
