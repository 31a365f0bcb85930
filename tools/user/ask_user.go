package user

import (
	"context"
	"encoding/json"
	"slices"
	"strings"

	"github.com/emendo-dev/emendo/tools"
)

// Limits of a call.
const (
	maxChoices = 4
	maxHeader  = 80      // bytes
	maxLabel   = 200     // bytes
	maxAsked   = 4 << 10 // bytes of any other text of a question
)

// AskUser is the tool that asks the user.
var AskUser = tools.Declare(tools.Spec{
	Name: "ask_user", Display: "AskUser", Kind: tools.Other,
	Similar: []string{"askuserquestion"}, FormerNames: []string{"AskUserTool"},
	Needs: tools.Needs{Questions: true}, NotForAgents: true, Lasting: true,
}, pages, tools.NewParams[askUserArgs](), prepareAskUser)

type askUserArgs struct {
	Questions []asked `json:"questions" min:"1" max:"4"`
}

// asked is a question as the model writes it.
type asked struct {
	Header      string             `json:"header" jsonschema:"One or two words, such as \"Database\"."`
	Question    string             `json:"question" jsonschema:"The whole question."`
	Type        tools.QuestionType `json:"type" enum:"choice,text,yesno" jsonschema:"How it is answered."`
	Options     []choice           `json:"options,omitempty" jsonschema:"For choice: two to four answers. The user can also answer freely."`
	MultiSelect bool               `json:"multiSelect,omitempty" jsonschema:"For choice: allow several."`
	Placeholder string             `json:"placeholder,omitempty" jsonschema:"For text: an example answer."`
}

// choice is an answer to choose.
type choice struct {
	Label       string `json:"label" jsonschema:"The answer, in a few words."`
	Description string `json:"description" jsonschema:"What it means or costs."`
}

func prepareAskUser(_ context.Context, _ tools.Env, args askUserArgs) (tools.Action, error) {
	var headers []string
	var asks tools.Asks
	for i := range args.Questions {
		q := &args.Questions[i]
		if err := check(q, i); err != nil {
			return tools.Action{}, err
		}
		headers = append(headers, tools.Shown(q.Header))
		out := tools.Question{Header: q.Header, Question: q.Question, Type: q.Type, MultiSelect: q.MultiSelect, Placeholder: q.Placeholder}
		for _, o := range q.Options {
			out.Options = append(out.Options, tools.Choice{Label: o.Label, Description: o.Description})
		}
		asks.Questions = append(asks.Questions, out)
	}
	return tools.Action{Title: "Ask: " + strings.Join(headers, ", "), Effect: asks}, nil
}

// check trims the texts of the question at that index and checks their limits.
func check(q *asked, at int) error {
	wrong := func(format string, a ...any) error {
		return tools.Errorf(tools.InvalidParams, "invalid params: questions[%d]"+format, append([]any{at}, a...)...)
	}
	q.Header, q.Question, q.Placeholder = plain(q.Header), plain(q.Question), plain(q.Placeholder)
	switch {
	case q.Header == "" || len(q.Header) > maxHeader:
		return wrong(".header: expected 1 to %d bytes", maxHeader)
	case q.Question == "" || len(q.Question) > maxAsked:
		return wrong(".question: expected 1 to %d bytes", maxAsked)
	case len(q.Placeholder) > maxAsked:
		return wrong(".placeholder: expected at most %d bytes", maxAsked)
	}
	if q.Type != tools.ChoiceQuestion {
		q.Options, q.MultiSelect = nil, false
		return nil
	}
	if n := len(q.Options); n < 2 || n > maxChoices {
		return wrong(".options: expected 2 to %d items, got %d", maxChoices, n)
	}
	var labels []string
	for i := range q.Options {
		o := &q.Options[i]
		o.Label, o.Description = plain(o.Label), plain(o.Description)
		switch {
		case o.Label == "" || len(o.Label) > maxLabel:
			return wrong(".options[%d].label: expected 1 to %d bytes", i, maxLabel)
		case len(o.Description) > maxAsked:
			return wrong(".options[%d].description: expected at most %d bytes", i, maxAsked)
		case slices.Contains(labels, o.Label):
			return wrong(".options: the label %q occurs twice", o.Label)
		}
		labels = append(labels, o.Label)
	}
	return nil
}

// plain trims a text and replaces a literal \n, as models write it, by a line end.
func plain(s string) string { return strings.TrimSpace(strings.ReplaceAll(s, `\n`, "\n")) }

// AnswerResult returns the user's answers for the model: the values for each question, in
// the order of the questions. A question without a value was not answered.
func AnswerResult(a tools.Asks, values [][]string) tools.Result {
	type answers struct {
		Answers map[string]string `json:"answers"`
	}
	given := answers{map[string]string{}}
	var display []string
	for i, q := range a.Questions {
		if i >= len(values) || strings.TrimSpace(strings.Join(values[i], "")) == "" {
			continue
		}
		text := strings.Join(values[i], ", ")
		given.Answers[string(rune('0'+i))] = text
		display = append(display, q.Header+": "+text)
	}
	if len(given.Answers) == 0 {
		return NoAnswerResult()
	}
	out, err := json.Marshal(given)
	if err != nil {
		panic(err) // strings
	}
	return tools.Result{Output: string(out), Display: strings.Join(display, "\n\n")}
}

// DeclinedResult returns the result for a user who refused to answer.
func DeclinedResult() tools.Result {
	return tools.Result{
		Output:  "The user declined to answer. Do not ask for this again, in these or other words: continue without it and say what you chose, or end your turn.",
		Display: "Declined.",
	}
}

// NoAnswerResult returns the result for a user who dismissed the questions.
func NoAnswerResult() tools.Result {
	return tools.Result{
		Output:  "The user closed the questions without answering. Do not ask them again: continue with your best judgement and say what you chose, or end your turn.",
		Display: "No answer.",
	}
}
