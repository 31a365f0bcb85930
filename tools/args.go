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
// those of its json tags, none twice, none unknown, values of the right type.
// A null is an argument that was not given. The error is an [*Error] of one
// line that names the argument.
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
			return Errorf(InvalidParams, "the argument %s is missing", name)
		}
	}
	if err := jsonv2.Unmarshal(args, into, strictly); err != nil {
		return badArgs(err, into)
	}
	return nil
}

// strictly is how arguments are read.
var strictly = jsonv2.JoinOptions(
	jsonv2.RejectUnknownMembers(true),
	jsonv2.WithUnmarshalers(jsonv2.UnmarshalFromFunc(wholeNumber)),
)

var errNotWhole = errors.New("not a whole number")

// wholeNumber takes 3.0 and 3e0 for 3: models count so.
func wholeNumber(d *jsontext.Decoder, n *int) error {
	if d.PeekKind() != '0' {
		return errors.ErrUnsupported
	}
	v, err := d.ReadValue()
	if err != nil {
		return err
	}
	f, err := strconv.ParseFloat(string(v), 64)
	if err != nil || f != math.Trunc(f) || math.Abs(f) > 1<<53 {
		return errNotWhole
	}
	*n = int(f)
	return nil
}

// badArgs puts what is wrong with the arguments in words for the model.
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
		case wrong.GoType != nil && at != "":
			return Errorf(InvalidParams, "%s must be %s, not %s", at, wanted(wrong.GoType), found(wrong.JSONKind))
		}
		return Errorf(InvalidParams, "the arguments must be one JSON object, not %s", found(wrong.JSONKind))
	case errors.Is(err, jsontext.ErrDuplicateName) && errors.As(err, &broken):
		return Errorf(InvalidParams, "the argument %s is given twice", argument(broken.JSONPointer))
	case errors.As(err, &broken):
		return Errorf(InvalidParams, "the arguments are no valid JSON at byte %d: %v", broken.ByteOffset, broken.Err)
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
