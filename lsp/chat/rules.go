package chat

import (
	"context"
	"path/filepath"

	"github.com/emendo-dev/emendo/agent/policy"
	"github.com/emendo-dev/emendo/agent/view"
	"github.com/emendo-dev/emendo/agent/view/listing"
	"github.com/emendo-dev/emendo/lsp/client"
)

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

// ListRules answers emendo/policy/list: what decides in a session, in a folder, or, without
// either, in the first folder of the workspace.
func (s *Sessions) ListRules(ctx context.Context, p listRulesParams) (any, error) {
	if p.Cwd != "" && !filepath.IsAbs(p.Cwd) {
		return nil, client.Invalid("cwd %q is not an absolute path", p.Cwd)
	}
	h, err := s.c.Host.Get(ctx)
	if err != nil {
		return nil, err
	}
	if p.SessionID == "" && p.Cwd == "" {
		if roots := s.c.Folders.Roots(); len(roots) > 0 {
			p.Cwd = roots[0]
		}
	}
	l, err := h.Agent.Rules(ctx, p.SessionID, p.Cwd)
	if err != nil {
		return nil, err
	}
	rules := RulesOf(l)
	if !s.c.Can.View {
		return rules, nil
	}
	said := []ruleEntry{}
	for _, r := range rules.Rules {
		said = append(said, ruleEntry{r, listing.RuleEntry(r.Text, r.Tier, r.Source, r.Removable)})
	}
	return struct {
		Rules []ruleEntry `json:"rules"`
		Title view.Text   `json:"title"`
	}{said, listing.Title("rules")}, nil
}

// ruleEntry is a rule for a client that draws.
type ruleEntry struct {
	policy.Listed
	view.Entry
}

type removeRuleParams struct {
	ID string `json:"id"`
}

// RemoveRule answers emendo/policy/remove.
func (s *Sessions) RemoveRule(ctx context.Context, p removeRuleParams) (any, error) {
	if err := client.Require(p.ID, "id"); err != nil {
		return nil, err
	}
	h, err := s.c.Host.Get(ctx)
	if err != nil {
		return nil, err
	}
	return struct{}{}, h.Agent.RemoveRule(p.ID)
}
