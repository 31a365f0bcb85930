package form

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"reflect"
	"slices"
	"strings"

	"github.com/google/jsonschema-go/jsonschema"

	"github.com/emendo-dev/emendo/agent/view"
	"github.com/emendo-dev/emendo/internal/loopback"
	"github.com/emendo-dev/emendo/internal/visible"
	"github.com/emendo-dev/emendo/tools"
)

// Limits of a form, in fields, choices and bytes.
const (
	maxFields  = 20
	maxChoices = 50
	maxText    = 4 << 10
)

// A Form is a request of a server for the user's answers. The zero value is not useful.
type Form struct {
	server  string
	message string
	fields  []field
}

// field is one property of a form's schema.
type field struct {
	name     string
	required bool
	about    *jsonschema.Schema
	check    *jsonschema.Resolved
	labels   []string // of a choice, as the user reads them
	values   []any    // of a choice, as the server reads them
	several  bool
}

// New returns the form of a server's message and schema: an object whose properties
// are texts, numbers, true or false, or choices. The error says what is wrong with
// the schema, as a clause.
func New(server, message string, schema any) (Form, error) {
	f := Form{server: tools.ShownLine(server, 64), message: shown(message)}
	text, err := json.Marshal(schema)
	if err != nil {
		return f, err
	}
	var all *jsonschema.Schema
	if err := json.Unmarshal(text, &all); err != nil {
		return f, fmt.Errorf("its schema is invalid: %w", err)
	}
	if all == nil {
		return f, nil
	}
	if len(all.Properties) > maxFields {
		return f, fmt.Errorf("it has %d fields, more than %d", len(all.Properties), maxFields)
	}
	for name, about := range all.Properties {
		x := field{name: name, required: slices.Contains(all.Required, name), about: about}
		if err := x.prepare(); err != nil {
			return f, fmt.Errorf("its field %s is invalid: %w", tools.ShownLine(name, 64), err)
		}
		f.fields = append(f.fields, x)
	}
	slices.SortFunc(f.fields, func(a, b field) int {
		return cmp.Or(cmp.Compare(requiredOrder(all.Required, a.name), requiredOrder(all.Required, b.name)), cmp.Compare(a.name, b.name))
	})
	return f, nil
}

// requiredOrder returns the place of a field among the required ones; optional ones are last.
func requiredOrder(required []string, name string) int {
	if i := slices.Index(required, name); i >= 0 {
		return i
	}
	return len(required)
}

var errType = errors.New("want a text, a number, true or false, or a choice")

// prepare reads the choices of a field.
func (x *field) prepare() (err error) {
	if x.about == nil {
		return errType
	}
	of := x.about
	switch of.Type {
	case "string", "number", "integer", "boolean":
	case "array":
		if of = of.Items; of == nil {
			return errType
		}
		x.several = true
	default:
		return errType
	}
	for _, v := range of.Enum {
		x.choice(v, "")
	}
	for _, one := range slices.Concat(of.OneOf, of.AnyOf) {
		if one == nil || one.Const == nil {
			return errType
		}
		x.choice(*one.Const, one.Title)
	}
	x.title(of)
	if x.several && len(x.values) == 0 {
		return errType
	}
	if len(x.values) > maxChoices {
		return fmt.Errorf("it has more than %d choices", maxChoices)
	}
	x.check, err = x.about.Resolve(nil)
	return err
}

func (x *field) choice(value any, title string) {
	label := tools.ShownLine(cmp.Or(strings.TrimSpace(title), fmt.Sprint(value)), 200)
	if slices.Contains(x.labels, label) {
		label = fmt.Sprintf("%s (%d)", label, len(x.labels)+1)
	}
	x.values, x.labels = append(x.values, value), append(x.labels, label)
}

// title takes the titles of an enum in the form of older servers.
func (x *field) title(of *jsonschema.Schema) {
	names, _ := of.Extra["enumNames"].([]any)
	if len(names) != len(x.values) {
		return
	}
	values := x.values
	x.values, x.labels = nil, nil
	for i, v := range values {
		title, _ := names[i].(string)
		x.choice(v, title)
	}
}

// Questions returns the questions to the user, one for each field in order. The first
// begins with the server's message. wrong has what is wrong with an earlier answer by
// field; only those are asked then.
func (f Form) Questions(wrong map[int]error) []tools.Question {
	begin := fmt.Sprintf("The MCP server %s asks: %s", f.server, f.message)
	const end = "Your answer goes to this server."
	if len(f.fields) == 0 {
		return []tools.Question{{Header: f.server, Question: begin + "\n\n" + end, Type: tools.YesNoQuestion}}
	}
	var l []tools.Question
	for i, x := range f.fields {
		if wrong != nil && wrong[i] == nil {
			continue
		}
		q := x.question()
		if len(l) == 0 {
			q.Question = begin + "\n\n" + end + "\n\n" + q.Question
		}
		if err := wrong[i]; err != nil {
			q.Question = "That answer cannot be: " + tools.ShownLine(err.Error(), 300) + ".\n\n" + q.Question
		}
		l = append(l, q)
	}
	return l
}

func (x field) question() tools.Question {
	title := tools.ShownLine(cmp.Or(x.about.Title, x.name), 80)
	text := title
	if d := strings.TrimSpace(x.about.Description); d != "" {
		text += ": " + shown(d)
	}
	if !x.required {
		text += " (optional)"
	}
	s := x.about
	q := tools.Question{Header: title, Question: text, Type: tools.TextQuestion, Expected: tools.Expected{Required: x.required, Default: x.initial()}}
	switch {
	case len(x.labels) > 0:
		q.Type, q.MultiSelect = tools.ChoiceQuestion, x.several
		for _, l := range x.labels {
			q.Options = append(q.Options, tools.Choice{Label: l, Value: l})
		}
		if x.several {
			q.MinItems, q.MaxItems = s.MinItems, s.MaxItems
		}
	case s.Type == "boolean":
		q.Type = tools.YesNoQuestion
	case s.Type == "number", s.Type == "integer":
		q.Type, q.Minimum, q.Maximum = tools.QuestionType(s.Type), s.Minimum, s.Maximum
	default:
		q.MinLength, q.MaxLength = s.MinLength, s.MaxLength
		if q.Format = tools.ShownLine(s.Format, 40); webAddress(s) {
			q.Type, q.Format = tools.URLQuestion, ""
		}
	}
	return q
}

// webAddress reports whether a text must be an address of the web.
func webAddress(s *jsonschema.Schema) bool { return s.Format == "url" }

// initial returns the default answer as the user would give it, or nil
// if it is not valid.
func (x field) initial() any {
	var v any
	if len(x.about.Default) == 0 || json.Unmarshal(x.about.Default, &v) != nil || x.check.Validate(v) != nil {
		return nil
	}
	labels := func(values ...any) (l []string) {
		for _, v := range values {
			if i := slices.IndexFunc(x.values, func(have any) bool { return reflect.DeepEqual(have, v) }); i >= 0 {
				l = append(l, x.labels[i])
			}
		}
		return l
	}
	switch s, isText := v.(string); {
	case x.several:
		list, _ := v.([]any)
		if l := labels(list...); len(l) > 0 {
			return l
		}
	case len(x.labels) > 0:
		if l := labels(v); len(l) > 0 {
			return l[0]
		}
	case v == true:
		return "yes"
	case v == false:
		return "no"
	case !isText:
		return string(x.about.Default)
	case s != "" && len(s) <= maxText:
		return s
	}
	return nil
}

// Answers are the content for the server, collected over rounds of questions.
type Answers struct {
	Content map[string]any
	Wrong   map[int]error // what is wrong with answers, by field; nil if nothing is
}

// Answer adds the values that the user gave to the questions of [Form.Questions]. A
// form without fields is declined by no.
func (f Form) Answer(a *Answers, values [][]string) (declined bool) {
	if len(f.fields) == 0 {
		return len(values) == 0 || len(values[0]) == 0 || values[0][0] != "yes"
	}
	if a.Content == nil {
		a.Content = map[string]any{}
	}
	wrong := map[int]error{}
	n := 0
	for i, x := range f.fields {
		if a.Wrong != nil && a.Wrong[i] == nil {
			continue
		}
		var given []string
		if n < len(values) {
			given = values[n]
		}
		n++
		v, err := x.value(given)
		switch {
		case err != nil:
			wrong[i] = err
		case v != nil:
			a.Content[x.name] = v
		}
	}
	a.Wrong = nil
	if len(wrong) > 0 {
		a.Wrong = wrong
	}
	return false
}

// value returns what the server gets for the user's values; nil if a field that need
// not be filled was left open.
func (x field) value(given []string) (v any, err error) {
	given = slices.DeleteFunc(slices.Clone(given), func(s string) bool { return strings.TrimSpace(s) == "" })
	if len(given) == 0 {
		if x.required && len(x.about.Default) == 0 {
			return nil, errors.New("it must be answered")
		}
		return nil, nil
	}
	switch {
	case x.several:
		l := []any{}
		for _, g := range given {
			l = append(l, x.chosen(g))
		}
		v = l
	case len(x.labels) > 0:
		v = x.chosen(given[0])
	case x.about.Type == "boolean":
		v = given[0] == "yes" || given[0] == "true"
	case x.about.Type == "string":
		if wrong := view.Malformed(x.about.Format, given[0]); wrong != nil { // the library of schemas does not check formats
			return nil, errors.New(strings.TrimSuffix(wrong.Text, "."))
		}
		v = given[0]
	default:
		n := json.Number(strings.TrimSpace(given[0]))
		number, err := n.Float64()
		if err != nil {
			return nil, errors.New("want a number")
		}
		v = number
	}
	if err := x.check.Validate(v); err != nil {
		return nil, fmt.Errorf("%s", problem(err))
	}
	return v, nil
}

// chosen returns the value of a choice by its label. A text of the user's own stays
// as it is, and is wrong.
func (x field) chosen(label string) any {
	if i := slices.Index(x.labels, label); i >= 0 {
		return x.values[i]
	}
	return label
}

// problem returns the end of a validation error, which says what is wrong.
func problem(err error) string {
	parts := strings.Split(err.Error(), ": ")
	return strings.Join(parts[max(0, len(parts)-2):], ": ")
}

// shown returns a text of a server, bounded and without characters that hide others.
func shown(text string) string {
	return visible.Text(visible.Bounded(strings.TrimSpace(text), maxText, "…"))
}

// Address returns the question whether the user opens an address for a server. The
// error says why no user should be asked to, as a clause.
func Address(server, message, address string) (tools.Question, error) {
	u, err := url.Parse(address)
	if err != nil || u.Host == "" || u.User != nil || len(address) > maxText || bytes.ContainsFunc([]byte(address), func(r rune) bool { return r <= ' ' || r > '~' }) {
		return tools.Question{}, errors.New("it is not a plain web address")
	}
	if u.Scheme != "https" && (u.Scheme != "http" || !loopback.OnThisMachine(u.Hostname())) {
		return tools.Question{}, errors.New("it is not an https address")
	}
	server = tools.ShownLine(server, 64)
	return tools.Question{
		Header: server, Type: tools.YesNoQuestion,
		Question: fmt.Sprintf("The MCP server %s asks: %s\n\nIt wants you to open an address at %s in a browser:\n\n%s\n\nemendo does not open it. Open it only if you know why, and answer yes then.", server, shown(message), u.Host, address),
	}, nil
}
