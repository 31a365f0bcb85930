package settings

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/tailscale/hujson"
)

// kind names in words what a value has to be.
func (d setting) kind() string {
	if d.object != "" {
		return d.object
	}
	switch d.field(new(Settings)).(type) {
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

// assign puts value, which has been checked, into s.
func (d setting) assign(s *Settings, value any) {
	if d.object != "" {
		d.merge(s, value)
		return
	}
	switch field := d.field(s).(type) {
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
		if json.Unmarshal(raw, &n) != nil || float64(n) < d.least || float64(n) > d.most {
			return nil, wrong(fmt.Sprintf("%.100s", raw))
		}
		return n, nil
	case *float64:
		var x float64
		if value.Value.Kind() != '0' {
			return nil, wrong(jsonKind(value))
		}
		if json.Unmarshal(raw, &x) != nil || x < d.least || x > d.most {
			return nil, wrong(fmt.Sprintf("%.100s", raw))
		}
		return x, nil
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
		switch kind := value.Value.Kind(); {
		case d.either && kind == 't':
			return []string{"*"}, nil
		case d.either && kind == 'f':
			return []string{}, nil
		case kind != '[':
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
