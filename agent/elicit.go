package agent

import (
	"context"
	"errors"

	"github.com/emendo-dev/emendo/agent/frontend"
	"github.com/emendo-dev/emendo/agent/transcript"
	"github.com/emendo-dev/emendo/tools"
)

// elicitor is the client as one that asks for the model; nil when nobody is
// there to answer.
func (a *Agent) elicitor() frontend.Elicitor {
	e, ok := a.client.(frontend.Elicitor)
	if !ok || !a.client.Abilities().Asks {
		return nil
	}
	return e
}

// elicit asks the user what the model wants to know.
func (c *call) elicit(ctx context.Context, e tools.Asks) tools.Result {
	t := c.turn
	c.update(transcript.ToolUpdate{State: transcript.AwaitingApproval})
	if err := t.box.settle(nil); err != nil { // the call is shown before its questions
		return tools.Result{Err: tools.Errorf(tools.Unhandled, "%v", err)}
	}
	a, err := t.session.agent.elicitor().Elicit(ctx, frontend.Elicitation{SessionID: t.session.id, TurnID: t.id, CallID: c.made.CallID, Questions: e.Questions})
	switch {
	case ctx.Err() != nil:
		return tools.CancelledResult("")
	case errors.Is(err, frontend.ErrCannotElicit):
		return tools.Result{Err: tools.Errorf(tools.PolicyViolation, "The user's editor has no way to show this question. Ask in your answer and end your turn, or go on as you judge best and say what you chose.")}
	case err != nil:
		t.session.agent.log.Warn("the user was not asked", "session", t.session.id, "err", err)
		return tools.NoAnswerResult()
	case a.Cancelled:
		return tools.NoAnswerResult()
	}
	return tools.AnswerResult(e, a.Values)
}
