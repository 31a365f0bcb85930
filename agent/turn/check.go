package turn

import (
	"context"
	"encoding/json"

	"github.com/emendo-dev/emendo/agent/gate"
	"github.com/emendo-dev/emendo/agent/policy"
	"github.com/emendo-dev/emendo/agent/state"
	"github.com/emendo-dev/emendo/tools"
	"github.com/emendo-dev/emendo/tools/lookup"
)

// Check returns the gate's decision about a call in a session, and what the call would do;
// nil if it cannot be made. It runs, shows and stores nothing.
func Check(ctx context.Context, s *state.Session, tool string, args json.RawMessage) (policy.Decision, tools.Effect) {
	t := newTurn(s, "", state.Prompt{})
	var effect tools.Effect
	if found := s.Agent.Tool(lookup.Name(tool, args)); found != nil {
		tool = found.Spec().Name // which rules have
		env := t.instructor.Env(ctx)
		args = lookup.PlainPaths(env, lookup.Canonical(found.Spec(), args))
		action, err := found.Prepare(ctx, env, args)
		effect = action.Effect
		if err != nil {
			if effect = gate.IntendedEffect(s.Started.Cwd, found.Spec(), args, err); effect == nil {
				return policy.Decision{Kind: policy.Deny, Rule: "the tool's arguments", Reason: err.Error()}, nil
			}
		}
	}
	return t.conv.Gate.Policy(tool, args, effect), effect
}
