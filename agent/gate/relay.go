package gate

import (
	"context"

	"github.com/emendo-dev/emendo/agent/frontend"
)

// Relay asks the user whether a remote agent, to which a call has handed a task, may
// do something where it works. It is asked in every mode: no mode and no rule is
// about another machine. Text is what the agent asks; each option applies once.
// Where the session cannot ask, nothing is chosen.
func (t *Turn) Relay(ctx context.Context, c Call, text string, options []frontend.Option) frontend.Answer {
	if !t.gate.o.Client.Abilities().Asks || t.o.Flush() != nil {
		return frontend.Answer{Feedback: "No user is available to approve it."}
	}
	t.awaitApproval(c)
	q := t.Question(c, Verdict{reason: "The agent works elsewhere, by rules of its own: your answer applies there."})
	q.Options, q.Preview = options, frontend.Preview{Text: text}
	notified := t.o.Notify(ctx, q, c.Effect)
	a, err := t.gate.o.Client.Ask(ctx, q)
	notified()
	if err != nil || a.Cancelled {
		return frontend.Answer{Feedback: "The user did not answer."}
	}
	return a
}
