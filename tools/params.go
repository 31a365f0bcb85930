package tools

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"sync"

	jsonv2 "github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"github.com/google/jsonschema-go/jsonschema"
)

// Params are the parameters of a tool: the fields of the struct T, from which
// come both the schema that the model is sent and the check of its arguments.
//
// The json tag of a field is the name of the parameter, which is required unless
// the tag has omitempty or omitzero. The jsonschema tag describes it. The tag
// enum lists the values of a string; the tags min and max bound a number, or the
// length of a list.
type Params[T any] struct {
	adjust []func(*jsonschema.Schema)
	once   sync.Once
	schema *jsonschema.Schema // it and text are built on first use
	text   json.RawMessage
}

// NewParams returns the parameters that T declares. adjust, if any, completes the
// schema.
func NewParams[T any](adjust ...func(*jsonschema.Schema)) *Params[T] {
	return &Params[T]{adjust: adjust}
}

func (p *Params[T]) build() {
	s, err := jsonschema.For[T](nil)
	if err != nil {
		panic(err) // T is not a struct of parameters
	}
	complete(s, reflect.TypeFor[T]())
	for _, f := range p.adjust {
		f(s)
	}
	text, err := json.Marshal(s)
	if err == nil {
		text, err = jsontext.AppendFormat(nil, text, jsontext.PreserveRawStrings(false)) // without HTML escapes
	}
	if err != nil {
		panic(err) // only what complete or adjust has set can be invalid
	}
	p.schema, p.text = s, text
}

// Schema returns the JSON schema of the arguments. It is the same each time:
// providers cache requests by their prefix.
func (p *Params[T]) Schema() json.RawMessage {
	p.once.Do(p.build)
	return p.text
}

// complete adds to the schema of a type what its fields' tags say, and removes
// null from the types: models and providers handle a list of types badly.
func complete(s *jsonschema.Schema, t reflect.Type) {
	if i := slices.Index(s.Types, "null"); i >= 0 && len(s.Types) == 2 {
		s.Type, s.Types = s.Types[1-i], nil
	}
	for t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	switch t.Kind() {
	case reflect.Slice:
		complete(s.Items, t.Elem())
	case reflect.Struct:
		for _, f := range reflect.VisibleFields(t) {
			name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
			field := s.Properties[name]
			complete(field, f.Type)
			if enum := f.Tag.Get("enum"); enum != "" {
				for v := range strings.SplitSeq(enum, ",") {
					field.Enum = append(field.Enum, v)
				}
			}
			least, most := bound(f, "min"), bound(f, "max")
			if field.Type == "array" {
				field.MinItems, field.MaxItems = least, most
			} else {
				field.Minimum, field.Maximum = float(least), float(most)
			}
		}
	}
}

func bound(f reflect.StructField, tag string) *int {
	text, ok := f.Tag.Lookup(tag)
	if !ok {
		return nil
	}
	n, err := strconv.Atoi(text)
	if err != nil {
		panic(fmt.Errorf("the tag %s of %s: %w", tag, f.Name, err))
	}
	return &n
}

func float(n *int) *float64 {
	if n == nil {
		return nil
	}
	return new(float64(*n))
}

// Decode reads the arguments of a call. Names must match exactly, none may be
// unknown or occur twice, and values must have the right type. A number or a
// boolean may be written as a string that is exactly that. A null counts as
// missing. An error is an [*Error] of one line that names the parameter and what
// was expected.
func (p *Params[T]) Decode(args json.RawMessage) (T, error) {
	var into, zero T
	p.once.Do(p.build)
	if err := decode(args, &into, p.schema.Required, p.schema.PropertyOrder); err != nil {
		return zero, err
	}
	if err := checkValue("", reflect.ValueOf(into), p.schema); err != nil {
		return zero, err
	}
	return into, nil
}

func decode(args json.RawMessage, into any, required, known []string) error {
	if len(args) == 0 {
		args = json.RawMessage("{}")
	}
	var given map[string]jsontext.Value
	if err := jsonv2.Unmarshal(args, &given); err != nil {
		return badArgs(err, known)
	}
	for _, name := range required {
		if v, ok := given[name]; !ok || v.Kind() == 'n' {
			return missing(name, given, known)
		}
	}
	if err := jsonv2.Unmarshal(args, into, strict); err != nil {
		return badArgs(err, known)
	}
	return nil
}

// missing returns the error for a required parameter without a value. It names
// unknown ones that were given instead: one of them may be meant.
func missing(name string, given map[string]jsontext.Value, known []string) *Error {
	var unknown []string
	for g := range given {
		if !slices.Contains(known, g) {
			unknown = append(unknown, Shown(g))
		}
	}
	if len(unknown) == 0 {
		return Errorf(InvalidParams, "invalid params: %s is required", name)
	}
	slices.Sort(unknown)
	return Errorf(InvalidParams, "invalid params: %s is required; unknown: %s; the parameters are %s", name, strings.Join(unknown, ", "), strings.Join(known, ", "))
}

// checkValue checks a value against the limits of its schema. A zero that may
// have been left out is not checked.
func checkValue(at string, v reflect.Value, s *jsonschema.Schema) error {
	switch v.Kind() {
	case reflect.Pointer:
		if !v.IsNil() {
			return checkValue(at, v.Elem(), s)
		}
	case reflect.Int:
		n := float64(v.Int())
		if s.Minimum != nil && n < *s.Minimum || s.Maximum != nil && n > *s.Maximum {
			return Errorf(InvalidParams, "invalid params: %s: expected %s, got %d", at, interval(s.Minimum, s.Maximum), v.Int())
		}
	case reflect.String:
		if len(s.Enum) > 0 && !slices.Contains(s.Enum, any(v.String())) {
			var values []string
			for _, v := range s.Enum {
				values = append(values, fmt.Sprint(v))
			}
			return Errorf(InvalidParams, "invalid params: %s: expected one of %s; got %q", at, strings.Join(values, ", "), v.String())
		}
	case reflect.Slice:
		if s.MinItems != nil && v.Len() < *s.MinItems || s.MaxItems != nil && v.Len() > *s.MaxItems {
			return Errorf(InvalidParams, "invalid params: %s: expected %s items, got %d", at, interval(float(s.MinItems), float(s.MaxItems)), v.Len())
		}
		for i := range v.Len() {
			if err := checkValue(fmt.Sprintf("%s[%d]", at, i), v.Index(i), s.Items); err != nil {
				return err
			}
		}
	case reflect.Struct:
		for _, f := range reflect.VisibleFields(v.Type()) {
			name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
			field := v.FieldByIndex(f.Index)
			if field.IsZero() && !slices.Contains(s.Required, name) {
				continue
			}
			if err := checkValue(strings.TrimPrefix(at+"."+name, "."), field, s.Properties[name]); err != nil {
				return err
			}
		}
	}
	return nil
}

// interval words the numbers from least to most, either of which may be nil.
func interval(least, most *float64) string {
	switch {
	case most == nil:
		return fmt.Sprintf("at least %v", *least)
	case least == nil:
		return fmt.Sprintf("at most %v", *most)
	}
	return fmt.Sprintf("%v to %v", *least, *most)
}

// strict are the options by which arguments are read.
var strict = jsonv2.JoinOptions(
	jsonv2.RejectUnknownMembers(true),
	jsonv2.WithUnmarshalers(jsonv2.JoinUnmarshalers(jsonv2.UnmarshalFromFunc(integer), jsonv2.UnmarshalFromFunc(boolean))),
)

var errNotInteger = errors.New("not an integer")

// integer accepts 3.0, 3e0 and "3" for 3, as models write them.
func integer(d *jsontext.Decoder, n *int) error {
	kind := d.PeekKind()
	if kind != '0' && kind != '"' {
		return errors.ErrUnsupported
	}
	v, err := d.ReadValue()
	if err != nil {
		return err
	}
	if kind == '"' {
		text := strings.Trim(string(v), `"`)
		if i, err := strconv.Atoi(text); err == nil && strconv.Itoa(i) == text {
			*n = i
			return nil
		}
		return errNotInteger
	}
	f, err := strconv.ParseFloat(string(v), 64)
	if err != nil || f != math.Trunc(f) || math.Abs(f) > 1<<53 {
		return errNotInteger
	}
	*n = int(f)
	return nil
}

var errNotBoolean = errors.New("neither true nor false")

// boolean accepts "true" and "false" for true and false.
func boolean(d *jsontext.Decoder, b *bool) error {
	if d.PeekKind() != '"' {
		return errors.ErrUnsupported
	}
	v, err := d.ReadValue()
	if err != nil {
		return err
	}
	switch string(v) {
	case `"true"`:
		*b = true
	case `"false"`:
		*b = false
	default:
		return errNotBoolean
	}
	return nil
}

// badArgs words an error of the JSON decoder.
func badArgs(err error, known []string) error {
	var wrong *jsonv2.SemanticError
	var broken *jsontext.SyntacticError
	switch {
	case errors.As(err, &wrong):
		at := paramPath(wrong.JSONPointer)
		switch {
		case errors.Is(err, jsonv2.ErrUnknownName):
			return Errorf(InvalidParams, "invalid params: unknown parameter %s; the parameters are %s", at, strings.Join(known, ", "))
		case errors.Is(err, errNotInteger):
			return Errorf(InvalidParams, "invalid params: %s: expected an integer", at)
		case errors.Is(err, errNotBoolean):
			return Errorf(InvalidParams, "invalid params: %s: expected true or false", at)
		case wrong.GoType != nil && at != "":
			return Errorf(InvalidParams, "invalid params: %s: expected %s, got %s", at, expected(wrong.GoType), kindName(wrong.JSONKind))
		}
		return Errorf(InvalidParams, "invalid params: expected one JSON object, got %s", kindName(wrong.JSONKind))
	case errors.Is(err, jsontext.ErrDuplicateName) && errors.As(err, &broken):
		return Errorf(InvalidParams, "invalid params: %s is given twice", paramPath(broken.JSONPointer))
	case errors.As(err, &broken):
		return Errorf(InvalidParams, "invalid params: invalid JSON at byte %d: %v", broken.ByteOffset, broken.Err)
	}
	return Errorf(InvalidParams, "invalid params: %v", err)
}

// paramPath writes a JSON pointer as in code: ignore[0].
func paramPath(p jsontext.Pointer) string {
	var s strings.Builder
	for token := range p.Tokens() {
		_, err := strconv.Atoi(token)
		switch {
		case err == nil && s.Len() > 0:
			fmt.Fprintf(&s, "[%s]", token)
		case s.Len() > 0:
			s.WriteString("." + Shown(token))
		default:
			s.WriteString(Shown(token))
		}
	}
	return s.String()
}

func expected(t reflect.Type) string {
	switch t.Kind() {
	case reflect.Pointer:
		return expected(t.Elem())
	case reflect.String:
		return "a string"
	case reflect.Bool:
		return "true or false"
	case reflect.Int:
		return "an integer"
	case reflect.Slice:
		return "an array"
	case reflect.Struct, reflect.Map:
		return "an object"
	}
	return t.String()
}

func kindName(k jsontext.Kind) string {
	switch k {
	case 'n':
		return "null"
	case 't', 'f':
		return "a boolean"
	case '"':
		return "a string"
	case '0':
		return "a number"
	case '[':
		return "an array"
	case '{':
		return "an object"
	}
	return "another value"
}
