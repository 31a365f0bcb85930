package state

import (
	"strings"

	"github.com/emendo-dev/emendo/tools"
)

// OverwritesSecret returns an error if an edit would replace a secret with its
// placeholder.
func (a *Process) OverwritesSecret(e tools.Edits) *tools.Error {
	for _, f := range e.Files {
		if f.Base.Text == nil {
			continue
		}
		base := f.Base.Text.String()
		for _, shown := range a.Options.Secrets.Found(base) {
			if strings.Count(f.New, shown) > strings.Count(base, shown) {
				return tools.Errorf(tools.EditFailure, "%s contains a secret that is shown to you as %s; nothing was changed. Use replace to edit only the other lines.", tools.Shown(f.Path), shown)
			}
		}
	}
	return nil
}
