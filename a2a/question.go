package a2a

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/a2aproject/a2a-go/a2a"

	"github.com/emendo-dev/emendo/acp"
	"github.com/emendo-dev/emendo/agent/frontend"
	"github.com/emendo-dev/emendo/agent/view"
	"github.com/emendo-dev/emendo/ide/diff"
	"github.com/emendo-dev/emendo/internal/visible"
)

// question is something that the client has to answer.
type question interface {
	// texts returns the question as text for people and as data for programs.
	texts() (text string, data map[string]any)
	// parse reads the answer in a message. why is the reason, for the client, if
	// the message is no answer.
	parse(m *a2a.Message) (said answer, why string)
}

// approval asks for permission for a call. Only answers for this once are offered:
// what lasts, such as a rule, is the user's own to decide.
type approval struct{ q frontend.Question }

// newApproval returns the question without the answers that last.
func newApproval(q frontend.Question) approval {
	q.Options = slices.DeleteFunc(slices.Clone(q.Options), func(o frontend.Option) bool {
		return o.Kind != frontend.AllowOnce && o.Kind != frontend.RejectOnce
	})
	return approval{q}
}

func (a approval) texts() (string, map[string]any) {
	var b strings.Builder
	b.WriteString(view.Describe(a.q))
	for _, d := range a.q.Call.Diffs {
		old := ""
		if d.Old != nil {
			old = *d.Old
		}
		b.WriteString("\n\n" + visible.Text(diff.Unified(d.Path, d.Path, old, d.New)))
	}
	asked := b.String()
	b.WriteString("\n\nAnswer with a text that begins with \"allow\" or \"reject\"; what follows \"reject\" is sent to the agent. As data, the answer is {\"callId\", \"outcome\"} with one of these outcomes:\n")
	for _, o := range a.q.Options {
		fmt.Fprintf(&b, "- %s: %s\n", o.ID, visible.Text(o.Name))
	}
	return b.String(), map[string]any{
		"kind": kindApproval, "question": asked, "callId": a.q.Call.CallID, "toolCall": acp.QuestionCall(a.q), "options": acp.PermissionOptions(a.q), "preview": a.q.Preview,
	}
}

func (a approval) parse(m *a2a.Message) (answer, string) {
	var data struct {
		CallID   string `json:"callId"`
		Outcome  string `json:"outcome"`
		Feedback string `json:"feedback"`
	}
	if dataOf(m, &data) && data.Outcome != "" {
		if data.CallID != "" && data.CallID != a.q.Call.CallID {
			return answer{}, fmt.Sprintf("The answer is about the call %s, but the call %s needs one.", visible.Line(data.CallID), a.q.Call.CallID)
		}
		if !slices.ContainsFunc(a.q.Options, func(o frontend.Option) bool { return o.ID == data.Outcome }) {
			return answer{}, fmt.Sprintf("The outcome %q was not offered.", data.Outcome)
		}
		return answer{permission: frontend.Answer{OptionID: data.Outcome, Feedback: data.Feedback}}, ""
	}
	word, rest := firstWord(textOf(m))
	kind, ok := map[string]frontend.OptionKind{"allow": frontend.AllowOnce, "reject": frontend.RejectOnce}[strings.ToLower(word)]
	i := slices.IndexFunc(a.q.Options, func(o frontend.Option) bool { return o.Kind == kind })
	if !ok || i < 0 {
		return answer{}, "That was no answer, so nothing was done."
	}
	said := frontend.Answer{OptionID: a.q.Options[i].ID}
	if kind == frontend.RejectOnce {
		said.Feedback = rest
	}
	return answer{permission: said}, ""
}

// elicitation puts questions of the model.
type elicitation struct{ e frontend.Elicitation }

func (q elicitation) texts() (string, map[string]any) {
	var b strings.Builder
	form := view.Questionnaire(q.e, view.Asked{})
	b.WriteString(form.Title.Text + ":\n")
	for i, f := range form.Fields {
		fmt.Fprintf(&b, "\n%d. %s\n", i+1, strings.ReplaceAll(f.Describe(), "\n", "\n   "))
	}
	if len(q.e.Questions) == 1 {
		b.WriteString("\nAnswer with a text")
	} else {
		b.WriteString("\nAnswer with a text that has a line for each question")
	}
	b.WriteString(", or as data {\"values\": [[\"…\"], …]} with a list of answers for each question; {\"declined\": true} refuses to answer.\n")
	return b.String(), map[string]any{"kind": kindElicitation, "callId": q.e.CallID, "questions": q.e.Questions}
}

func (q elicitation) parse(m *a2a.Message) (answer, string) {
	var data struct {
		Values   [][]string `json:"values"`
		Declined bool       `json:"declined"`
	}
	n := len(q.e.Questions)
	if dataOf(m, &data) && (data.Values != nil || data.Declined) {
		if !data.Declined && len(data.Values) != n {
			return answer{}, fmt.Sprintf("%d answers were given to %d questions.", len(data.Values), n)
		}
		return answer{elicited: frontend.Elicited{Values: data.Values, Declined: data.Declined}}, ""
	}
	text := strings.TrimSpace(textOf(m))
	values := [][]string{{text}}
	if n > 1 {
		values = nil
		for line := range strings.Lines(text) {
			if line = strings.TrimSpace(line); line != "" {
				values = append(values, []string{line})
			}
		}
	}
	if text == "" || len(values) != n {
		return answer{}, fmt.Sprintf("%d questions need %d answers.", n, n)
	}
	return answer{elicited: frontend.Elicited{Values: values}}, ""
}

// firstWord splits a text after its first word. Punctuation after the word is
// dropped.
func firstWord(text string) (word, rest string) {
	text = strings.TrimSpace(text)
	i := strings.IndexFunc(text, func(r rune) bool { return (r < 'a' || r > 'z') && (r < 'A' || r > 'Z') })
	if i < 0 {
		return text, ""
	}
	return text[:i], strings.TrimSpace(strings.TrimLeft(text[i:], ".,:;!- "))
}

// dataOf decodes the first data of a message, and reports whether there is one of
// that form.
func dataOf(m *a2a.Message, into any) bool {
	for _, p := range m.Parts {
		if p, ok := p.(a2a.DataPart); ok {
			b, err := json.Marshal(p.Data)
			return err == nil && json.Unmarshal(b, into) == nil
		}
	}
	return false
}
