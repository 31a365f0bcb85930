package agent

import (
	"context"

	"github.com/emendo-dev/emendo/agent/policy"
	"github.com/emendo-dev/emendo/ide"
	"github.com/emendo-dev/emendo/tools"
)

// env is the world as a tool of this turn sees it now.
func (t *turn) env() tools.Env {
	s := t.session
	o, set := s.agent.o, s.agent.choices()
	_, outputs := s.outputFolder()
	planning := s.Info().Mode == policy.Plan
	plans := s.planFolder(planning)
	return tools.Env{
		Snapshot: o.Workspace.Snapshot().Within(s.work.Tree()), Dir: s.started.Cwd, IgnoreGit: set.IgnoreGit, IgnoreEmendo: set.IgnoreEmendo, GitExcludes: set.GitExcludes,
		Outputs: outputs, Jobs: &s.jobs, Redact: o.Secrets.Known, Plans: plans, Planning: planning, Remember: s.briefing.Remember(),
		View: func(ctx context.Context, name string) (ide.File, error) {
			if u := ide.ParseURI(name); u.Path() == "" && o.Workspace.Snapshot().Document(u) != nil {
				return o.Ledger.View(ctx, s.id, name)
			}
			in := s.work.Tree()
			if plans != nil && plans.Contains(name) {
				in = plans
			}
			p, err := in.Resolve(name)
			if err != nil {
				return ide.File{}, err
			}
			return o.Ledger.View(ctx, s.id, p.Abs)
		},
	}
}
