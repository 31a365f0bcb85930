package gate

import (
	"fmt"
	"slices"
	"strings"

	"github.com/emendo-dev/emendo/agent/policy"
	"github.com/emendo-dev/emendo/agent/transcript"
	"github.com/emendo-dev/emendo/tools"
)

// Verdict is a decision about a call.
type Verdict struct {
	Kind     Kind
	Rule     string          // the rule that decided
	reason   string          // why the verdict is to ask or deny, in sentences
	errType  tools.ErrorType // of a denial
	outside  bool            // the command would run outside the sandbox
	verbatim bool            // the command runs as it was given
	opens    tools.Access    // what the command reaches once the user has allowed it
	unasked  bool            // nobody allows the command but the sandbox
	offers   []policy.Offer  // answers that would be remembered

	// follows is the untrusted content that a request follows: the verdict asks because of
	// it, or allows the request and the user is told.
	follows transcript.Untrusted
	// covers are whom an answer for the session is about: the authors of that content, and
	// those whose content the request brings.
	covers []tools.Author

	parts []policy.PartDecision // the decisions on the parts of a command
}

// Kind of a [Verdict].
type Kind int

// The kinds of verdicts.
const (
	Deny   Kind = iota
	Ask         // the user is asked
	Review      // of edits: the user's decisions on the hunks are the answer
	Allow
)

// Refusal returns the result of a denied call.
func (v Verdict) Refusal() tools.Result {
	return tools.Result{Err: &tools.Error{Type: v.errType, Message: v.reason}}
}

func deny(t tools.ErrorType, rule, format string, a ...any) Verdict {
	return Verdict{Kind: Deny, reason: fmt.Sprintf(format, a...), Rule: rule, errType: t}
}

// ask returns a verdict that asks the user, or denies where the session cannot
// ask.
func (g *Gate) ask(rule, reason string) Verdict {
	if !g.o.Client.Abilities().Asks {
		return deny(tools.PolicyViolation, rule, "%s", joinSentences(reason, "It needs the user's approval, and no user is available to approve it. Continue without it, or say what the user should do."))
	}
	return Verdict{Kind: Ask, reason: reason, Rule: rule}
}

// verdictOf turns a decision of the policy into a verdict. Edits that the client
// reviews are not asked about.
func verdictOf(d policy.Decision, reviewed bool) Verdict {
	switch d.Kind {
	case policy.Allow:
		return Verdict{Kind: Allow, Rule: d.Rule, unasked: d.Unasked}
	case policy.Deny:
		if d.Restricted {
			return deny(tools.Untrusted, d.Rule, "%s", d.Reason)
		}
		return deny(tools.PolicyViolation, d.Rule, "%s", d.Reason)
	case policy.Ask:
		kind := Ask
		if reviewed {
			kind = Review
		}
		return Verdict{Kind: kind, reason: d.Reason, Rule: d.Rule, offers: d.Offers, parts: d.Parts}
	}
	panic(fmt.Sprintf("gate: unknown decision %v", d.Kind))
}

// joinSentences joins sentences, any of which may be empty.
func joinSentences(sentences ...string) string {
	return strings.Join(slices.DeleteFunc(sentences, func(s string) bool { return s == "" }), " ")
}
