package tools

import (
	"encoding/json"
	"testing"
)

// Front ends read questions in these words, and those without a form the hint.
func TestQuestionsForFrontEnds(t *testing.T) {
	n := func(x int) *int { return &x }
	f := func(x float64) *float64 { return &x }
	for _, tt := range []struct {
		q          Question
		wire, hint string
	}{
		{
			Question{Header: "H", Question: "Q?", Type: TextQuestion, Placeholder: "p"},
			`{"header":"H","question":"Q?","type":"text","placeholder":"p"}`, "",
		},
		{
			Question{Type: IntegerQuestion, Expected: Expected{Required: true, Default: "5", Minimum: f(1), Maximum: f(9)}},
			`{"header":"","question":"","type":"integer","required":true,"default":"5","minimum":1,"maximum":9}`, "(a whole number; 1 to 9; by default 5)",
		},
		{
			Question{Type: ChoiceQuestion, MultiSelect: true, Options: []Choice{{Label: "a", Value: "a"}}, Expected: Expected{Default: []string{"a"}, MinItems: n(1)}},
			`{"header":"","question":"","type":"choice","options":[{"label":"a","description":"","value":"a"}],"multiSelect":true,"default":["a"],"minItems":1}`,
			"(at least 1 of these; by default a)",
		},
		{
			Question{Type: TextQuestion, Expected: Expected{Format: "e\u202email", MaxLength: n(3)}},
			`{"header":"","question":"","type":"text","format":"e` + "\u202e" + `mail","maxLength":3}`, `(e\u202email; at most 3 characters)`,
		},
		{Question{Type: URLQuestion}, `{"header":"","question":"","type":"url"}`, "(a web address)"},
		{Question{Type: NumberQuestion, Expected: Expected{Maximum: f(0.5)}}, `{"header":"","question":"","type":"number","maximum":0.5}`, "(a number; at most 0.5)"},
	} {
		wire, err := json.Marshal(tt.q)
		if err != nil || string(wire) != tt.wire || tt.q.Hint() != tt.hint {
			t.Errorf("got  %s %s, %v\nwant %s %s", wire, tt.q.Hint(), err, tt.wire, tt.hint)
		}
	}
}
