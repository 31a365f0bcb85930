package remote

import (
	"encoding/json"
	"slices"
	"strings"

	"github.com/a2aproject/a2a-go/a2a"

	"github.com/emendo-dev/emendo/agent/frontend"
	"github.com/emendo-dev/emendo/internal/visible"
	"github.com/emendo-dev/emendo/tools"
)

// Limits of a question.
const (
	maxQuestion  = 16 << 10 // bytes of its text
	maxQuestions = 4        // at a time
	maxOptions   = 4        // to answer one
	maxName      = 200      // characters of an option, or of another short text
)

// A Question of a remote agent to the user.
type Question struct {
	Text string // the whole question
	// Options are the ways to answer whether the agent may do something; nil if
	// Questions are asked.
	Options   []frontend.Option
	Questions []tools.Question

	callID string // of emendo's, that needs approval
	plain  bool   // the agent reads text only
}

// An Answer is the user's answer. The zero value means that no user answers.
type Answer struct {
	Approval frontend.Answer // to a question with options
	Values   [][]string      // to each of the questions
	Declined bool            // the user refuses to answer them
}

// approvalData is how emendo asks for an approval, and elicitationData how it asks
// questions.
type (
	approvalData struct {
		Kind     string `json:"kind"`
		CallID   string `json:"callId"`
		Question string `json:"question"`
		Options  []struct {
			ID   string `json:"optionId"`
			Name string `json:"name"`
			Kind string `json:"kind"`
		} `json:"options"`
	}
	elicitationData struct {
		Kind      string           `json:"kind"`
		Questions []tools.Question `json:"questions"`
	}
)

// question returns what the message of a status asks.
func (a Agent) question(m *a2a.Message) Question {
	if m == nil {
		m = &a2a.Message{}
	}
	var texts []string
	var q Question
	for _, p := range m.Parts {
		switch p := p.(type) { //nolint:gocritic // the other parts ask nothing
		case a2a.TextPart:
			texts = append(texts, p.Text)
		case a2a.DataPart:
			q.readData(p.Data)
		}
	}
	if q.Text == "" {
		q.Text = strings.Join(texts, "\n")
	}
	q.Text = visible.Text(strings.ToValidUTF8(q.Text[:min(len(q.Text), maxQuestion)], ""))
	if strings.TrimSpace(q.Text) == "" {
		q.Text = "It needs more information, and does not say which."
	}
	if q.Options == nil && q.Questions == nil {
		q.plain = true
		q.Questions = []tools.Question{{Question: q.Text, Type: tools.TextQuestion}}
	}
	for i := range q.Questions {
		x := &q.Questions[i]
		x.Header = tools.ShownLine(a.Name, maxName)
		x.Question = "The remote agent " + x.Header + " asks: " + x.Question
	}
	return q
}

// readData takes the question from data of emendo's.
func (q *Question) readData(d map[string]any) {
	b, err := json.Marshal(d)
	if err != nil {
		return
	}
	var approval approvalData
	if json.Unmarshal(b, &approval) == nil && approval.Kind == "approval" {
		q.approval(approval)
		return
	}
	var asked elicitationData
	if json.Unmarshal(b, &asked) == nil && asked.Kind == "elicitation" && len(asked.Questions) <= maxQuestions {
		for _, x := range asked.Questions {
			q.Questions = append(q.Questions, plainQuestion(x))
		}
	}
}

// approval takes the options that apply once. Without one of each kind it is a
// question like any other.
func (q *Question) approval(d approvalData) {
	var l []frontend.Option
	has := map[frontend.OptionKind]bool{}
	for _, o := range d.Options {
		kind := frontend.OptionKind(o.Kind)
		if len(l) < maxOptions && (kind == frontend.AllowOnce || kind == frontend.RejectOnce) {
			l = append(l, frontend.Option{ID: o.ID, Name: tools.ShownLine(o.Name, maxName), Kind: kind})
			has[kind] = true
		}
	}
	if has[frontend.AllowOnce] && has[frontend.RejectOnce] {
		q.Text, q.Options, q.callID = d.Question, l, d.CallID
	}
}

// plainQuestion returns a question with nothing in it that a front end could not
// show.
func plainQuestion(x tools.Question) tools.Question {
	short := func(s string) string { return tools.ShownLine(s, maxName) }
	q := tools.Question{Question: visible.Text(visible.Short(x.Question, maxQuestion/4)), Type: x.Type, MultiSelect: x.MultiSelect, Placeholder: short(x.Placeholder)}
	for _, o := range x.Options[:min(len(x.Options), maxOptions)] {
		q.Options = append(q.Options, tools.Choice{Label: short(o.Label), Description: short(o.Description)})
	}
	q.Required = x.Required
	switch x.Type {
	case tools.YesNoQuestion:
	case tools.ChoiceQuestion:
		if len(q.Options) < 2 {
			q.Type, q.Options, q.MultiSelect = tools.TextQuestion, nil, false
		}
	case tools.NumberQuestion, tools.IntegerQuestion:
		q.Minimum, q.Maximum = x.Minimum, x.Maximum
	case tools.URLQuestion:
	case tools.TextQuestion:
		q.Format, q.MinLength, q.MaxLength = short(x.Format), x.MinLength, x.MaxLength
	default: // of a later version
		q.Type = tools.TextQuestion
	}
	return q
}

// reply returns the message that answers the question, and false if there is none
// to give. Nobody's answer rejects what needs approval.
func (q Question) reply(a Answer) (a2a.Part, bool) {
	switch {
	case q.Options != nil:
		said := a.Approval
		i := slices.IndexFunc(q.Options, func(o frontend.Option) bool { return o.ID == said.OptionID })
		if i < 0 {
			i = slices.IndexFunc(q.Options, func(o frontend.Option) bool { return o.Kind == frontend.RejectOnce })
		}
		return a2a.DataPart{Data: map[string]any{"callId": q.callID, "outcome": q.Options[i].ID, "feedback": said.Feedback}}, true
	case !q.plain && (a.Declined || len(a.Values) != len(q.Questions)):
		return a2a.DataPart{Data: map[string]any{"declined": true}}, true
	case !q.plain:
		return a2a.DataPart{Data: map[string]any{"values": a.Values}}, true
	case a.Declined || len(a.Values) == 0 || len(a.Values[0]) == 0:
		return nil, false
	}
	return a2a.TextPart{Text: strings.Join(a.Values[0], ", ")}, true
}
