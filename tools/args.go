package tools

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"math"
	"reflect"
	"slices"
	"strconv"
	"strings"

	jsonv2 "github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// Decode reads the arguments of a call into a struct: names must be exactly
// those of its json tags, none twice, none unknown, values of the right type. A
// number or a truth value may be written as a string that is exactly that. A
// null is an argument that was not given. The error is an [*Error] of one line
// that names the argument.
func Decode(args json.RawMessage, into any, required ...string) error {
	if len(args) == 0 {
		args = json.RawMessage("{}")
	}
	var given map[string]jsontext.Value
	if err := jsonv2.Unmarshal(args, &given); err != nil {
		return badArgs(err, into)
	}
	for _, name := range required {
		if v, ok := given[name]; !ok || v.Kind() == 'n' {
			return missing(name, given, argumentNames(into))
		}
	}
	if err := jsonv2.Unmarshal(args, into, strictly); err != nil {
		return badArgs(err, into)
	}
	return nil
}

// missing returns the error for a required argument that was not given. It names
// those that were given and do not exist: one of them may be meant.
func missing(name string, given map[string]jsontext.Value, known []string) *Error {
	var unknown []string
	for g := range given {
		if !slices.Contains(known, g) {
			unknown = append(unknown, Shown(g))
		}
	}
	if len(unknown) == 0 {
		return Errorf(InvalidParams, "the argument %s is missing", name)
	}
	slices.Sort(unknown)
	return Errorf(InvalidParams, "the argument %s is missing, and there is no argument %s; the arguments are %s", name, strings.Join(unknown, ", "), strings.Join(known, ", "))
}

// strictly is how arguments are read.
var strictly = jsonv2.JoinOptions(
	jsonv2.RejectUnknownMembers(true),
	jsonv2.WithUnmarshalers(jsonv2.JoinUnmarshalers(jsonv2.UnmarshalFromFunc(wholeNumber), jsonv2.UnmarshalFromFunc(truth))),
)

var errNotWhole = errors.New("not a whole number")

// wholeNumber accepts 3.0, 3e0 and "3" for 3, as models write them.
func wholeNumber(d *jsontext.Decoder, n *int) error {
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
		return errNotWhole
	}
	f, err := strconv.ParseFloat(string(v), 64)
	if err != nil || f != math.Trunc(f) || math.Abs(f) > 1<<53 {
		return errNotWhole
	}
	*n = int(f)
	return nil
}

var errNotTruth = errors.New("neither true nor false")

// truth accepts "true" and "false" for true and false.
func truth(d *jsontext.Decoder, b *bool) error {
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
		return errNotTruth
	}
	return nil
}

// badArgs says what is wrong with the arguments.
func badArgs(err error, into any) error {
	var wrong *jsonv2.SemanticError
	var broken *jsontext.SyntacticError
	switch {
	case errors.As(err, &wrong):
		at := argument(wrong.JSONPointer)
		switch {
		case errors.Is(err, jsonv2.ErrUnknownName):
			return Errorf(InvalidParams, "there is no argument %s; the arguments are %s", at, strings.Join(argumentNames(into), ", "))
		case errors.Is(err, errNotWhole):
			return Errorf(InvalidParams, "%s must be a whole number", at)
		case errors.Is(err, errNotTruth):
			return Errorf(InvalidParams, "%s must be true or false", at)
		case wrong.GoType != nil && at != "":
			return Errorf(InvalidParams, "%s must be %s, not %s", at, wanted(wrong.GoType), found(wrong.JSONKind))
		}
		return Errorf(InvalidParams, "the arguments must be one JSON object, not %s", found(wrong.JSONKind))
	case errors.Is(err, jsontext.ErrDuplicateName) && errors.As(err, &broken):
		return Errorf(InvalidParams, "the argument %s is given twice", argument(broken.JSONPointer))
	case errors.As(err, &broken):
		return Errorf(InvalidParams, "the arguments are invalid JSON at byte %d: %v", broken.ByteOffset, broken.Err)
	}
	return Errorf(InvalidParams, "the arguments cannot be read: %v", err)
}

// argument writes a JSON pointer as people do: ignore[0].
func argument(p jsontext.Pointer) string {
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

func wanted(t reflect.Type) string {
	switch t.Kind() {
	case reflect.Pointer:
		return wanted(t.Elem())
	case reflect.String:
		return "a string"
	case reflect.Bool:
		return "true or false"
	case reflect.Int:
		return "a whole number"
	case reflect.Slice:
		return "a list"
	case reflect.Struct, reflect.Map:
		return "an object"
	}
	return t.String()
}

func found(k jsontext.Kind) string {
	switch k {
	case 'n':
		return "null"
	case 't', 'f':
		return "true or false"
	case '"':
		return "a string"
	case '0':
		return "a number"
	case '[':
		return "a list"
	case '{':
		return "an object"
	}
	return "this"
}

// argumentNames are the names that a struct of arguments has, sorted.
func argumentNames(into any) []string {
	names := map[string]bool{}
	for _, f := range reflect.VisibleFields(reflect.TypeOf(into).Elem()) {
		name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
		names[name] = true
	}
	return slices.Sorted(maps.Keys(names))
}
