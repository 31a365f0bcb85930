package tools

import (
	"fmt"
	"strings"
)

// A Question is put to the user.
type Question struct {
	Header      string       `json:"header"`
	Question    string       `json:"question"`
	Type        QuestionType `json:"type"`
	Options     []Choice     `json:"options,omitempty"`
	MultiSelect bool         `json:"multiSelect,omitempty"`
	Placeholder string       `json:"placeholder,omitempty"`
	Expected
}

// Expected says which answers a question takes, in the words of JSON Schema. The
// zero value takes all.
type Expected struct {
	Required bool `json:"required,omitempty"`
	// Default is the answer that the user starts with: a string, or a []string where
	// several can be chosen.
	Default   any      `json:"default,omitempty"`
	Format    string   `json:"format,omitempty"`
	Minimum   *float64 `json:"minimum,omitempty"` // of a number
	Maximum   *float64 `json:"maximum,omitempty"`
	MinLength *int     `json:"minLength,omitempty"` // of a text, in characters
	MaxLength *int     `json:"maxLength,omitempty"`
	MinItems  *int     `json:"minItems,omitempty"` // of choices
	MaxItems  *int     `json:"maxItems,omitempty"`
}

// QuestionType is how a question is answered.
type QuestionType string

// The types of questions. A client that does not know one takes it for text.
const (
	ChoiceQuestion  QuestionType = "choice"
	TextQuestion    QuestionType = "text"
	YesNoQuestion   QuestionType = "yesno"
	NumberQuestion  QuestionType = "number"
	IntegerQuestion QuestionType = "integer"
	URLQuestion     QuestionType = "url"
)

// A Choice is an answer to choose.
type Choice struct {
	Label       string `json:"label"`
	Description string `json:"description"`
	// Value is the answer in place of the label. With it there is no other
	// answer than those that are offered.
	Value string `json:"value,omitempty"`
}

// Hint says in parentheses which answers the question takes, for front ends without
// a form; empty if it takes all.
func (q Question) Hint() string {
	var l []string
	add := func(format string, a ...any) { l = append(l, fmt.Sprintf(format, a...)) }
	switch q.Type {
	case NumberQuestion:
		add("a number")
	case IntegerQuestion:
		add("a whole number")
	case URLQuestion:
		add("a web address")
	case TextQuestion, ChoiceQuestion, YesNoQuestion:
		if q.Format != "" {
			add("%s", ShownLine(q.Format, 40))
		}
	}
	limit := func(least, most string, unit string) {
		switch {
		case least != "" && most != "":
			add("%s to %s%s", least, most, unit)
		case least != "":
			add("at least %s%s", least, unit)
		case most != "":
			add("at most %s%s", most, unit)
		}
	}
	limit(written(q.Minimum), written(q.Maximum), "")
	limit(written(q.MinLength), written(q.MaxLength), " characters")
	limit(written(q.MinItems), written(q.MaxItems), " of these")
	switch d := q.Default.(type) {
	case string:
		add("by default %s", ShownLine(d, 100))
	case []string:
		add("by default %s", ShownLine(strings.Join(d, ", "), 100))
	}
	if len(l) == 0 {
		return ""
	}
	return "(" + strings.Join(l, "; ") + ")"
}

// written returns a bound, or "".
func written[T int | float64](n *T) string {
	if n == nil {
		return ""
	}
	return fmt.Sprint(*n)
}
