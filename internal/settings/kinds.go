package settings

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"reflect"
	"slices"
	"strings"
	"time"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/tailscale/hujson"
)

// words returns the values of a setting that is one of them.
func words[T ~string](values ...T) (l []string) {
	for _, v := range values {
		l = append(l, string(v))
	}
	return l
}

// fieldType returns the type of the setting's field.
func (d setting) fieldType() reflect.Type {
	return reflect.TypeFor[Settings]().FieldByIndex(d.index).Type
}

var period = reflect.TypeFor[Period]()

// kind describes the values that a setting accepts.
func (d setting) kind() string {
	t := d.fieldType()
	switch {
	case d.object != "":
		return d.object
	case len(d.oneOf) > 0:
		return "one of " + strings.Join(d.oneOf, ", ")
	case d.either:
		return "true, false or a list of strings"
	case t.Kind() == reflect.Slice:
		return "a list of strings"
	case t == period:
		return "a period such as 12h, 30d, 2w or 6m"
	case t.Kind() == reflect.Float64:
		return fmt.Sprintf("a number from %v to %v", d.least, d.most)
	case typeWords(t) != "a whole number":
		return typeWords(t)
	case d.most == math.MaxInt32:
		return fmt.Sprintf("a whole number, at least %.0f", d.least)
	}
	return fmt.Sprintf("a whole number from %.0f to %.0f", d.least, d.most)
}

// assign stores value, which has been checked, in s.
func (d setting) assign(s *Settings, value any) {
	if d.object != "" {
		d.merge(s, value.(jsontext.Value))
		return
	}
	field := reflect.ValueOf(d.field(s)).Elem()
	switch now := field.Interface().(type) {
	case Period:
		value, _ = parsePeriod(value.(string))
	case time.Duration:
		seconds := value.(int)
		value = time.Duration(seconds) * time.Second
	case []string:
		if d.joined {
			value = slices.Concat(now, value.([]string))
		}
	}
	if list, ok := value.([]string); ok {
		value = withoutRepeats(list)
	}
	field.Set(reflect.ValueOf(value).Convert(field.Type()))
}

func withoutRepeats(list []string) []string {
	var once []string
	for _, s := range list {
		if !slices.Contains(once, s) {
			once = append(once, s)
		}
	}
	return once
}

// check returns value in the form of d.initial, or as a list of strings. The error describes the expected
// value.
func (d setting) check(value hujson.Value) (any, error) {
	value = value.Clone()
	value.Standardize()
	v, is := d.fitValue(value, bytes.TrimSpace(value.Pack()))
	if is != "" {
		return nil, fmt.Errorf("%q must be %s, not %s", d.key, d.kind(), is)
	}
	return v, nil
}

// fitValue is check; is describes the actual value, and is empty if v fits.
func (d setting) fitValue(value hujson.Value, raw []byte) (v any, is string) {
	t := d.fieldType()
	switch t.Kind() { //nolint:exhaustive // the others are whole numbers
	case reflect.Slice:
		return d.fitList(value, raw)
	case reflect.Float64:
		return fitNumber[float64](d, value, raw)
	case reflect.String:
		return fitString(value, raw, func(s string) bool { return len(d.oneOf) == 0 || slices.Contains(d.oneOf, s) })
	case reflect.Bool:
		if kind := value.Value.Kind(); kind != 't' && kind != 'f' {
			return nil, jsonKind(value)
		}
		return value.Value.Kind() == 't', ""
	}
	if t == period {
		return fitString(value, raw, func(s string) bool { _, err := parsePeriod(s); return err == nil })
	}
	return fitNumber[int](d, value, raw)
}

func fitString(value hujson.Value, raw []byte, fits func(string) bool) (v any, is string) {
	var s string
	if json.Unmarshal(raw, &s) != nil {
		return nil, jsonKind(value)
	}
	if !fits(s) {
		return nil, fmt.Sprintf("%.100q", s)
	}
	return s, ""
}

func fitNumber[T int | float64](d setting, value hujson.Value, raw []byte) (v any, is string) {
	var n T
	switch {
	case value.Value.Kind() != '0':
		return nil, jsonKind(value)
	case json.Unmarshal(raw, &n) != nil || float64(n) < d.least || float64(n) > d.most:
		return nil, fmt.Sprintf("%.100s", raw)
	}
	return n, ""
}

func (d setting) fitList(value hujson.Value, raw []byte) (v any, is string) {
	switch kind := value.Value.Kind(); {
	case d.single && kind == '"':
		raw = slices.Concat([]byte("["), raw, []byte("]"))
	case d.either && kind == 't':
		return []string{"*"}, ""
	case d.either && kind == 'f':
		return []string{}, ""
	case kind != '[':
		return nil, jsonKind(value)
	}
	var elements []*string // a null in the list is not a string
	if json.Unmarshal(raw, &elements) != nil || slices.Contains(elements, nil) {
		return nil, "a list with something else in it"
	}
	list := []string{}
	for _, e := range elements {
		list = append(list, *e)
	}
	return list, ""
}

// jsonKind names the kind of a JSON value.
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
