package chat

import (
	"context"
	"path/filepath"

	"github.com/emendo-dev/emendo/agent/policy"
	"github.com/emendo-dev/emendo/lsp/client"
)

// Rules lists what decides about calls, and removes what answers have made.
type Rules struct{ c *client.Client }

// RuleList answers emendo/policy/list.
type RuleList struct {
	Rules []policy.Listed `json:"rules"`
}

// RulesOf returns rules as clients get them.
func RulesOf(all []policy.Listed) RuleList {
	l := RuleList{append([]policy.Listed{}, all...)}
	for i := range l.Rules {
		l.Rules[i].Added = l.Rules[i].Added.UTC()
	}
	return l
}

type listRulesParams struct {
	SessionID string `json:"sessionId"`
	Cwd       string `json:"cwd"`
}

// List answers emendo/policy/list: what decides in a session, in a folder, or, without
// either, in the first folder of the workspace.
func (r *Rules) List(ctx context.Context, p listRulesParams) (any, error) {
	if p.Cwd != "" && !filepath.IsAbs(p.Cwd) {
		return nil, client.Invalid("cwd %q is not an absolute path", p.Cwd)
	}
	h, err := r.c.Host.Need(ctx)
	if err != nil {
		return nil, err
	}
	if p.SessionID == "" && p.Cwd == "" {
		if roots := r.c.Folders.Roots(); len(roots) > 0 {
			p.Cwd = roots[0]
		}
	}
	l, err := h.Agent.Rules(ctx, p.SessionID, p.Cwd)
	if err != nil {
		return nil, err
	}
	return RulesOf(l), nil
}

type removeRuleParams struct {
	ID string `json:"id"`
}

// Remove answers emendo/policy/remove.
func (r *Rules) Remove(ctx context.Context, p removeRuleParams) (any, error) {
	if err := client.Need(p.ID, "id"); err != nil {
		return nil, err
	}
	h, err := r.c.Host.Need(ctx)
	if err != nil {
		return nil, err
	}
	return struct{}{}, h.Agent.RemoveRule(p.ID)
}
