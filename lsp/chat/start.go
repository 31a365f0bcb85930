package chat

import (
	"context"
	"errors"

	"github.com/emendo-dev/emendo/agent"
	"github.com/emendo-dev/emendo/agent/state"
	"github.com/emendo-dev/emendo/agent/transcript"
	"github.com/emendo-dev/emendo/internal/rpc"
)

// run hands the prompt of a turn to its session, and waits for the turn's end. Every turn
// of a client begins here. A session that is busy gets the prompt the next of the ways.
func (t *Turns) run(x *turn, p state.Prompt, ways ...agent.How) (end state.Ended, err error) {
	err = t.c.Contain(func() error {
		ses, err := t.enter(x, &p)
		if err != nil {
			return err
		}
		var turn *agent.Turn
		for _, how := range ways {
			if turn, err = ses.Submit(x.ctx, p, how); !errors.Is(err, transcript.ErrBusy) {
				break
			}
		}
		x.hand()
		t.queue.tell(ses)
		if err == nil {
			end, err = t.await(x, turn)
		}
		return err
	})
	if errors.Is(err, transcript.ErrUnknownSession) { // another process deleted it: commands begin a new one
		t.current.forget(x.sessionID)
	}
	return end, err
}

// await waits for the end of the agent's turn that a prompt is part of.
func (t *Turns) await(x *turn, turn *agent.Turn) (state.Ended, error) {
	x.agent = turn
	switch {
	case turn.Steers:
		x.accept()
		return state.Ended{}, nil
	case turn.Behind:
		if x.question != nil {
			x.question.Accepted(turn.ID)
		}
		x.accept()
	default:
		select {
		case <-x.begun:
			x.accept()
		case <-turn.Waits():
			x.accept()
		case <-turn.Done(): // it could not begin, or has ended already
			if isClosed(x.begun) {
				x.accept()
			}
		}
	}
	end, err := turn.Result()
	t.noteAuth(err)
	return end, err
}

// start has a turn run in the background, by run, which returns why it could not begin. It
// returns once the agent has accepted the prompt: the turn has begun, waits for another one
// or steers it. The turn outlives the request.
func (t *Turns) start(ctx context.Context, x *turn, run func() error) error {
	over := make(chan error, 1)
	running := t.c.Go(func() {
		over <- func() error {
			defer t.end(x)
			return run()
		}()
	})
	if !running {
		t.end(x)
		return rpc.ErrClosed
	}
	select {
	case <-x.accepted:
		return nil
	case err := <-over:
		if isClosed(x.accepted) {
			return nil
		}
		return err
	case <-ctx.Done():
		if x.question == nil { // else it is sent all the same
			x.stop(context.Cause(ctx))
		}
		return context.Cause(ctx)
	}
}

// started answers a command that calls the model when its turn has begun: some
// clients give up waiting for a command after seconds.
type started struct {
	SessionID string `json:"sessionId"`
	TurnID    string `json:"turnId"`
}

// enter waits for the session's earlier prompts, finds the session of a turn, and
// completes its prompt.
func (t *Turns) enter(x *turn, p *state.Prompt) (*agent.Session, error) {
	for _, handed := range x.before {
		select {
		case <-handed:
		case <-x.ctx.Done():
			return nil, context.Cause(x.ctx)
		}
	}
	ses, err := t.host.Session(x.ctx, x.sessionID)
	if err != nil {
		return nil, err
	}
	if x.ctx.Err() != nil {
		return nil, context.Cause(x.ctx)
	}
	t.complete(x, ses, p)
	return ses, nil
}

// complete notes the session of a turn, and completes its prompt.
func (t *Turns) complete(x *turn, ses *agent.Session, p *state.Prompt) {
	x.mu.Lock()
	x.session = ses
	x.mu.Unlock()
	if t.folders.Holds(ses.Info().Cwd) {
		p.Folders = t.folders.Added()
	}
	p.Begun = func(id string) {
		x.mu.Lock()
		x.id = id
		x.mu.Unlock()
		t.current.Set(ses)
		if x.question != nil {
			x.question.Accepted(id)
			t.showCancellable(x) // a queued one begins later
		}
		close(x.begun)
		t.documents.Begun(ses.ID(), id, p.Blocks)
		t.c.Touch()
	}
}

// end records that a prompt is answered.
func (t *Turns) end(x *turn) {
	t.running.end(x)
	t.c.Touch()
}
