package view

import (
	"math"
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/emendo-dev/emendo/tools"
)

// Problem says what is wrong with the answer to a field, and how it would be right.
type Problem struct {
	Field string `json:"field"`
	Text  Text   `json:"text"`
}

// Answers returns the values for each question of a form, in order, from those of its fields,
// or what is wrong with them.
func Answers(questions []tools.Question, values map[string][]string) (answers [][]string, problems []Problem) {
	for i, q := range questions {
		given := given(q, values[fieldID(i)])
		wrong := problemOf(q, given)
		if takesOther(q) && slices.ContainsFunc(values[fieldID(i)], isBlank) {
			wrong = new(say("problem.own")) // of one's own, and not written yet
		}
		if wrong != nil {
			problems = append(problems, Problem{fieldID(i), *wrong})
		}
		answers = append(answers, given)
	}
	return answers, problems
}

func isBlank(s string) bool { return strings.TrimSpace(s) == "" }

// given returns the values of an answer: choices in their order, then what the user wrote.
func given(q tools.Question, values []string) (l []string) {
	choices := choicesOf(q)
	for _, c := range choices {
		if slices.Contains(values, c.Value) {
			l = append(l, c.Value)
		}
	}
	for _, v := range values {
		if q.Type != tools.TextQuestion {
			v = strings.TrimSpace(v)
		}
		if strings.TrimSpace(v) != "" && !slices.ContainsFunc(choices, func(c Choice) bool { return c.Value == v }) {
			l = append(l, v)
		}
	}
	return l
}

// problemOf says what is wrong with the values of an answer; nil if they are right.
func problemOf(q tools.Question, values []string) *Text {
	if len(values) == 0 {
		if q.Required {
			return new(say("problem.required"))
		}
		return nil
	}
	if wrong := misfit(q, values); wrong != "" {
		return new(say(wrong))
	}
	n := float64(utf8.RuneCountInString(values[0]))
	switch kind := measured(q); kind {
	case "value":
		n, _ = strconv.ParseFloat(values[0], 64)
	case "choices":
		n = float64(len(values))
	}
	least, most := limitsOf(q)
	switch kind := "problem." + measured(q); {
	case least != nil && n < *least:
		return new(say(kind+"_least", "n", bound(*least), "given", bound(n)))
	case most != nil && n > *most:
		return new(say(kind+"_most", "n", bound(*most), "given", bound(n)))
	}
	return nil
}

// misfit returns the code of what is wrong with the form of values; empty if nothing is.
func misfit(q tools.Question, values []string) string {
	ok, wrong := true, ""
	switch q.Type {
	case tools.ChoiceQuestion, tools.YesNoQuestion:
		own := slices.DeleteFunc(slices.Clone(values), func(v string) bool {
			return slices.ContainsFunc(choicesOf(q), func(c Choice) bool { return c.Value == v })
		})
		switch {
		case len(own) > 0 && !takesOther(q), len(own) > 1:
			return "problem.choice"
		case !q.MultiSelect && len(values) > 1:
			return "problem.one_choice"
		}
		return ""
	case tools.NumberQuestion:
		ok, wrong = isNumber(values[0]), "problem.number"
	case tools.IntegerQuestion:
		ok, wrong = isInteger(values[0]), "problem.integer"
	case tools.URLQuestion:
		ok, wrong = isWebAddress(values[0]), "problem.url"
	case tools.TextQuestion:
		if f, known := formats[q.Format]; known {
			ok, wrong = f.fits(strings.TrimSpace(values[0])), f.problem
		}
	}
	switch {
	case len(values) > 1:
		return "problem.one_answer"
	case !ok:
		return wrong
	}
	return ""
}

// Malformed says why a text does not have a format; nil if it has, or the format is not known.
func Malformed(name, text string) *Text {
	f, known := formats[name]
	if !known || f.fits(strings.TrimSpace(text)) {
		return nil
	}
	return new(say(f.problem))
}

// format is one of those that JSON Schema has for the texts of a form. Others are taken as
// they are.
type format struct {
	hint, problem string // codes
	fits          func(string) bool
}

var formats = map[string]format{
	"url":       {"hint.url", "problem.url", isWebAddress},
	"email":     {"hint.email", "problem.email", emailForm.MatchString},
	"uri":       {"hint.uri", "problem.uri", isAddress},
	"date":      {"hint.date", "problem.date", func(s string) bool { return isTime(s, time.DateOnly) }},
	"date-time": {"hint.date_time", "problem.date_time", func(s string) bool { return isTime(s, time.RFC3339) }},
}

var (
	emailForm   = regexp.MustCompile(`^[^\s@]+@[^\s@]+\.[^\s@.]+$`)
	numberForm  = regexp.MustCompile(`^[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?$`)
	integerForm = regexp.MustCompile(`^[+-]?\d+$`)
)

func isNumber(s string) bool {
	f, err := strconv.ParseFloat(s, 64)
	return err == nil && numberForm.MatchString(s) && !math.IsInf(f, 0)
}

// mostInteger is the largest integer that every reader of JSON keeps as it is.
const mostInteger = 1<<53 - 1

func isInteger(s string) bool {
	n, err := strconv.ParseInt(s, 10, 64)
	return err == nil && integerForm.MatchString(s) && -mostInteger <= n && n <= mostInteger
}

func isWebAddress(s string) bool {
	u, err := url.Parse(s)
	return err == nil && (u.Scheme == "https" || u.Scheme == "http") && u.Host != "" && !strings.ContainsAny(s, " \t\n")
}

func isAddress(s string) bool {
	u, err := url.Parse(s)
	return err == nil && u.Scheme != "" && (u.Host != "" || u.Opaque != "" || u.Path != "") && !strings.ContainsAny(s, " \t\n")
}

func isTime(s, form string) bool {
	_, err := time.Parse(form, s)
	return err == nil
}

// Missing returns the problem of a field without a value; none if it has one.
func Missing(field, value string) []Problem {
	if strings.TrimSpace(value) != "" {
		return nil
	}
	return []Problem{{field, say("problem.required")}}
}
