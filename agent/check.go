package agent

import (
	"context"
	"encoding/json"

	"github.com/emendo-dev/emendo/agent/gate"
	"github.com/emendo-dev/emendo/agent/policy"
	"github.com/emendo-dev/emendo/agent/state"
	"github.com/emendo-dev/emendo/agent/transcript"
	"github.com/emendo-dev/emendo/agent/turn"
	"github.com/emendo-dev/emendo/tools"
	"github.com/emendo-dev/emendo/tools/lookup"
)

// Check returns the gate's decision about a call in a new session. It runs, shows
// and stores nothing. The mode may be one that the session could not use.
func (a *Agent) Check(ctx context.Context, n NewSession, tool string, args json.RawMessage) (policy.Decision, error) {
	d, _, err := a.Explain(ctx, n, tool, args)
	return d, err
}

// Explain is [Agent.Check], and returns what the call would do; nil if it cannot be made.
func (a *Agent) Explain(ctx context.Context, n NewSession, tool string, args json.RawMessage) (policy.Decision, tools.Effect, error) {
	mode := n.Mode
	n.Mode = policy.Default
	s, err := a.Create(ctx, n)
	if err != nil {
		return policy.Decision{}, nil, err
	}
	s.SetInfo(func(i *transcript.SessionInfo) { i.Mode = mode })
	t := turn.NewTurn(s.core, "", state.Prompt{})
	var effect tools.Effect
	if found := a.Tool(lookup.Name(tool, args)); found != nil {
		tool = found.Spec().Name // which rules have
		env := t.Instructor.Env(ctx)
		args = lookup.PlainPaths(env, lookup.Canonical(found.Spec(), args))
		action, err := found.Prepare(ctx, env, args)
		effect = action.Effect
		if err != nil {
			if effect = gate.IntendedEffect(s.Started.Cwd, found.Spec(), args, err); effect == nil {
				return policy.Decision{Kind: policy.Deny, Rule: "the tool's arguments", Reason: err.Error()}, nil, nil
			}
		}
	}
	return t.Gate.Policy(tool, args, effect), effect, nil
}
