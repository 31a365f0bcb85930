package turn

import (
	"context"

	"github.com/emendo-dev/emendo/agent/state"
	"github.com/emendo-dev/emendo/agent/transcript"
)

// steer adds the messages that the user sent since the last step. It returns false if
// there are none, or if hooks refuse all of them. Once a call with last has found none,
// the turn accepts no more.
func (t *Turn) steer(ctx context.Context, last bool) bool {
	read := false
	for _, p := range t.session.Owner.TakeSteers(func(none bool) bool { return last && none }) {
		t.appendMessage(ctx, p.MessageID, p, true)
		read = t.hooks.AllowsSteer(ctx, p) || read
	}
	return read
}

// recordSteers records the messages that no step took before the turn ended. The model
// reads them with the next prompt, unless they are withdrawn with this turn's prompt.
func (t *Turn) recordSteers(ctx context.Context, withdrawn bool) {
	for _, p := range t.session.Owner.TakeSteers(func(bool) bool { return true }) {
		t.appendMessage(ctx, p.MessageID, p, true)
		if withdrawn {
			t.conv.Emit(transcript.Withdrawn{MessageID: p.MessageID})
		} else {
			t.hooks.AllowsSteer(ctx, p)
		}
	}
}

// appendOrphaned records, before the turn's own prompt, those that were queued when
// a process ended.
func (t *Turn) appendOrphaned(ctx context.Context) {
	for _, q := range t.session.Owner.TakeOrphaned() {
		t.appendMessage(ctx, q.MessageID, state.Prompt{Blocks: q.Blocks, Snapshot: t.prompt.Snapshot}, q.Steer)
	}
}
