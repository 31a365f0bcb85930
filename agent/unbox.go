package agent

import (
	"fmt"
	"strings"

	"github.com/emendo-dev/emendo/internal/sandbox"
	"github.com/emendo-dev/emendo/tools"
)

// unbox has a command asked about that cannot do its work in the sandbox: it then
// runs outside, once, on that answer. No rule and no mode speaks of what is outside
// of the sandbox, so it is asked whatever they say, but what is denied stays so.
func (t *turn) unbox(e tools.Effect, v verdict) verdict {
	r, runs := e.(tools.Runs)
	if !runs || v.kind == deny || v.kind == review || !t.session.Trusted() {
		return v
	}
	why := t.session.agent.outgrows(r)
	if why == "" {
		return v
	}
	can := t.session.agent.client.Abilities()
	if !can.Asks {
		return denied(tools.PolicyViolation, "sandbox", "%s This session cannot ask for permission to run it outside of the sandbox. Continue without it, or say that the user should run it, or start emendo with --no-sandbox.", why)
	}
	return verdict{kind: ask, reason: strings.TrimSpace(v.reason + " " + why + " It would run outside of the sandbox."), rule: v.rule, doubts: v.doubts, open: true}
}

// outgrows returns why a command cannot do its work in the sandbox, one sentence;
// empty when it can, as far as its text tells.
func (a *Agent) outgrows(r tools.Runs) string {
	if !r.Git.Calls || a.o.Sandbox == nil {
		return ""
	}
	level := a.o.Sandbox.Survey().Level
	switch {
	case level == sandbox.Open:
		return ""
	case r.Git.Configures != "":
		return fmt.Sprintf("%s writes git's configuration, which the sandbox keeps read-only.", r.Git.Configures)
	case r.Git.Network != "" && a.offline():
		return fmt.Sprintf("%s talks to a remote, and the sandbox has no network and none of the user's keys.", r.Git.Network)
	case level == sandbox.Restricted && r.Git.Writes:
		return "It writes git's data, which the sandbox at level B keeps read-only."
	}
	return ""
}
