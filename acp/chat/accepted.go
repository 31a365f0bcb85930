package chat

import (
	"context"
	"errors"

	"github.com/emendo-dev/emendo/acp"
	"github.com/emendo-dev/emendo/acp/failure"
	"github.com/emendo-dev/emendo/acp/preview"
	"github.com/emendo-dev/emendo/agent/transcript"
	"github.com/emendo-dev/emendo/internal/rpc"
)

// Accept answers session/prompt of version 2 of the protocol once the prompt is part of
// the session. Updates of the session's state tell when its turn runs and how it ended.
func (t *Turns) Accept(_ context.Context, p acp.PromptParams) (rpc.Work, error) {
	life := t.Client.Life() // the turn outlives its request
	x, prompt, err := t.prepare(life, p)
	if err != nil {
		return nil, err
	}
	x.accepted = make(chan string, 1)
	x.begun = func() { t.Updates.show(life, x.session.ID, preview.Running()) }
	failed := make(chan error, 1)
	if !t.Client.Go(func() {
		defer t.finish(x)
		end, err := t.run(x, prompt)
		switch {
		case err == nil:
			x.accept(end.TurnID) // if it has shown no prompt
			t.Updates.show(life, x.session.ID, preview.Ended(acp.PromptedOf(end.TurnID, end.StopReason, end.Usage)))
		case !x.ran.Load():
			failed <- err
		default:
			x.accept("")
			t.Updates.show(life, x.session.ID, t.failure(x.ctx, err))
		}
	}) {
		t.finish(x)
		return nil, context.Cause(life)
	}
	return func(ctx context.Context) (any, error) {
		select {
		case id := <-x.accepted:
			return preview.Prompted{MessageID: id}, nil
		case err := <-failed:
			return nil, err
		case <-ctx.Done():
			x.stop(transcript.ErrCancelled)
			return nil, context.Cause(ctx)
		}
	}, nil
}

// failure returns the update that tells why a turn failed.
func (t *Turns) failure(ctx context.Context, err error) []byte {
	if errors.Is(err, context.Cause(ctx)) {
		return preview.Ended(acp.PromptedOf("", transcript.StopCancelled, transcript.Usage{}))
	}
	var wire *rpc.Error
	if !errors.As(failure.ACP(ctx, err, nil), &wire) {
		wire = rpc.Errorf(rpc.InternalError, "%v", err)
	}
	return preview.Failed(wire)
}

// accept answers the prompt, unless that was done.
func (x *turn) accept(messageID string) {
	if x.accepted == nil {
		return
	}
	select {
	case x.accepted <- messageID:
	default:
	}
}

// NoteShown notes that the client was shown a message of the user's, with which a prompt of
// its session is accepted.
func (t *Turns) NoteShown(sessionID, messageID string) {
	t.mu.Lock()
	x := t.running[sessionID]
	t.mu.Unlock()
	if x != nil && x.ran.Load() {
		x.accept(messageID)
	}
}
