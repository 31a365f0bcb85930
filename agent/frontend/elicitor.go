package frontend

import (
	"context"
	"errors"

	"github.com/emendo-dev/emendo/tools"
)

// An Elicitor is a [Client] that can put questions of the model's to the user.
type Elicitor interface {
	// Elicit asks and waits. When ctx ends the questions are withdrawn. The
	// error is [ErrCannotElicit] for what this client has no way to ask.
	Elicit(ctx context.Context, e Elicitation) (Elicited, error)
}

// ErrCannotElicit means that the client cannot ask that.
var ErrCannotElicit = errors.New("the client cannot put this question to the user")

// Elicitation is what the model or an MCP server asks the user.
type Elicitation struct {
	SessionID string
	TurnID    string
	CallID    string
	Server    string // the MCP server that asks; empty if the model or emendo does
	Questions []tools.Question
}

// Elicited is what the user answered.
type Elicited struct {
	// Values are those given to each question, in the order of the questions;
	// none where one was left open.
	Values    [][]string
	Cancelled bool // the user closed the questions
	Declined  bool // the user refused to answer them
}
