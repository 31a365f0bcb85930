package turn

import (
	"context"

	"github.com/emendo-dev/emendo/agent/state"
	"github.com/emendo-dev/emendo/agent/transcript"
)

// steer has the model read what the user has said since the last step. It
// reports false when there is nothing, or hooks leave nothing of it. The turn
// takes up no more once last has found nothing.
func (t *Turn) steer(ctx context.Context, last bool) bool {
	read := false
	for _, p := range t.Session.Owner.TakeSteers(func(none bool) bool { return last && none }) {
		t.appendMessage(ctx, p.MessageID, p, true)
		read = t.hooks.AllowsSteer(ctx, p) || read
	}
	return read
}

// recordSteers records what no step took up before the turn ended: the model
// reads it with the next prompt, or not at all when it is withdrawn as this
// turn's prompt is.
func (t *Turn) recordSteers(ctx context.Context, withdrawn bool) {
	for _, p := range t.Session.Owner.TakeSteers(func(bool) bool { return true }) {
		t.appendMessage(ctx, p.MessageID, p, true)
		if withdrawn {
			t.Emit(transcript.Withdrawn{MessageID: p.MessageID})
		} else {
			t.hooks.AllowsSteer(ctx, p)
		}
	}
}

// appendOrphaned records, before the turn's own prompt, those that were queued when
// a process ended.
func (t *Turn) appendOrphaned(ctx context.Context) {
	for _, q := range t.Session.Owner.TakeOrphaned() {
		t.appendMessage(ctx, q.MessageID, state.Prompt{Blocks: q.Blocks, Snapshot: t.prompt.Snapshot}, q.Steer)
	}
}
