package hooks

import (
	"slices"

	"github.com/emendo-dev/emendo/agent/model"
)

// Select returns the tools that hooks leave in a request, whether the model has
// to call one, and the names of the tools that it must not call.
func (c ToolConfig) Select(all []model.Tool) (offered []model.Tool, choice model.Choice, kept []string) {
	for _, t := range all {
		if c.Mode == ModeNone || len(c.Allowed) > 0 && !slices.Contains(c.Allowed, t.Name) {
			kept = append(kept, t.Name)
		} else {
			offered = append(offered, t)
		}
	}
	switch {
	case c.Mode == ModeNone: // they are described all the same: the conversation may hold calls of them
		return all, model.MustNotCall, kept
	case c.Mode == ModeAny && len(offered) > 0:
		return offered, model.MustCall, kept
	}
	return offered, model.MayCall, kept
}
