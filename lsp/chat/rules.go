package chat

import (
	"context"
	"path/filepath"
	"time"

	"github.com/emendo-dev/emendo/agent/policy"
	"github.com/emendo-dev/emendo/lsp/client"
)

// Rules lists what decides about calls, and removes what answers have made.
type Rules struct{ c *client.Client }

// Rule is the wire form of a rule.
type Rule struct {
	ID        string     `json:"id"`
	Text      string     `json:"text"`
	Tier      string     `json:"tier"`
	Scope     string     `json:"scope"`
	Source    string     `json:"source"`
	Added     *time.Time `json:"added,omitzero"`
	Removable bool       `json:"removable"`
}

// RuleList answers emendo/policy/list.
type RuleList struct {
	Rules []Rule `json:"rules"`
}

// RulesOf returns the wire form of rules.
func RulesOf(all []policy.Listed) RuleList {
	l := RuleList{make([]Rule, len(all))}
	for i, r := range all {
		l.Rules[i] = Rule{ID: r.ID, Text: r.Text, Tier: r.Tier, Scope: string(r.Scope), Source: r.Source, Removable: r.Removable}
		if !r.Added.IsZero() {
			added := r.Added.UTC()
			l.Rules[i].Added = &added
		}
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
