package lsp

import (
	"context"
	"fmt"
	"strings"

	"github.com/emendo-dev/emendo/agent"
	"github.com/emendo-dev/emendo/tools"
)

var _ agent.Elicitor = (*client)(nil)

type elicitParams struct {
	SessionID string           `json:"sessionId"`
	Questions []tools.Question `json:"questions"`
}

// Elicit implements [agent.Elicitor]: by emendo's own questions, by LSP's where
// they can be answered with a button, or not at all.
func (c *client) Elicit(ctx context.Context, e agent.Elicitation) (agent.Elicited, error) {
	s := (*server)(c)
	switch {
	case s.can.elicit:
		return s.elicit(ctx, e)
	case s.can.messageRequest && haveButtons(e.Questions):
		return s.elicitByMessages(ctx, e)
	}
	var asked []string
	for _, q := range e.Questions {
		asked = append(asked, inFull(q))
	}
	s.tell(ctx, warningMessage, "emendo wanted to ask you this, and this editor has no way to show it. You can answer with your next prompt.\n\n"+strings.Join(asked, "\n\n"))
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
	if err := s.call(ctx, "emendo/session/elicit", elicitParams{e.SessionID, e.Questions}, &a); err != nil {
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
func buttons(q tools.Question) []action {
	switch q.Type {
	case tools.YesNoQuestion:
		return []action{{"Yes"}, {"No"}}
	case tools.ChoiceQuestion:
		if q.MultiSelect {
			return nil
		}
		var l []action
		for _, o := range q.Options {
			l = append(l, action{visible(o.Label)})
		}
		return l
	case tools.TextQuestion:
		return nil
	}
	panic("lsp: unknown type of question " + string(q.Type))
}

// elicitByMessages asks one question after the other; closing one closes all.
func (s *server) elicitByMessages(ctx context.Context, e agent.Elicitation) (agent.Elicited, error) {
	var out agent.Elicited
	for _, q := range e.Questions {
		p := messageRequestParams{Type: infoMessage, Message: inFull(q), Actions: buttons(q)}
		var a *action
		if err := s.call(ctx, "window/showMessageRequest", p, &a); err != nil {
			return agent.Elicited{}, err
		}
		if a == nil {
			return agent.Elicited{Cancelled: true}, nil
		}
		value := a.Title
		if q.Type == tools.YesNoQuestion {
			value = strings.ToLower(value)
		}
		out.Values = append(out.Values, []string{value})
	}
	return out, nil
}

// inFull is a question with what its options mean.
func inFull(q tools.Question) string {
	var b strings.Builder
	b.WriteString(visible(q.Question))
	for _, o := range q.Options {
		fmt.Fprintf(&b, "\n- %s", visible(o.Label))
		if o.Description != "" {
			fmt.Fprintf(&b, ": %s", visible(o.Description))
		}
	}
	return b.String()
}
