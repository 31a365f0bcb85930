package a2a

import (
	"context"
	"errors"

	"github.com/a2aproject/a2a-go/a2a"
	"github.com/a2aproject/a2a-go/a2asrv"
	"github.com/a2aproject/a2a-go/a2asrv/eventqueue"

	"github.com/emendo-dev/emendo/agent/state"
	"github.com/emendo-dev/emendo/agent/transcript"
	"github.com/emendo-dev/emendo/agent/view"
)

// executor runs tasks for the library, which calls it for each message and each
// cancellation.
type executor struct{ tasks *Tasks }

var _ a2asrv.AgentExecutor = executor{}

// Execute starts a task, or answers what a task asks, and reports what happens
// until the task ends or asks again.
func (x executor) Execute(ctx context.Context, r *a2asrv.RequestContext, queue eventqueue.Queue) error {
	out := writer{queue: queue, info: r.TaskInfo()}
	t := x.tasks.known(r.TaskID)
	if t == nil {
		var err error
		if t, err = x.begin(ctx, r, out); t == nil {
			return err
		}
	} else if a := t.follow(); a != nil {
		said, why := a.parse(r.Message)
		switch {
		case why == "":
			a.answered <- said
		case t.leave(a):
			return out.question(ctx, a.question, why)
		}
	}
	if err := out.status(ctx, a2a.TaskStateWorking); err != nil {
		return err
	}
	return x.follow(ctx, t, out)
}

// begin starts a task, or reports why there is none.
func (x executor) begin(ctx context.Context, r *a2asrv.RequestContext, out writer) (*task, error) {
	if r.StoredTask != nil {
		return nil, out.finish(ctx, a2a.TaskStateFailed, "This task is no longer running. Send the message without a task ID, in the same context.", nil)
	}
	if err := out.status(ctx, a2a.TaskStateSubmitted); err != nil {
		return nil, err
	}
	blocks, err := blocksOf(r.Message)
	if err != nil {
		return nil, out.finish(ctx, a2a.TaskStateRejected, err.Error(), nil)
	}
	t, err := x.tasks.start(r.TaskInfo(), blocks)
	if err != nil {
		return nil, out.finish(ctx, a2a.TaskStateRejected, err.Error(), nil)
	}
	return t, nil
}

// follow reports what happens in a task until it ends or asks.
func (x executor) follow(ctx context.Context, t *task, out writer) error {
	out.begun = t.begun
	for {
		select {
		case post := <-t.posts:
			a, asks := post.(*asked)
			if !asks {
				if err := out.event(ctx, post.(transcript.Event)); err != nil {
					return err
				}
				continue
			}
			select {
			case <-a.gone: // withdrawn before it was asked
				continue
			default:
			}
			if t.leave(a) {
				return out.question(ctx, a.question, "")
			}
		case <-t.ended:
			return out.ended(ctx, t.result, t.err)
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
}

// Cancel cancels a task.
func (x executor) Cancel(ctx context.Context, r *a2asrv.RequestContext, queue eventqueue.Queue) error {
	out := writer{queue: queue, info: r.TaskInfo()}
	t := x.tasks.known(r.TaskID)
	if t != nil {
		if t.stop(transcript.ErrCancelled) {
			return nil // the request that follows it reports the end
		}
		select {
		case <-t.ended:
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
	return out.finish(ctx, a2a.TaskStateCanceled, "The task was canceled.", nil)
}

// ended reports the end of a turn.
func (w writer) ended(ctx context.Context, end state.Ended, err error) error {
	switch {
	case err != nil && !errors.Is(err, transcript.ErrCancelled):
		return w.finish(ctx, a2a.TaskStateFailed, "The turn failed: "+err.Error(), nil)
	case end.Incomplete != "":
		return w.finish(ctx, a2a.TaskStateFailed, "The answer is incomplete: "+end.Incomplete, usageOf(end))
	}
	switch end.StopReason {
	case transcript.EndTurn:
		return w.finish(ctx, a2a.TaskStateCompleted, "", usageOf(end))
	case transcript.StopCancelled, "":
		return w.finish(ctx, a2a.TaskStateCanceled, "The task was canceled.", usageOf(end))
	case transcript.StopMaxTokens, transcript.MaxTurnRequests, transcript.Refusal, transcript.StopLoop, transcript.StopBlocked, transcript.StopError:
	}
	return w.finish(ctx, a2a.TaskStateFailed, view.Stopped(end.StopReason).Text, usageOf(end))
}
