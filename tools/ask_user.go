package tools

import (
	"context"
	_ "embed"
	"encoding/json"
	"slices"
	"strings"
)

//go:embed ask_user.md
var askUserText string // what the model reads about this tool

// Question is put to the user.
type Question struct {
	Header      string       `json:"header"` // a word or two
	Question    string       `json:"question"`
	Type        QuestionType `json:"type"`
	Options     []Choice     `json:"options,omitempty"`     // of a choice
	MultiSelect bool         `json:"multiSelect,omitempty"` // several options may be taken
	Placeholder string       `json:"placeholder,omitempty"` // shown where the answer goes
}

// QuestionType says how a question is answered.
type QuestionType string

// The types of questions.
const (
	ChoiceQuestion QuestionType = "choice"
	TextQuestion   QuestionType = "text"
	YesNoQuestion  QuestionType = "yesno"
)

// Choice is an answer that is offered.
type Choice struct {
	Label       string `json:"label"`
	Description string `json:"description"`
}

// Bounds of what is asked at once.
const (
	maxQuestions = 4
	maxChoices   = 4
	maxHeader    = 80      // bytes
	maxLabel     = 200     // bytes
	maxAsked     = 4 << 10 // bytes of any other text of a question
)

type askUser struct{}

// NewAskUser makes the tool that asks the user.
func NewAskUser() Tool { return askUser{} }

func (askUser) Spec() Spec {
	return Spec{Name: "ask_user", Display: "AskUser", Kind: Other, Description: askUserText, Schema: json.RawMessage(`{
	"type": "object",
	"properties": {
		"questions": {
			"type": "array",
			"minItems": 1,
			"maxItems": 4,
			"items": {
				"type": "object",
				"properties": {
					"header": {"type": "string", "description": "One or two words, such as \"Database\"."},
					"question": {"type": "string", "description": "The whole question."},
					"type": {"type": "string", "enum": ["choice", "text", "yesno"], "description": "How it is answered."},
					"options": {
						"type": "array",
						"description": "For choice: two to four answers. The user can also answer freely.",
						"items": {
							"type": "object",
							"properties": {
								"label": {"type": "string", "description": "The answer, in a few words."},
								"description": {"type": "string", "description": "What it means or costs."}
							},
							"required": ["label", "description"],
							"additionalProperties": false
						}
					},
					"multiSelect": {"type": "boolean", "description": "For choice: allow several."},
					"placeholder": {"type": "string", "description": "For text: an example answer."}
				},
				"required": ["header", "question", "type"],
				"additionalProperties": false
			}
		}
	},
	"required": ["questions"],
	"additionalProperties": false
}`)}
}

func (askUser) Prepare(_ context.Context, _ Env, raw json.RawMessage) (Action, error) {
	var args struct {
		Questions []Question `json:"questions"`
	}
	if err := Decode(raw, &args, "questions"); err != nil {
		return Action{}, err
	}
	if n := len(args.Questions); n < 1 || n > maxQuestions {
		return Action{}, Errorf(InvalidParams, "questions has %d entries; ask 1 to %d at once", n, maxQuestions)
	}
	var headers []string
	for i := range args.Questions {
		if err := args.Questions[i].check(i); err != nil {
			return Action{}, err
		}
		headers = append(headers, Shown(args.Questions[i].Header))
	}
	return Action{Title: "Ask: " + strings.Join(headers, ", "), Effect: Asks{args.Questions}}, nil
}

// check tidies the texts of the question at that place and says what is wrong.
func (q *Question) check(at int) error {
	wrong := func(format string, a ...any) error {
		return Errorf(InvalidParams, "questions[%d]"+format, append([]any{at}, a...)...)
	}
	q.Header, q.Question, q.Placeholder = plain(q.Header), plain(q.Question), plain(q.Placeholder)
	switch {
	case q.Header == "" || len(q.Header) > maxHeader:
		return wrong(".header must have 1 to %d bytes", maxHeader)
	case q.Question == "" || len(q.Question) > maxAsked:
		return wrong(".question must have 1 to %d bytes", maxAsked)
	case len(q.Placeholder) > maxAsked:
		return wrong(".placeholder must have at most %d bytes", maxAsked)
	}
	switch q.Type {
	case TextQuestion, YesNoQuestion:
		q.Options, q.MultiSelect = nil, false
		return nil
	case ChoiceQuestion:
	default:
		return wrong(".type is %q; it can be choice, text or yesno", q.Type)
	}
	if n := len(q.Options); n < 2 || n > maxChoices {
		return wrong(".options has %d entries; a choice has 2 to %d", n, maxChoices)
	}
	var labels []string
	for i := range q.Options {
		o := &q.Options[i]
		o.Label, o.Description = plain(o.Label), plain(o.Description)
		switch {
		case o.Label == "" || len(o.Label) > maxLabel:
			return wrong(".options[%d].label must have 1 to %d bytes", i, maxLabel)
		case len(o.Description) > maxAsked:
			return wrong(".options[%d].description must have at most %d bytes", i, maxAsked)
		case slices.Contains(labels, o.Label):
			return wrong(" offers %q twice", o.Label)
		}
		labels = append(labels, o.Label)
	}
	return nil
}

// plain is a text without space around it, and with line ends where a model
// wrote \n.
func plain(s string) string { return strings.TrimSpace(strings.ReplaceAll(s, `\n`, "\n")) }

// Answered tells the model what the user answered: the values given to each
// question, in the order of the questions. A question without a value was left
// open.
func Answered(a Asks, values [][]string) Result {
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
		return Unanswered()
	}
	out, err := json.Marshal(given)
	if err != nil {
		panic(err) // strings
	}
	return Result{Output: string(out), Display: strings.Join(display, "\n\n")}
}

// Unanswered tells the model that the user closed the questions.
func Unanswered() Result {
	return Result{
		Output:  "The user closed the questions without an answer. Do not ask the same again: go on as you judge best and say what you chose, or end your turn.",
		Display: "No answer.",
	}
}
