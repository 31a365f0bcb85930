package gate

import (
	"context"

	"github.com/emendo-dev/emendo/agent/frontend"
)

// Relay asks the user whether a remote agent, which works on a task for a call, may
// do something. It asks in every mode, because modes and rules do not cover other
// machines. Text is the agent's question; each option applies once. If the session
// cannot ask, no option is chosen.
func (t *Turn) Relay(ctx context.Context, c Call, text string, options []frontend.Option) frontend.Answer {
	if !t.gate.o.Client.Abilities().Asks || t.o.Flush() != nil {
		return frontend.Answer{Feedback: "No user is available to approve it."}
	}
	t.awaitApproval(c)
	q := t.Question(c, Verdict{reason: "The agent runs elsewhere and follows its own rules. Your answer applies there."})
	q.Options, q.Preview = options, frontend.Preview{Text: text}
	a, err := t.ask(ctx, q, c.Effect)
	if err != nil || a.Cancelled {
		return frontend.Answer{Feedback: "The user did not answer."}
	}
	return a
}
