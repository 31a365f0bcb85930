package tools

// A Question is put to the user.
type Question struct {
	Header      string       `json:"header" jsonschema:"One or two words, such as \"Database\"."`
	Question    string       `json:"question" jsonschema:"The whole question."`
	Type        QuestionType `json:"type" enum:"choice,text,yesno" jsonschema:"How it is answered."`
	Options     []Choice     `json:"options,omitempty" jsonschema:"For choice: two to four answers. The user can also answer freely."`
	MultiSelect bool         `json:"multiSelect,omitempty" jsonschema:"For choice: allow several."`
	Placeholder string       `json:"placeholder,omitempty" jsonschema:"For text: an example answer."`
}

// QuestionType is how a question is answered.
type QuestionType string

// The types of questions.
const (
	ChoiceQuestion QuestionType = "choice"
	TextQuestion   QuestionType = "text"
	YesNoQuestion  QuestionType = "yesno"
)

// A Choice is an answer to choose.
type Choice struct {
	Label       string `json:"label" jsonschema:"The answer, in a few words."`
	Description string `json:"description" jsonschema:"What it means or costs."`
}
