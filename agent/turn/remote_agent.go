package turn

import (
	"context"
	"fmt"

	"github.com/emendo-dev/emendo/agent/frontend"
	"github.com/emendo-dev/emendo/agent/subagent"
	"github.com/emendo-dev/emendo/agent/subagent/remote"
	"github.com/emendo-dev/emendo/agent/transcript"
	"github.com/emendo-dev/emendo/tools"
)

// handedOver hands a task to a remote agent, whose answer is untrusted content.
func (c *call) handedOver(ctx context.Context, a remote.Agent, task string, t *subagent.Invoke, live *throttle) tools.Result {
	report, err := a.Run(ctx, task, remote.Host{
		Options: c.turn.session.Agent.Choices().RemoteAgents, Contexts: t.Contexts,
		Show: func(text string) { live.Add(tools.Progress{Output: text}) },
		Ask: func(ctx context.Context, q remote.Question) remote.Answer {
			live.Flush() // the call is in another state now
			return c.relay(ctx, a, q)
		},
	})
	from, said := []tools.Author{{Origin: tools.OfWeb, Name: a.Name, Agent: true}}, ""
	if report.Text != "" {
		said = tools.EncloseUntrusted(report.Text)
	}
	switch {
	case ctx.Err() != nil:
		r := tools.CancelledResult(said)
		r.Origin, r.From = tools.OfWeb, from
		return r
	case err != nil:
		return tools.Result{Output: said, Origin: tools.OfWeb, From: from, Err: tools.Errorf(tools.Unhandled, "The remote agent %s at %s did not finish the task: %s", a.Name, a.Place(), tools.UntrustedLine(err.Error()))}
	case report.Text == "":
		report.Text, said = "(no answer)", "(no answer)"
	}
	return tools.Result{
		Output: fmt.Sprintf("The remote agent %s has ended.\nState: %s\nResult:\n%s", a.Name, tools.UntrustedLine(report.State), said), Raw: report.Text,
		Display: report.Text, Summary: a.Name + ": " + tools.ShownLine(report.State, 40), Origin: tools.OfWeb, From: from,
	}
}

// relay puts a question of a remote agent to the user.
func (c *call) relay(ctx context.Context, a remote.Agent, q remote.Question) remote.Answer {
	defer c.update(transcript.ToolUpdate{State: transcript.Executing})
	if q.Options != nil {
		text := fmt.Sprintf("The remote agent %s at %s asks:\n\n%s", a.Name, a.Place(), q.Text)
		return remote.Answer{Approval: c.turn.conv.Gate.Relay(ctx, c.gated(), text, q.Options)}
	}
	elicitor := c.turn.session.Agent.Elicitor()
	if elicitor == nil || c.turn.conv.Outbox.Flush(nil) != nil {
		return remote.Answer{}
	}
	c.update(transcript.ToolUpdate{State: transcript.AwaitingApproval})
	said, err := elicitor.Elicit(ctx, frontend.Elicitation{SessionID: c.turn.session.SessionID, TurnID: c.turn.ID, CallID: c.made.CallID, Questions: q.Questions})
	if err != nil || said.Cancelled {
		return remote.Answer{Declined: true}
	}
	return remote.Answer{Values: said.Values, Declined: said.Declined}
}
