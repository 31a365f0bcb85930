package agent

import (
	"context"
	"fmt"
	"slices"

	"github.com/emendo-dev/emendo/agent/state"
)

// RestoreQueue puts the prompts that were queued when a process ended back into the
// queue and pauses it, so that they do not start before the user has seen them.
// prepare completes a prompt and returns the context of its turn, as for
// [Session.Submit]. Prompts that steered a turn are not restored. RestoreQueue does
// nothing while a turn runs, here or in another process.
func (s *Session) RestoreQueue(ctx context.Context, prepare func(*state.Prompt) context.Context) (restored []*Turn, err error) {
	err = s.whileOrphans(ctx, func() error {
		for _, q := range s.takeOrphans(true) {
			p := state.Prompt{MessageID: q.MessageID, Blocks: q.Blocks}
			t := &Turn{ID: q.TurnID, Position: len(restored), Behind: true, session: s, how: Queue, waits: make(chan struct{}), done: make(chan struct{}), recorded: true, restored: true}
			t.ctx, t.cancel = context.WithCancelCause(prepare(&p))
			if p.Snapshot == nil {
				p.Snapshot = s.agent.Process.Options.Workspace.Snapshot()
			}
			t.prompt = p
			restored = append(restored, t)
		}
		s.inspect(func(l *sessionLoop) {
			l.queue = append(l.queue, restored...)
			l.paused = l.paused || len(restored) > 0
		})
		return nil
	})
	for _, t := range restored {
		context.AfterFunc(t.ctx, func() { s.send(recheck) })
	}
	return restored, err
}

// dropRestored removes restored prompts that another process has sent or removed.
func (l *sessionLoop) dropRestored(gone map[string]bool) {
	l.queue = slices.DeleteFunc(l.queue, func(t *Turn) bool {
		if !t.restored || !gone[t.prompt.MessageID] {
			return false
		}
		t.finish(state.Ended{}, fmt.Errorf("turn %s was sent or removed elsewhere: %w", t.ID, ErrNotQueued))
		return true
	})
	l.paused = l.paused && len(l.queue) > 0
}
