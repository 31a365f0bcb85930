package tools

import (
	"encoding/json"
	"testing"
)

// Front ends read questions in these words.
func TestQuestionsForFrontEnds(t *testing.T) {
	n := func(x int) *int { return &x }
	f := func(x float64) *float64 { return &x }
	for _, tt := range []struct {
		q    Question
		wire string
	}{
		{
			Question{Header: "H", Question: "Q?", Type: TextQuestion, Placeholder: "p"},
			`{"header":"H","question":"Q?","type":"text","placeholder":"p"}`,
		},
		{
			Question{Type: IntegerQuestion, Expected: Expected{Required: true, Default: "5", Minimum: f(1), Maximum: f(9)}},
			`{"header":"","question":"","type":"integer","required":true,"default":"5","minimum":1,"maximum":9}`,
		},
		{
			Question{Type: ChoiceQuestion, MultiSelect: true, Options: []Choice{{Label: "a", Value: "a"}}, Expected: Expected{Default: []string{"a"}, MinItems: n(1)}},
			`{"header":"","question":"","type":"choice","options":[{"label":"a","description":"","value":"a"}],"multiSelect":true,"default":["a"],"minItems":1}`,
		},
		{
			Question{Type: TextQuestion, Expected: Expected{Format: "e\u202email", MaxLength: n(3)}},
			`{"header":"","question":"","type":"text","format":"e` + "\u202e" + `mail","maxLength":3}`,
		},
		{Question{Type: URLQuestion}, `{"header":"","question":"","type":"url"}`},
		{Question{Type: NumberQuestion, Expected: Expected{Maximum: f(0.5)}}, `{"header":"","question":"","type":"number","maximum":0.5}`},
	} {
		wire, err := json.Marshal(tt.q)
		if err != nil || string(wire) != tt.wire {
			t.Errorf("got  %s, %v\nwant %s", wire, err, tt.wire)
		}
	}
}
