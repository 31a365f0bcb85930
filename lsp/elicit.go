package lsp

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/emendo-dev/emendo/agent"
	"github.com/emendo-dev/emendo/internal/visible"
	"github.com/emendo-dev/emendo/tools"
)

var _ agent.Elicitor = (*client)(nil)

type elicitParams struct {
	SessionID  string           `json:"sessionId"`
	ToolCallID string           `json:"toolCallId,omitzero"` // of the model's call; empty when emendo itself asks
	Questions  []tools.Question `json:"questions"`
}

// Elicit implements [agent.Elicitor]: by emendo's own questions, by LSP's where
// they can be answered with a button, or not at all.
func (c *client) Elicit(ctx context.Context, e agent.Elicitation) (agent.Elicited, error) {
	s := (*server)(c)
	switch {
	case s.can.elicit:
		return s.elicit(ctx, e)
	case haveButtons(e.Questions):
		out, err := s.elicitPlainly(ctx, e)
		if !errors.Is(err, errCannotAsk) {
			return out, err
		}
	}
	var asked []string
	for _, q := range e.Questions {
		asked = append(asked, inFull(q))
	}
	asker := "emendo"
	if e.CallID != "" {
		asker = "The model"
	}
	s.tell(ctx, warningMessage, asker+" wanted to ask you this, and this editor has no way to show it. You can answer with your next prompt.\n\n"+strings.Join(asked, "\n\n"))
	return agent.Elicited{}, agent.ErrCannotElicit
}

// elicit asks a client that has emendo's plugin.
func (s *server) elicit(ctx context.Context, e agent.Elicitation) (agent.Elicited, error) {
	var a struct {
		Answers []struct {
			Values []string `json:"values"`
		} `json:"answers"`
		Cancelled bool `json:"cancelled"`
	}
	if err := s.call(ctx, "emendo/session/elicit", elicitParams{e.SessionID, e.CallID, e.Questions}, &a); err != nil {
		return agent.Elicited{}, err
	}
	out := agent.Elicited{Cancelled: a.Cancelled}
	for _, x := range a.Answers {
		out.Values = append(out.Values, x.Values)
	}
	return out, nil
}

// haveButtons says whether each of the questions is answered by one of a few
// words.
func haveButtons(l []tools.Question) bool {
	for _, q := range l {
		if len(buttons(q)) == 0 {
			return false
		}
	}
	return true
}

// buttons are the answers of a question that can be answered so.
func buttons(q tools.Question) []choice {
	switch q.Type {
	case tools.YesNoQuestion:
		return []choice{{"yes", "Yes"}, {"no", "No"}}
	case tools.ChoiceQuestion:
		if q.MultiSelect {
			return nil
		}
		var l []choice
		for i, o := range q.Options {
			l = append(l, choice{fmt.Sprintf("option-%d", i+1), visible.Text(o.Label)})
		}
		return l
	case tools.TextQuestion:
		return nil
	}
	panic("lsp: unknown type of question " + string(q.Type))
}

// elicitPlainly asks one question after the other; dismissing one dismisses all.
func (s *server) elicitPlainly(ctx context.Context, e agent.Elicitation) (agent.Elicited, error) {
	var out agent.Elicited
	for i, q := range e.Questions {
		chosen, err := s.elicitOne(ctx, e, i)
		id := strings.TrimPrefix(chosen, numbered(i))
		if err != nil {
			return agent.Elicited{}, err
		}
		if id == "" {
			return agent.Elicited{Cancelled: true}, nil
		}
		value := id
		for j, c := range buttons(q) {
			if c.id == id && q.Type == tools.ChoiceQuestion {
				value = q.Options[j].Label
			}
		}
		out.Values = append(out.Values, []string{value})
	}
	return out, nil
}

// elicitOne asks one of the questions and returns the ID of a choice.
func (s *server) elicitOne(ctx context.Context, e agent.Elicitation, i int) (string, error) {
	type about struct {
		callID   string
		number   int
		question tools.Question
	}
	q := e.Questions[i]
	text := inFull(q)
	if e.CallID != "" {
		text = "The model asks: " + text
	}
	choices := buttons(q)
	for j := range choices {
		choices[j].id = numbered(i) + choices[j].id
	}
	o := &question{
		sessionID: e.SessionID, turnID: e.TurnID, callID: e.CallID, about: about{e.CallID, i, q},
		task: oneLine(visible.Text(q.Question)), text: text, choices: choices, marked: s.can.publish,
	}
	its, err := s.ask.open(ctx, o)
	if err != nil {
		return "", err
	}
	defer s.closeQuestion(o)
	return s.askPlainly(its, o)
}

// numbered begins the IDs of a question's choices, so that a code action for one
// question does not answer the next one of the same call.
func numbered(i int) string { return fmt.Sprintf("question-%d-", i+1) }

// inFull is a question with what its options mean.
func inFull(q tools.Question) string {
	var b strings.Builder
	b.WriteString(visible.Text(q.Question))
	for _, o := range q.Options {
		fmt.Fprintf(&b, "\n- %s", visible.Text(o.Label))
		if o.Description != "" {
			fmt.Fprintf(&b, ": %s", visible.Text(o.Description))
		}
	}
	return b.String()
}
