package chat

import (
	"context"

	"github.com/emendo-dev/emendo/agent"
	"github.com/emendo-dev/emendo/agent/state"
)

// Load answers emendo/session/load. For a client that shows the queue, prompts that
// were queued when the server ended are in the queue again.
func (t *Turns) Load(ctx context.Context, p sessionParams) (any, error) {
	ses, err := t.host.Session(ctx, p.SessionID)
	if err != nil {
		return nil, err
	}
	if t.c.Can.Queue {
		t.restore(ctx, ses)
	}
	r, err := t.sessions.Load(ctx, p)
	t.queue.tellAgain(ses)
	return r, err
}

// restore has the queued prompts of an earlier process run as injected ones, once
// the user resumes the queue.
func (t *Turns) restore(ctx context.Context, ses *agent.Session) {
	var xs []*turn
	turns, err := ses.RestoreQueue(ctx, func(p *state.Prompt) context.Context {
		x := t.running.add(t.c.Life(), &turn{sessionID: ses.ID(), injected: true})
		x.hand()
		p.Snapshot, p.Focus = t.c.Workspace.Snapshot(), new(t.c.Focus.Now())
		t.complete(x, ses, p)
		xs = append(xs, x)
		return x.ctx
	})
	if err != nil {
		t.c.Log.Error("the queue was not restored", "session", ses.ID(), "error", err)
	}
	for i, turn := range turns {
		x := xs[i]
		running := t.c.Go(func() {
			defer t.end(x)
			_, err := t.await(x, turn)
			_ = t.reportInjected(x, err) // the user was notified
		})
		if !running {
			t.end(x)
		}
	}
}
