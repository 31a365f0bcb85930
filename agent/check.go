package agent

import (
	"context"
	"encoding/json"

	"github.com/emendo-dev/emendo/agent/policy"
	"github.com/emendo-dev/emendo/agent/transcript"
	"github.com/emendo-dev/emendo/agent/turn"
	"github.com/emendo-dev/emendo/tools"
)

// Check returns the gate's decision about a call in a new session, and what the call would
// do; nil if it cannot be made. It runs, shows and stores nothing. The mode may be one that the
// session could not use.
func (a *Agent) Check(ctx context.Context, n NewSession, tool string, args json.RawMessage) (policy.Decision, tools.Effect, error) {
	mode := n.Mode
	n.Mode = policy.Default
	s, err := a.Create(ctx, n)
	if err != nil {
		return policy.Decision{}, nil, err
	}
	s.State.Record.SetInfo(func(i *transcript.SessionInfo) { i.Mode = mode })
	d, effect := turn.Check(ctx, s.State, tool, args)
	return d, effect, nil
}
