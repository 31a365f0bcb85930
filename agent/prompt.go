package agent

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"slices"

	"github.com/emendo-dev/emendo/agent/frontend"
	"github.com/emendo-dev/emendo/agent/model"
	"github.com/emendo-dev/emendo/agent/transcript"
	"github.com/emendo-dev/emendo/ide"
)

// Prompt is what the user asks.
type Prompt struct {
	Blocks []transcript.Block
	// Snapshot is the workspace as it was when the prompt came; nil: as it is.
	Snapshot *ide.Snapshot
	// Focus is where the user was then; nil leaves the editor's context out.
	Focus *frontend.Focus
	// Folders were added to the workspace by the user; the session takes them in.
	Folders []string
	// MaxSteps bounds the model requests of this turn; 0: the agent's bound,
	// negative: nothing does.
	MaxSteps int
	// Begun, when not nil, is called once the turn has its id, before anything
	// of it is shown.
	Begun func(turnID string)

	messageID string // of one that was injected
}

// Ended is how a turn ended.
type Ended struct {
	TurnID     string
	StopReason transcript.StopReason
	Usage      transcript.Usage       // of the turn
	Models     map[string]model.Usage // what each model's answers cost
	Text       string                 // of the last response that has any
	Incomplete string                 // why the answer was cut off; empty: it was not
	Halted     string                 // why a hook ended it; empty: none did
}

// check returns an error for a prompt that says nothing.
func (p Prompt) check() error {
	if !slices.ContainsFunc(p.Blocks, func(b transcript.Block) bool { return b.Part() != nil }) {
		return transcript.ErrNoPrompt
	}
	for _, b := range p.Blocks {
		if !b.Type.Known() {
			return fmt.Errorf("unknown type of a prompt's block: %q", b.Type)
		}
	}
	return checkCommand(p)
}

// runTurn runs a turn, which holds the session.
func (s *Session) runTurn(of *Turn) (end Ended, err error) {
	ctx, p := of.ctx, of.prompt
	if err := s.checkCwd(); err != nil {
		return Ended{}, err
	}
	s.agent.renew()
	c, commanded := commandOf(p)
	var who answers
	if !commanded { // else no model is needed
		who, err = s.agent.answering(s.Info().Model)
		switch {
		case err != nil && of.how == Alone:
			return Ended{}, err
		case err != nil: // nobody waits for the answer: the session shows the error
			who = answers{gen: unable{err}, name: s.Info().Model}
		}
	}
	if err := s.lock(ctx); err != nil {
		return Ended{}, err
	}
	defer s.unlock()
	s.files.UndoInterrupted(ctx, s.hasForgotten)

	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	if p.Snapshot == nil {
		p.Snapshot = s.agent.o.Workspace.Snapshot()
	}
	if p.MaxSteps == 0 {
		p.MaxSteps = s.agent.choices().MaxSteps
	}
	t := s.newTurn(of.ID, p)
	t.cancel, t.guard = cancel, t.guarding()
	t.who, t.model, t.gen = who, who.name, t.fallingBack(who.gen)
	t.steersClosed = commanded // a prompt that comes meanwhile is a turn of its own
	if p.Begun != nil {
		p.Begun(t.id)
	}
	t.box = newOutbox(ctx, s, t.id)
	defer func() {
		if herr := t.handBack(); herr != nil && !errors.Is(err, herr) {
			err = errors.Join(err, herr)
		}
	}()
	t.appendStart()
	reply := make(chan bool, 1)
	if cancelled, _ := request(ctx, s, &turnRuns{t, reply}, reply); cancelled { // it holds the session, which is not closed
		cancel(transcript.ErrCancelled)
	}
	if commanded {
		return t.obey(ctx, c)
	}
	return t.run(ctx)
}

// unable is the generator of a queued turn whose model cannot be had. It fails.
type unable struct{ why error }

// Stream implements [model.Generator].
func (u unable) Stream(context.Context, model.Request) iter.Seq2[model.Chunk, error] {
	return func(yield func(model.Chunk, error) bool) { yield(model.Chunk{}, u.why) }
}
