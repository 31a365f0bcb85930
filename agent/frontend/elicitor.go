package frontend

import (
	"context"
	"errors"

	"github.com/emendo-dev/emendo/tools"
)

// An Elicitor is a [Client] that can ask the user questions of the model.
type Elicitor interface {
	// Elicit asks and waits. If ctx ends, the questions are withdrawn. The error is
	// [ErrCannotElicit] if the client cannot ask this kind of question.
	Elicit(ctx context.Context, e Elicitation) (Elicited, error)
}

// ErrCannotElicit means that the client cannot ask this kind of question.
var ErrCannotElicit = errors.New("the client cannot ask the user this question")

// Elicitation is a set of questions of the model or an MCP server.
type Elicitation struct {
	SessionID string
	TurnID    string
	CallID    string
	Server    string // the MCP server that asks; empty if the model or emendo does
	Questions []tools.Question
}

// Elicited is the user's answer to an [Elicitation].
type Elicited struct {
	// Values are the answers to each question, in order; empty for a question left
	// open.
	Values    [][]string
	Cancelled bool // the user dismissed the questions
	Declined  bool // the user refused to answer them
}
