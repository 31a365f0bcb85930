package settings

import (
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"github.com/tailscale/hujson"
)

// An innerError is what is wrong with one value inside an object, for
// [setting.valid].
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
// holds that the field has no place for is told as unknown and left out.
func (r *reader) checkObject(d setting, value hujson.Value) (any, error) {
	begins := hujson.Kind('{')
	if reflect.TypeOf(d.field(new(Settings))).Elem().Kind() == reflect.Slice {
		begins = '['
	}
	if value.Value.Kind() != begins {
		return nil, fmt.Errorf("%q must be %s, not %s", d.key, d.kind(), jsonKind(value))
	}
	fit := value.Clone()
	fit.Standardize()
	for {
		var s Settings
		err := json.Unmarshal(fit.Pack(), d.field(&s), json.RejectUnknownMembers(true))
		if e, ok := errors.AsType[*json.SemanticError](err); ok && errors.Is(err, json.ErrUnknownName) {
			r.leaveOut(d, value, &fit, e)
			continue
		}
		if err != nil {
			return nil, d.misfit(value, err)
		}
		if d.valid == nil {
			return jsontext.Value(fit.Pack()), nil
		}
		err = d.valid(&s)
		if e, ok := errors.AsType[*innerError](err); ok {
			return nil, &placedError{offsetOf(value, e.Names), fmt.Sprintf("%q %s", d.inner(e.Names), e.What)}
		}
		if err != nil {
			return nil, fmt.Errorf("%q: %w", d.key, err)
		}
		return jsontext.Value(fit.Pack()), nil
	}
}

// leaveOut takes the unknown member that e names out of fit and tells where in
// value it stands.
func (r *reader) leaveOut(d setting, value hujson.Value, fit *hujson.Value, e *json.SemanticError) {
	names := slices.Collect(e.JSONPointer.Tokens())
	what := fmt.Sprintf("unknown setting %.100q is ignored", d.inner(names))
	if like := nearestOf(names[len(names)-1], fieldNames(e.GoType)); like != "" {
		what += fmt.Sprintf(": did you mean %q?", like)
	}
	r.unknown = append(r.unknown, mistake{r.start + memberOf(value, e.JSONPointer).StartOffset, what})
	object := fit.Find(string(e.JSONPointer.Parent())).Value.(*hujson.Object) // only objects have members
	object.Members = slices.DeleteFunc(object.Members, isMember(e.JSONPointer.LastToken()))
}

// memberOf is the name of the last member of value that p points to.
func memberOf(value hujson.Value, p jsontext.Pointer) hujson.Value {
	is := isMember(p.LastToken())
	object := value.Find(string(p.Parent())).Value.(*hujson.Object)
	for _, m := range slices.Backward(object.Members) {
		if is(m) {
			return m.Name
		}
	}
	return value
}

func isMember(name string) func(hujson.ObjectMember) bool {
	return func(m hujson.ObjectMember) bool {
		l, ok := m.Name.Value.(hujson.Literal)
		return ok && l.String() == name
	}
}

// misfit says where in value something is of another type than d's field has
// there.
func (d setting) misfit(value hujson.Value, err error) error {
	if e, ok := errors.AsType[*jsontext.SyntacticError](err); ok && errors.Is(err, jsontext.ErrDuplicateName) {
		names := slices.Collect(e.JSONPointer.Tokens())
		return &placedError{memberOf(value, e.JSONPointer).StartOffset, fmt.Sprintf("%q is set twice: remove one of the two", d.inner(names))}
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
func (d setting) merge(s *Settings, value any) {
	if value == nil {
		return
	}
	field := d.field(s)
	have, err := json.Marshal(field, json.FormatNilSliceAsNull(true), json.FormatNilMapAsNull(true))
	if err == nil {
		reflect.ValueOf(field).Elem().SetZero()
		err = json.Unmarshal(have, field)
	}
	if err == nil {
		err = json.Unmarshal(value.(jsontext.Value), field)
	}
	if err != nil {
		panic("settings: " + d.key + ": " + err.Error())
	}
}
