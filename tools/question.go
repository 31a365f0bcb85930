package tools

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
