package question

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/emendo-dev/emendo/agent/frontend"
	"github.com/emendo-dev/emendo/agent/view"
	"github.com/emendo-dev/emendo/internal/visible"
	"github.com/emendo-dev/emendo/tools"
)

type elicitParams struct {
	SessionID  string           `json:"sessionId"`
	ToolCallID string           `json:"toolCallId,omitzero"` // of the model's call
	ServerName string           `json:"serverName,omitzero"` // of the MCP server that asks
	Questions  []tools.Question `json:"questions"`
}

// Elicit asks the user questions: by emendo's own request, by what LSP has where
// each can be answered with a button, or not at all.
func (a *Asker) Elicit(ctx context.Context, e frontend.Elicitation) (frontend.Elicited, error) {
	defer a.chat.Infos.Waiting(e.SessionID)()
	switch {
	case a.client.Can.Elicit && a.client.Can.View:
		return a.views.Elicit(ctx, e)
	case a.client.Can.Elicit:
		return a.elicit(ctx, e)
	case !slices.ContainsFunc(e.Questions, func(q tools.Question) bool { return len(buttons(q)) == 0 }):
		out, err := a.elicitPlainly(ctx, e)
		if !errors.Is(err, errCannotAsk) {
			return out, err
		}
	}
	var asked []string
	for _, q := range e.Questions {
		asked = append(asked, view.FieldOf(q, "").Describe())
	}
	asker := "emendo"
	if e.CallID != "" {
		asker = "The model"
	}
	if e.Server != "" {
		asker = "The MCP server " + visible.Line(e.Server)
	}
	a.client.Warn(ctx, asker+" wanted to ask you this, but the editor cannot show questions. You can answer in your next prompt.\n\n"+strings.Join(asked, "\n\n"))
	return frontend.Elicited{}, frontend.ErrCannotElicit
}

// elicit asks a client that declared emendo's own request.
func (a *Asker) elicit(ctx context.Context, e frontend.Elicitation) (frontend.Elicited, error) {
	var answer struct {
		Answers []struct {
			Values []string `json:"values"`
		} `json:"answers"`
		Cancelled bool `json:"cancelled"`
		Declined  bool `json:"declined"`
	}
	if err := a.client.Ask(ctx, "emendo/session/elicit", elicitParams{e.SessionID, e.CallID, e.Server, e.Questions}, &answer); err != nil {
		return frontend.Elicited{}, err
	}
	out := frontend.Elicited{Cancelled: answer.Cancelled, Declined: answer.Declined}
	for _, x := range answer.Answers {
		out.Values = append(out.Values, x.Values)
	}
	return out, nil
}

// buttons returns the choices of a question that one button can answer; none
// otherwise.
func buttons(q tools.Question) []Choice {
	f := view.FieldOf(q, "")
	if f.Type != "choice" || f.Many {
		return nil
	}
	var l []Choice
	for i, c := range f.Choices {
		id := c.Value // yes or no
		if q.Type == tools.ChoiceQuestion {
			id = fmt.Sprintf("option-%d", i+1)
		}
		l = append(l, Choice{id, c.Title.Text})
	}
	return l
}

// elicitPlainly asks the questions one by one; dismissing one dismisses all.
func (a *Asker) elicitPlainly(ctx context.Context, e frontend.Elicitation) (frontend.Elicited, error) {
	var out frontend.Elicited
	for i, q := range e.Questions {
		chosen, err := a.elicitOne(ctx, e, i)
		id := strings.TrimPrefix(chosen, numbered(i))
		if err != nil {
			return frontend.Elicited{}, err
		}
		if id == "" {
			return frontend.Elicited{Cancelled: true}, nil
		}
		value := id
		for j, c := range buttons(q) {
			if c.ID == id && q.Type == tools.ChoiceQuestion {
				value = q.Options[j].Label
			}
		}
		out.Values = append(out.Values, []string{value})
	}
	return out, nil
}

// elicitOne asks one of the questions and returns the ID of a choice.
func (a *Asker) elicitOne(ctx context.Context, e frontend.Elicitation, i int) (string, error) {
	type about struct {
		callID   string
		number   int
		question tools.Question
	}
	q := e.Questions[i]
	text := view.FieldOf(q, "").Describe()
	if e.CallID != "" || e.Server != "" && i > 0 { // the first one of a server says so itself
		its := e
		its.Questions = e.Questions[i : i+1]
		text = view.Questionnaire(its, view.Asked{}).Title.Text + ": " + text
	}
	choices := buttons(q)
	for j := range choices {
		choices[j].ID = numbered(i) + choices[j].ID
	}
	o := &Question{
		asker: a, SessionID: e.SessionID, TurnID: e.TurnID, CallID: e.CallID, about: about{e.CallID, i, q},
		Task: visible.OneLine(visible.Text(q.Question)), Text: text, Choices: choices, Elicits: true, marked: a.client.Can.Publish,
	}
	its, err := a.add(ctx, o)
	if err != nil {
		return "", err
	}
	defer a.close(o)
	return a.askPlainly(its, o)
}

// numbered returns the prefix of the IDs of a question's choices. It keeps a code
// action for one question from answering the next one of the same call.
func numbered(i int) string { return fmt.Sprintf("question-%d-", i+1) }
