package view

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/emendo-dev/emendo/agent/frontend"
	"github.com/emendo-dev/emendo/internal/visible"
	"github.com/emendo-dev/emendo/tools"
)

// The answers to a form.
const (
	FormAnswer  = "answer"  // with the values of its fields
	FormDecline = "decline" // the user does not want to answer
	FormCancel  = "cancel"  // it stays unanswered
)

// Questionnaire returns the questions of the model, an MCP server or emendo as one question with fields.
func Questionnaire(e frontend.Elicitation, a Asked) Question {
	q := Question{ID: a.ID, SessionID: e.SessionID, ItemID: e.CallID, Code: "form", Parts: []Part{}, Lines: []Line{}}
	switch {
	case e.Server != "":
		q.Title = say("ask.form_server", "server", e.Server)
	case e.CallID == "":
		q.Title = say("ask.form")
	default:
		q.Title = say("ask.form_model", "n", len(e.Questions))
	}
	q.Brief = q.Title
	if len(e.Questions) > 0 {
		first, more := briefOf(e.Questions[0].Question), len(e.Questions)-1
		switch {
		case e.Server != "": // the question says itself who asks
			q.Brief = say("ask.form_server_about", "about", first)
		case more > 0:
			q.Brief = say("ask.form_more", "title", q.Title.Text, "about", first)
		default:
			q.Brief = say("ask.form_about", "title", q.Title.Text, "about", first)
		}
	}
	for i, x := range e.Questions {
		q.Fields = append(q.Fields, FieldOf(x, fieldID(i)))
	}
	q.Options = []Action{
		{ID: FormAnswer, Title: say("option.answer"), Look: FormAnswer},
		{ID: FormDecline, Title: say("option.decline"), Detail: new(say("option.decline_detail")), Look: FormDecline},
		{ID: FormCancel, Title: say("option.cancel"), Detail: new(say("option.cancel_detail")), Look: FormCancel},
	}
	return q
}

// fieldID returns the ID of a field by its index in the form.
func fieldID(i int) string { return fmt.Sprintf("q%d", i+1) }

// briefOf returns the first paragraph of a text in one line.
func briefOf(text string) string {
	first, _, _ := strings.Cut(strings.TrimSpace(text), "\n\n")
	return visible.ShortLine(first, shownBrief)
}

// FieldOf returns a question of a form as a field with an ID.
func FieldOf(q tools.Question, id string) Field {
	f := Field{ID: id, Label: short(Text{Text: plain(q.Question)}, visible.Line(q.Header)), Hint: hintOf(q), Required: q.Required}
	switch q.Type {
	case tools.NumberQuestion, tools.IntegerQuestion:
		f.Type = "number"
	case tools.URLQuestion:
		f.Type = "url"
	case tools.ChoiceQuestion, tools.YesNoQuestion:
		f.Type, f.Choices, f.Many, f.Other = "choice", choicesOf(q), q.MultiSelect, takesOther(q)
	case tools.TextQuestion:
		f.Type = "text"
		if q.Format != "" {
			f.Type = "line"
		}
	default:
		f.Type = "text"
	}
	f.Values = defaultOf(q, f)
	return f
}

// choicesOf returns the answers to choose from; none where the answer is written.
func choicesOf(q tools.Question) (l []Choice) {
	if q.Type == tools.YesNoQuestion {
		return []Choice{{Value: "yes", Title: say("choice.yes")}, {Value: "no", Title: say("choice.no")}}
	}
	for _, o := range q.Options {
		c := Choice{Value: valueOf(o), Title: Text{Text: visible.Line(o.Label)}}
		if o.Description != "" {
			c.Detail = &Text{Text: plain(o.Description)}
		}
		l = append(l, c)
	}
	return l
}

// valueOf returns the answer that a choice is.
func valueOf(c tools.Choice) string {
	if c.Value != "" {
		return c.Value
	}
	return c.Label
}

// takesOther reports whether a text of the user's own answers a question, too.
func takesOther(q tools.Question) bool {
	return q.Type == tools.ChoiceQuestion && !slices.ContainsFunc(q.Options, func(c tools.Choice) bool { return c.Value != "" })
}

// defaultOf returns the values that a field begins with.
func defaultOf(q tools.Question, f Field) (l []string) {
	switch d := q.Default.(type) {
	case string:
		l = []string{d}
	case []string:
		l = slices.Clone(d)
	}
	l = slices.DeleteFunc(l, func(v string) bool {
		return v == "" || f.Type == "choice" && !f.Other && !slices.ContainsFunc(f.Choices, func(c Choice) bool { return c.Value == v })
	})
	if !f.Many && len(l) > 1 {
		l = l[:1]
	}
	return l
}

// hintOf says in one line which answers a question takes; nil if it takes all.
func hintOf(q tools.Question) *Text {
	var l []Text
	switch q.Type { //nolint:exhaustive // the others take any text, or show their choices
	case tools.NumberQuestion:
		l = append(l, say("hint.number"))
	case tools.IntegerQuestion:
		l = append(l, say("hint.integer"))
	case tools.URLQuestion:
		l = append(l, say("hint.url"))
	case tools.TextQuestion:
		if f, ok := formats[q.Format]; ok {
			l = append(l, say(f.hint))
		} else if q.Format != "" {
			l = append(l, say("hint.format", "format", q.Format))
		}
	}
	least, most := limitsOf(q)
	kind := "hint." + measured(q)
	switch {
	case least != nil && most != nil:
		l = append(l, say(kind+"_between", "least", bound(*least), "most", bound(*most)))
	case least != nil:
		l = append(l, say(kind+"_least", "n", bound(*least)))
	case most != nil:
		l = append(l, say(kind+"_most", "n", bound(*most)))
	}
	if q.Placeholder != "" {
		l = append(l, say("hint.example", "example", q.Placeholder))
	}
	if q.Required {
		l = append(l, say("hint.required"))
	}
	switch len(l) {
	case 0:
		return nil
	case 1:
		return &l[0]
	}
	all := make([]string, len(l))
	for i, t := range l {
		all[i] = t.Text
	}
	return new(say("hint.all", "hints", strings.Join(all, "; ")))
}

// measured says what the bounds of a question count: numbers, choices or characters.
func measured(q tools.Question) string {
	switch q.Type {
	case tools.NumberQuestion, tools.IntegerQuestion:
		return "value"
	case tools.ChoiceQuestion, tools.YesNoQuestion:
		return "choices"
	case tools.TextQuestion, tools.URLQuestion:
	}
	return "characters"
}

// limitsOf returns the bounds that count for the type of a question. A lower one of zero is no
// bound of texts and choices.
func limitsOf(q tools.Question) (least, most *float64) {
	count := func(n *int, orNone bool) *float64 {
		if n == nil || orNone && *n <= 0 {
			return nil
		}
		return new(float64(*n))
	}
	switch measured(q) {
	case "value":
		return q.Minimum, q.Maximum
	case "choices":
		if !q.MultiSelect {
			return nil, nil
		}
		return count(q.MinItems, true), count(q.MaxItems, false)
	}
	return count(q.MinLength, true), count(q.MaxLength, false)
}

// bound returns a number without an exponent. A whole one is the argument of a plural.
func bound(f float64) any {
	if f == float64(int(f)) {
		return int(f)
	}
	return strconv.FormatFloat(f, 'f', -1, 64)
}
