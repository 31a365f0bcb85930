package agent

import (
	"context"

	"github.com/emendo-dev/emendo/agent/briefing"
	"github.com/emendo-dev/emendo/ide/ignore"
	"github.com/emendo-dev/emendo/ide/names"
	"github.com/emendo-dev/emendo/internal/secret"
)

// Hides reports whether the file at an absolute path is kept from models.
func (a *Agent) Hides(ctx context.Context, path string) bool {
	return briefing.Hides(ctx, a.Process.Options.Workspace.Snapshot().Tree(), path, a.Process.Choices().Ignoring())
}

// NewNames returns an index of file names to offer to the user. It leaves out files
// that the ignore rules hide from the model or that may hold secrets. run runs a
// walk on a goroutine; see [names.Options].
func (a *Agent) NewNames(run func(walk func(context.Context)) bool) *names.Index {
	return names.NewIndex(names.Options{
		Rules:  func() ignore.Options { return a.Process.Choices().Ignoring() },
		Hidden: secret.Named,
		Go:     run,
	})
}
