package agent

import (
	"context"
	"fmt"

	"github.com/emendo-dev/emendo/agent/frontend"
	"github.com/emendo-dev/emendo/agent/transcript"
	"github.com/emendo-dev/emendo/internal/visible"
	"github.com/emendo-dev/emendo/tools"
)

// mostWidened is how often one call is run again with more leave: a command
// that gets further may find more that is closed.
const mostWidened = 3

// actHeld runs the call. When the sandbox seems to have blocked a command, the
// user is asked whether it may reach what it needs, and on a yes it runs again.
// That is asked in every mode, for no mode and no rule speaks of what is outside
// the sandbox; where no user is available, it stays closed.
func (c *call) actHeld(ctx context.Context) tools.Result {
	e, runs := c.action.Effect.(tools.Runs)
	if !runs || c.action.WithAccess == nil {
		return c.act(ctx)
	}
	if c.open {
		c.action.Run = c.action.WithAccess(tools.Access{Outside: true})
		return c.act(ctx)
	}
	var given tools.Access
	if !c.turn.session.agent.choices().NoAlways && (c.leave != "" || !c.turn.doubt().On()) { // or the user was asked about this very call
		given = c.turn.session.widened(e)
	}
	for n := 0; ; n++ {
		c.action.Run = c.action.WithAccess(given)
		r := c.act(ctx)
		if n == mostWidened || ctx.Err() != nil || !r.Blocked.Adds(given) {
			return r
		}
		refusal := c.askWider(ctx, e, given, r.Blocked)
		if refusal != "" {
			r.Output += "\n" + refusal
			return r
		}
		given = given.Union(r.Blocked)
		c.update(transcript.ToolUpdate{State: transcript.Executing})
	}
}

// askWider asks whether a command may reach more; what the model is told when
// it may not, else empty.
func (c *call) askWider(ctx context.Context, e tools.Runs, given, more tools.Access) (refusal string) {
	s := c.turn.session
	if !s.agent.client.Abilities().Asks {
		return fmt.Sprintf("This session cannot ask for permission. Continue without it, or say that the user should run `%s`, or start emendo with --no-sandbox.", oneLine(e.Command, 200))
	}
	if err := c.turn.box.settle(nil); err != nil {
		return "The user could not be asked."
	}
	c.update(transcript.ToolUpdate{State: transcript.AwaitingApproval})
	q := c.question(verdict{reason: fmt.Sprintf("The command failed, probably because the sandbox blocked %s. Run it again, from its beginning, with access to that?", more)})
	q.Preview = c.turn.previewOf(ctx, e)
	q.Options = []frontend.Option{{ID: "allow_once", Name: "Run it again with that", Kind: frontend.AllowOnce}}
	if !s.agent.choices().NoAlways {
		q.Options = append(q.Options, frontend.Option{ID: "allow_always", Name: "Run it again, and open that to exactly this command in this session", Kind: frontend.AllowAlways})
	}
	q.Options = append(q.Options, frontend.Option{ID: "reject_once", Name: "Leave it at that", Kind: frontend.RejectOnce})
	notified := c.notify(ctx, q)
	a, err := s.agent.client.Ask(ctx, q)
	notified()
	switch optionKind(q, a, err) {
	case frontend.AllowOnce:
		return ""
	case frontend.AllowAlways:
		s.widen(e, given.Union(more))
		return ""
	case frontend.RejectOnce, frontend.RejectAlways:
	}
	refusal = "The user was asked and does not open that to it. Do not try to get around that; go on without, or ask what to do."
	if a.Feedback != "" {
		refusal += " The user says: " + a.Feedback
	}
	return refusal
}

// widened is what the user has opened to a command for the session.
func (s *Session) widened(e tools.Runs) tools.Access {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.wider[widenedKey(e)]
}

func (s *Session) widen(e tools.Runs, w tools.Access) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.wider == nil {
		s.wider = map[string]tools.Access{}
	}
	s.wider[widenedKey(e)] = w
}

func widenedKey(e tools.Runs) string { return e.Dir + "\x00" + e.Command }

// oneLine is a text as one line of at most n characters, with nothing in it
// hidden.
func oneLine(s string, n int) string {
	return visible.Short(tools.Shown(visible.OneLine(s)), n)
}
