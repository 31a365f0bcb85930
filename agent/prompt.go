package agent

import (
	_ "embed"
	"strings"
)

// What the model reads before everything else, module by module.
var (
	//go:embed prompt/core.md
	corePrompt string
	//go:embed prompt/plan.md
	planPrompt string
	//go:embed prompt/restricted.md
	restrictedPrompt string
	//go:embed prompt/alone.md
	alonePrompt string
)

// systemPrompt is put together anew for every request, so that it is true of
// the mode and the trust that hold now.
func (t *turn) systemPrompt() string {
	s := t.session
	parts := []string{corePrompt}
	if s.Info().Mode == PlanMode {
		parts = append(parts, planPrompt)
	}
	if !s.Trusted() {
		parts = append(parts, restrictedPrompt)
	}
	if a := s.agent.client.Abilities(); !a.Asks && !a.Reviews {
		parts = append(parts, alonePrompt)
	}
	return strings.Join(parts, "\n")
}
