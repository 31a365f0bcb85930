package turn

import (
	"cmp"
	"context"
	"errors"
	"iter"

	"github.com/emendo-dev/emendo/agent/model"
	"github.com/emendo-dev/emendo/agent/slash"
	"github.com/emendo-dev/emendo/agent/state"
	"github.com/emendo-dev/emendo/agent/transcript"
)

// prepared is a prompt whose model is known.
type prepared struct {
	prompt  state.Prompt
	command *slash.Command // built in, which runs in place of the turn; nil: the prompt is for the model
	custom  *slash.Command // that expands to the prompt for the model; may be nil
	who     state.ResolvedModel
}

// Prepare resolves the model that is to answer a prompt. If alone is set, the sender
// waits and gets the error; otherwise the turn shows it.
func Prepare(ctx context.Context, s *state.Session, p state.Prompt, alone bool) (prepared, error) {
	s.Agent.Renew()
	out := prepared{prompt: p}
	c, err := slash.Find(ctx, s, p)
	if c != nil && !c.ForModel() {
		out.command = c
		return out, nil // no model is needed
	}
	out.custom = c
	var who state.ResolvedModel
	if err == nil { // else the command was there when the prompt was queued
		who, err = s.Agent.ResolveModel(s.Info().Model)
	}
	switch {
	case err != nil && alone:
		return prepared{}, err
	case err != nil:
		who = state.ResolvedModel{Gen: failing{err}, Name: s.Info().Model}
	}
	out.who = who
	return out, nil
}

// Run runs a turn to its end. The caller holds the session and has locked its log.
// Run calls starts once the turn takes events; it reports whether the turn was
// cancelled before.
func Run(ctx context.Context, s *state.Session, id string, r prepared, starts func(t *Turn, command bool) (cancelled bool)) (end state.Ended, err error) {
	p := r.prompt
	ctx, cancel := context.WithCancelCause(state.In(ctx, s.SessionID, id))
	defer cancel(nil)
	if p.Snapshot == nil {
		s.Agent.Options.Workspace.Refresh(ctx)
		p.Snapshot = s.Agent.Options.Workspace.Snapshot()
	}
	if p.MaxSteps == 0 {
		p.MaxSteps = cmp.Or(s.Agent.Settings().Model.MaxSessionTurns, unlimited)
	}
	t := newTurn(s, id, p)
	t.sent.custom = r.custom
	t.cancel, t.review.cancel, t.loops = cancel, cancel, newLoopGuard(t.conv, t.models, p)
	t.models.Start(r.who)
	t.models.Budget = p.Budget
	if p.Begun != nil {
		p.Begun(t.ID)
	}
	t.conv.Outbox = s.Outbox
	s.Outbox.Begin(ctx, t.ID)
	defer func() {
		if herr := t.handBack(); herr != nil && !errors.Is(err, herr) {
			err = errors.Join(err, herr)
		}
	}()
	t.appendStart()
	slash.Announce(ctx, s, t.conv.Emit)
	if starts(t, r.command != nil) {
		cancel(transcript.ErrCancelled)
	}
	if r.command != nil {
		return t.runCommand(ctx, r.command)
	}
	return t.run(ctx)
}

// failing is the generator of a queued turn whose model cannot be had. It fails.
type failing struct{ why error }

// Stream implements [model.Generator].
func (u failing) Stream(context.Context, model.Request) iter.Seq2[model.Chunk, error] {
	return func(yield func(model.Chunk, error) bool) { yield(model.Chunk{}, u.why) }
}
