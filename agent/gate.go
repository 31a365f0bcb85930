package agent

import (
	"encoding/json"
	"fmt"
	"strings"

	"github.com/emendo-dev/emendo/agent/frontend"
	"github.com/emendo-dev/emendo/agent/policy"
	"github.com/emendo-dev/emendo/ide/disk"
	"github.com/emendo-dev/emendo/tools"
)

// verdict is what the gate says of an effect.
type verdict struct {
	kind   verdictKind
	reason string          // why it is asked or denied, one sentence
	rule   string          // what decided
	errs   tools.ErrorType // of a denial
	doubts bool            // it is asked because of what the model has read
	open   bool            // a command is to run outside of the sandbox
	offers []policy.Offer  // of a question: answers that would last
}

type verdictKind int

const (
	deny   verdictKind = iota
	ask                // the user is asked
	review             // of edits: the decision on the hunks is the answer
	allow
)

// refusal is what the model reads of a denial.
func (v verdict) refusal() tools.Result {
	return tools.Result{Err: &tools.Error{Type: v.errs, Message: v.reason}}
}

// deny ends the call with a denial.
func (c *call) deny(v verdict) {
	c.rule = v.rule
	c.end(v.refusal())
}

func denied(t tools.ErrorType, rule, format string, a ...any) verdict {
	return verdict{kind: deny, reason: fmt.Sprintf(format, a...), rule: rule, errs: t}
}

// decide is the gate: the one place where an effect is let through, asked
// about or denied. What is denied cannot be lifted by a mode.
func (t *turn) decide(spec tools.Spec, args json.RawMessage, e tools.Effect) verdict {
	s := t.session
	c := s.facts(spec.Name)
	c.Args, c.Effect = args, e
	_, edits := e.(tools.Edits)
	reviewed := edits && s.agent.client.Abilities().Reviews
	c.Asks = c.Asks || reviewed
	v := verdictOf(t.rules(c.Trusted).Decide(c), reviewed)
	return t.unbox(e, t.contain(spec, e, v))
}

// verdictOf is a decision of the policy; with reviewed the decision on the hunks
// stands for the question.
func verdictOf(d policy.Decision, reviewed bool) verdict {
	switch d.Kind {
	case policy.Allow:
		return verdict{kind: allow, rule: d.Rule}
	case policy.Deny:
		if d.Restricted {
			return denied(tools.Untrusted, d.Rule, "%s", d.Reason)
		}
		return denied(tools.PolicyViolation, d.Rule, "%s", d.Reason)
	case policy.Ask:
		kind := ask
		if reviewed {
			kind = review
		}
		return verdict{kind: kind, reason: d.Reason, rule: d.Rule, offers: d.Offers}
	}
	panic("agent: unknown decision")
}

// facts are what a decision about a call of a tool depends on, without what the
// call itself says.
func (s *Session) facts(tool string) policy.Call {
	can, trusted := s.agent.client.Abilities(), s.Trusted()
	return policy.Call{
		Tool: tool, Mode: s.Info().Mode, Trusted: trusted, Asks: can.Asks, Elicits: s.agent.elicitor() != nil,
		Sandboxed: trusted && s.agent.sandboxed(), // to find out starts processes, and nothing runs in a restricted folder
		Dir:       s.started.Cwd, Roots: s.roots(), Real: disk.RealPath, Level: s.place().At, IsPlan: s.isPlan, Answers: s.standing(), NoAlways: s.agent.choices().NoAlways,
	}
}

// question asks, or denies when nobody is there.
func question(can frontend.Abilities, rule, reason string) verdict {
	if !can.Asks {
		return denied(tools.PolicyViolation, rule, "%s", strings.TrimSpace(reason+" It needs the user's approval, and no user is available to approve it. Continue without it, or say what the user should do."))
	}
	return verdict{kind: ask, reason: reason, rule: rule}
}
