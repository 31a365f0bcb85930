package present

import (
	"context"

	"github.com/emendo-dev/emendo/agent/frontend"
	"github.com/emendo-dev/emendo/agent/view"
)

// Elicit asks questions of the model, an MCP server or emendo, as a form.
func (v *Views) Elicit(ctx context.Context, e frontend.Elicitation) (frontend.Elicited, error) {
	q := view.Questionnaire(e, v.about(ctx, e.SessionID))
	return await(ctx, v, q, func(p actParams) (frontend.Elicited, []view.Problem) {
		switch p.ActionID {
		case view.FormDecline:
			return frontend.Elicited{Declined: true}, nil
		case view.FormCancel:
			return frontend.Elicited{Cancelled: true}, nil
		}
		values, problems := view.Answers(e.Questions, p.Values)
		return frontend.Elicited{Values: values}, problems
	})
}
