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

	"github.com/tailscale/hujson"
)

// kind describes the values that a setting accepts.
func (d setting) kind() string {
	if d.object != "" {
		return d.object
	}
	switch d.at(new(Settings)).(type) {
	case *string:
		if len(d.oneOf) > 0 {
			return "one of " + strings.Join(d.oneOf, ", ")
		}
		return "a string"
	case *Period:
		return "a period such as 12h, 30d, 2w or 6m"
	case *int, *time.Duration:
		if d.most == math.MaxInt32 {
			return fmt.Sprintf("a whole number, at least %.0f", d.least)
		}
		return fmt.Sprintf("a whole number from %.0f to %.0f", d.least, d.most)
	case *float64:
		return fmt.Sprintf("a number from %v to %v", d.least, d.most)
	case *bool:
		return "true or false"
	case *[]string:
		if d.either {
			return "true, false or a list of strings"
		}
		return "a list of strings"
	default:
		panic("settings: " + d.key + " has a field of unknown type")
	}
}

// at returns the field of s, one whose type is a kind of string as a *string.
func (d setting) at(s *Settings) any {
	field := reflect.ValueOf(d.field(s))
	if field.Elem().Kind() == reflect.String {
		return field.Convert(reflect.TypeFor[*string]()).Interface()
	}
	return field.Interface()
}

// assign stores value, which has been checked, in s.
func (d setting) assign(s *Settings, value any) {
	if d.object != "" {
		d.merge(s, value)
		return
	}
	switch field := d.at(s).(type) {
	case *string:
		*field = value.(string)
	case *Period:
		period, err := parsePeriod(value.(string))
		if err != nil {
			panic("settings: " + d.key + ": " + err.Error())
		}
		*field = period
	case *int:
		*field = value.(int)
	case *float64:
		*field = value.(float64)
	case *bool:
		*field = value.(bool)
	case *time.Duration:
		seconds := value.(int)
		*field = time.Duration(seconds) * time.Second
	case *[]string:
		list := value.([]string)
		if d.joined {
			list = slices.Concat(*field, list)
		}
		*field = withoutRepeats(list)
	default:
		panic("settings: " + d.key + " has a field of unknown type")
	}
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

// check returns value in the form of d.initial. The error describes the expected
// value.
func (d setting) check(value hujson.Value) (any, error) {
	value = value.Clone()
	value.Standardize()
	v, is := d.fit(value, bytes.TrimSpace(value.Pack()))
	if is != "" {
		return nil, fmt.Errorf("%q must be %s, not %s", d.key, d.kind(), is)
	}
	return v, nil
}

// fit is check; is describes the actual value, and is empty if v fits.
func (d setting) fit(value hujson.Value, raw []byte) (v any, is string) {
	switch d.at(new(Settings)).(type) {
	case *string, *Period:
		return d.fitString(value, raw)
	case *int, *time.Duration:
		return fitNumber[int](d, value, raw)
	case *float64:
		return fitNumber[float64](d, value, raw)
	case *bool:
		var b bool
		if json.Unmarshal(raw, &b) != nil {
			return nil, jsonKind(value)
		}
		return b, ""
	case *[]string:
		return d.fitList(value, raw)
	default:
		panic("settings: " + d.key + " has a field of unknown type")
	}
}

func (d setting) fitString(value hujson.Value, raw []byte) (v any, is string) {
	var s string
	if json.Unmarshal(raw, &s) != nil {
		return nil, jsonKind(value)
	}
	good := len(d.oneOf) == 0 || slices.Contains(d.oneOf, s)
	if _, period := d.at(new(Settings)).(*Period); period {
		_, err := parsePeriod(s)
		good = err == nil
	}
	if !good {
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
