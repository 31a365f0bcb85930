package agent

import (
	"context"
	"errors"

	"github.com/emendo-dev/emendo/agent/transcript"
	"github.com/emendo-dev/emendo/tools"
)

// An Elicitor is a [Client] that can put questions of the model's to the user.
type Elicitor interface {
	// Elicit asks and waits. When ctx ends the questions are withdrawn. The
	// error is [ErrCannotElicit] for what this client has no way to ask.
	Elicit(ctx context.Context, e Elicitation) (Elicited, error)
}

// ErrCannotElicit says that the client has no way to ask that.
var ErrCannotElicit = errors.New("the client cannot put this question to the user")

// Elicitation is what the model asks the user.
type Elicitation struct {
	SessionID string
	TurnID    string
	CallID    string
	Questions []tools.Question
}

// Elicited is what the user answered.
type Elicited struct {
	// Values are those given to each question, in the order of the questions;
	// none where one was left open.
	Values    [][]string
	Cancelled bool // the user closed the questions
}

// elicitor is the client as one that asks for the model; nil when nobody is
// there to answer.
func (a *Agent) elicitor() Elicitor {
	e, ok := a.client.(Elicitor)
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
	a, err := t.session.agent.elicitor().Elicit(ctx, Elicitation{t.session.id, t.id, c.made.CallID, e.Questions})
	switch {
	case ctx.Err() != nil:
		return cancelledResult("")
	case errors.Is(err, ErrCannotElicit):
		return tools.Result{Err: tools.Errorf(tools.PolicyViolation, "The user's editor has no way to show this question. Ask in your answer and end your turn, or go on as you judge best and say what you chose.")}
	case err != nil:
		t.session.agent.log.Warn("the user was not asked", "session", t.session.id, "err", err)
		return tools.NoAnswerResult()
	case a.Cancelled:
		return tools.NoAnswerResult()
	}
	return tools.AnswerResult(e, a.Values)
}
