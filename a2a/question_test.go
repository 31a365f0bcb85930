package a2a

import (
	"reflect"
	"strings"
	"testing"

	"github.com/a2aproject/a2a-go/a2a"

	"github.com/emendo-dev/emendo/agent/frontend"
	"github.com/emendo-dev/emendo/tools"
)

func message(parts ...a2a.Part) *a2a.Message {
	return a2a.NewMessage(a2a.MessageRoleUser, parts...)
}

func text(s string) *a2a.Message { return message(a2a.TextPart{Text: s}) }

func data(d map[string]any) *a2a.Message { return message(a2a.DataPart{Data: d}) }

func TestApprovalAnswers(t *testing.T) {
	q := newApproval(frontend.Question{Call: frontend.CallInfo{CallID: "c1"}, Options: []frontend.Option{
		{ID: "once", Kind: frontend.AllowOnce}, {ID: "always", Kind: frontend.AllowAlways}, {ID: "no", Kind: frontend.RejectOnce}, {ID: "never", Kind: frontend.RejectAlways},
	}})
	tests := []struct {
		message *a2a.Message
		want    frontend.Answer // zero: it is no answer
	}{
		{text("allow"), frontend.Answer{OptionID: "once"}},
		{text(" Allow.\n"), frontend.Answer{OptionID: "once"}},
		{text("allow it, please"), frontend.Answer{OptionID: "once"}},
		{text("reject"), frontend.Answer{OptionID: "no"}},
		{text("Reject: use npm ci"), frontend.Answer{OptionID: "no", Feedback: "use npm ci"}},
		{text("allowed"), frontend.Answer{}},
		{text("allows nothing"), frontend.Answer{}},
		{text("do not allow"), frontend.Answer{}},
		{text("yes"), frontend.Answer{}},
		{text(""), frontend.Answer{}},
		{data(map[string]any{"outcome": "once"}), frontend.Answer{OptionID: "once"}},
		{data(map[string]any{"outcome": "always"}), frontend.Answer{}},
		{data(map[string]any{"outcome": "no", "callId": "c1", "feedback": "why"}), frontend.Answer{OptionID: "no", Feedback: "why"}},
		{data(map[string]any{"outcome": "always", "callId": "c2"}), frontend.Answer{}},
		{data(map[string]any{"outcome": "forever"}), frontend.Answer{}},
		{data(map[string]any{"outcome": 1}), frontend.Answer{}},
		{message(a2a.TextPart{Text: "allow"}, a2a.DataPart{Data: map[string]any{"outcome": "no"}}), frontend.Answer{OptionID: "no"}},
	}
	for _, tt := range tests {
		got, why := q.parse(tt.message)
		if got.permission != tt.want || (why == "") != (tt.want.OptionID != "") {
			t.Errorf("%v is the answer %+v (%s), want %+v", tt.message.Parts, got.permission, why, tt.want)
		}
	}
}

func TestElicitationAnswers(t *testing.T) {
	one := elicitation{frontend.Elicitation{Questions: make([]tools.Question, 1)}}
	two := elicitation{frontend.Elicitation{Questions: make([]tools.Question, 2)}}
	tests := []struct {
		q       elicitation
		message *a2a.Message
		want    frontend.Elicited // zero: it is no answer
	}{
		{one, text("blue,\nlike the sky"), frontend.Elicited{Values: [][]string{{"blue,\nlike the sky"}}}},
		{one, text(" "), frontend.Elicited{}},
		{two, text("blue\n\ngreen\n"), frontend.Elicited{Values: [][]string{{"blue"}, {"green"}}}},
		{two, text("blue"), frontend.Elicited{}},
		{two, data(map[string]any{"values": []any{[]any{"blue", "red"}, []any{}}}), frontend.Elicited{Values: [][]string{{"blue", "red"}, {}}}},
		{two, data(map[string]any{"values": []any{[]any{"blue"}}}), frontend.Elicited{}},
		{two, data(map[string]any{"declined": true}), frontend.Elicited{Declined: true}},
	}
	for _, tt := range tests {
		got, why := tt.q.parse(tt.message)
		if !reflect.DeepEqual(got.elicited, tt.want) || (why == "") == reflect.DeepEqual(tt.want, frontend.Elicited{}) {
			t.Errorf("%v is the answer %+v (%s), want %+v", tt.message.Parts, got.elicited, why, tt.want)
		}
	}
}

func TestMessagesThatArePrompts(t *testing.T) {
	image := a2a.FilePart{File: a2a.FileBytes{FileMeta: a2a.FileMeta{MimeType: "image/png"}, Bytes: "iVBORw=="}}
	if got, err := blocksOf(message(a2a.TextPart{Text: "What is this?"}, image)); err != nil || len(got) != 2 || string(got[1].Data) != "\x89PNG" {
		t.Errorf("the prompt is %v, %v", got, err)
	}
	for name, m := range map[string]*a2a.Message{
		"nothing":             message(),
		"a link to a file":    message(a2a.FilePart{File: a2a.FileURI{URI: "https://example.com/a.png"}}),
		"bytes of an archive": message(a2a.FilePart{File: a2a.FileBytes{FileMeta: a2a.FileMeta{MimeType: "application/zip"}, Bytes: "UEs="}}),
		"bytes in no base64":  message(a2a.FilePart{File: a2a.FileBytes{FileMeta: a2a.FileMeta{MimeType: "image/png"}, Bytes: "%"}}),
	} {
		if got, err := blocksOf(m); err == nil {
			t.Errorf("%s is the prompt %v, want an error", name, got)
		}
	}
}

// Questions of the model and ends of turns are said in the words of every client.
func TestWordsAreThoseOfEveryClient(t *testing.T) {
	q := elicitation{frontend.Elicitation{CallID: "c", Questions: []tools.Question{
		{Question: "Which?", Type: tools.ChoiceQuestion, Options: []tools.Choice{{Label: "a", Description: "one"}, {Label: "b"}}},
		{Question: "How many?", Type: tools.NumberQuestion},
	}}}
	got, _ := q.texts()
	if want := "The model asks 2 questions:\n\n1. Which?\n   - a: one\n   - b\n\n2. How many? (A number)\n\nAnswer with a text that has a line for each question"; !strings.HasPrefix(got, want) {
		t.Errorf("asked is\n%s\nwant\n%s", got, want)
	}
}
