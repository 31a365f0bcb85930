package agent

import (
	"context"
	"maps"
	"sync"

	"github.com/emendo-dev/emendo/agent/gate"
	"github.com/emendo-dev/emendo/agent/transcript"

	"github.com/emendo-dev/emendo/agent/loop"
	"github.com/emendo-dev/emendo/agent/model"
	"github.com/emendo-dev/emendo/agent/policy"
	"github.com/emendo-dev/emendo/agent/rewind"
)

// turn is one prompt and everything until the session hands back.
type turn struct {
	session *Session
	id      string
	prompt  Prompt
	box     *outbox
	cancel  context.CancelCauseFunc
	guard   *loop.Guard
	gate    *gate.Turn

	who   answers         // to the name of the model that the user chose
	gen   model.Generator // who, or what takes over from it
	model string          // that answers now, as its provider calls it; set with the session's mu held
	stage *stage          // that it was chosen for; nil: it was not

	overflowedOnce bool // the provider found the conversation too long in this turn
	tooLong        bool // it is to be compacted before the next request, whatever the estimate

	instructed *instructions // what goes before the conversation; nil before the first request
	modeGiven  policy.Mode   // the mode that the model last read of

	incomplete string // why the answer is cut off; empty: it is not

	text    string                 // of the last response that has any
	usage   model.Usage            // guarded by the session's mu
	byModel map[string]model.Usage // likewise

	// Owned by the session's goroutine.
	steers       []*Turn // prompts that wait for the next step
	steersClosed bool    // no more are taken up
	interrupted  bool    // by another prompt

	hooked hookedTurn

	watch *rewind.Watch // of what commands change

	mu       sync.Mutex
	calls    map[string]context.CancelCauseFunc // of running calls
	approved bool                               // the user has approved a plan in this turn
	touched  []string                           // where calls were since the last step
	used     int64                              // tokens that the conversation takes in the model, as far as is known
}

// newTurn returns a turn without an outbox.
func (s *Session) newTurn(id string, p Prompt) *turn {
	t := &turn{session: s, id: id, prompt: p, watch: s.files.Watch(id), calls: map[string]context.CancelCauseFunc{}}
	t.gate = t.newGate()
	return t
}

// handBack ends the turn's output. Later events are recorded between turns, after
// everything of the turn.
func (t *turn) handBack() error {
	s := t.session
	for out := false; !out; {
		_ = t.box.settle(nil) // the first failure is asked for below
		reply := make(chan bool, 1)
		out, _ = request(context.Background(), s, &turnIsOut{reply}, reply)
	}
	t.box.close()
	err := t.box.failure()
	if err != nil {
		s.reread()
		return err
	}
	return s.log.Sync()
}

// stop cancels the turn, or one of its calls.
func (t *turn) stop(callID string) {
	if callID == "" {
		t.cancel(transcript.ErrCancelled)
		return
	}
	t.mu.Lock()
	cancel := t.calls[callID]
	t.mu.Unlock()
	if cancel != nil {
		cancel(transcript.ErrCancelled)
	}
}

// emit folds an event into the history and puts it into the outbox.
func (t *turn) emit(e transcript.Event) {
	e = t.session.agent.discreet(e)
	t.fold(e)
	t.box.put(e)
}

// emitSynced is emit, and the event is on the disk before it is shown. It does not
// wait for that: calls of the model run only once the log is known to be whole.
func (t *turn) emitSynced(e transcript.Event) {
	e = t.session.agent.discreet(e)
	t.fold(e)
	t.box.putSynced(e)
}

// emitDurably is emit, and the event is on the disk when it returns.
func (t *turn) emitDurably(e transcript.Event) error {
	e = t.session.agent.discreet(e)
	t.fold(e)
	return t.box.settle(e)
}

func (t *turn) fold(e transcript.Event) {
	if _, ok := e.(transcript.UserChunk); ok {
		t.gate.UserSpoke()
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	t.session.history.Add(e)
}

func (t *turn) run(ctx context.Context) (Ended, error) {
	messageID := t.appendPrompt(ctx)
	reason, err := t.runSteps(ctx, messageID)
	t.recordSteers(ctx, (ctx.Err() != nil || err != nil) && !t.produced(messageID))
	switch {
	case ctx.Err() != nil:
		reason, err = transcript.StopCancelled, nil
		t.afterCancel(messageID)
	case err != nil:
		reason = t.afterError(messageID, err)
		if reason != transcript.StopError {
			err = nil
		}
	}
	return t.end(transcript.TurnEnded{StopReason: reason}, err)
}

// end records and shows that the turn has ended, and why.
func (t *turn) end(e transcript.TurnEnded, err error) (Ended, error) {
	s := t.session
	s.mu.Lock()
	if !e.Aside {
		s.info.Turns++
	}
	s.info.Used(s.agent.now())
	e.Usage = transcript.Usage{Usage: t.usage, ContextLimit: s.info.Usage.ContextLimit}
	byModel := maps.Clone(t.byModel)
	s.mu.Unlock()
	s.send(&turnEnds{pauses: e.StopReason == transcript.StopCancelled && s.agent.client.Abilities().Queue}) // a user who sees the queue resumes it
	end := Ended{TurnID: t.id, StopReason: e.StopReason, Usage: e.Usage, Models: byModel, Text: t.text, Incomplete: t.incomplete, Halted: t.hooked.why}
	if derr := t.box.settle(e); derr != nil {
		return end, err // handBack tells of the log
	}
	i := s.Info()
	t.box.slip(i.ToSummary())
	return end, err
}
