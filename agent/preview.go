package agent

import (
	"context"

	"github.com/emendo-dev/emendo/agent/briefing"
	"github.com/emendo-dev/emendo/agent/state"
	"github.com/emendo-dev/emendo/agent/transcript"
)

// Preview returns the context that a prompt sent now would carry, and a notice for
// each file that it names but that would not be sent. It may be called while a turn
// runs.
func (s *Session) Preview(ctx context.Context, p state.Prompt) ([]transcript.ContextItem, []transcript.Notice) {
	return s.State.Briefing.Preview(ctx, briefing.Draft{Blocks: p.Blocks, Focus: p.Focus, Snapshot: p.Snapshot, Exclude: p.Exclude, Begins: state.FromHistory(s.State.Record, (*transcript.History).Environment) == ""})
}
