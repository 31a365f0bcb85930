package agent

import (
	"context"
	"fmt"
	"slices"

	"github.com/emendo-dev/emendo/agent/checkpoint"
	"github.com/emendo-dev/emendo/agent/rewind"
	"github.com/emendo-dev/emendo/agent/transcript"
	"github.com/emendo-dev/emendo/ide/ledger"
)

// rewinder returns what reverts the files of a session.
func (a *Agent) rewinder(s *Session) *rewind.Rewinder {
	var journal *checkpoint.Journal
	if a.o.Checkpoints != nil {
		journal = a.o.Checkpoints.Journal(s.id)
	}
	return rewind.New(rewind.Options{
		SessionID: s.id, Dir: s.started.Cwd, Workspace: a.o.Workspace, Ledger: a.o.Ledger, Journal: journal,
		Folders: s.work.Tree, IsPlan: s.isPlan, Log: a.log,
	})
}

// decide makes the ledger carry out decisions and records checkpoints of them.
func (a *Agent) decide(ctx context.Context, ds []ledger.Decision, comment string) (ledger.Resolution, error) {
	of := func(session string) *rewind.Rewinder {
		if s := a.known(session); s != nil {
			return s.files
		}
		return nil
	}
	return rewind.Decide(ctx, a.o.Ledger, of, ds, comment)
}

// Rewind goes back to before a turn's prompt. What the user changed since stays
// in the files. After an error everything is as it was.
func (s *Session) Rewind(ctx context.Context, turnID string, scope rewind.Scope, dryRun bool) (rewind.Result, error) {
	if err := s.acquire(ctx); err != nil {
		return rewind.Result{}, err
	}
	defer s.release()
	if !s.isStored() {
		return rewind.Result{}, fmt.Errorf("%q: %w", turnID, transcript.ErrUnknownTurn)
	}
	if err := s.lock(ctx); err != nil {
		return rewind.Result{}, err
	}
	defer s.unlock()
	rs, err := s.read()
	if err != nil {
		return rewind.Result{}, err
	}
	turns := transcript.TurnsFrom(rs, turnID)
	if len(turns) == 0 {
		return rewind.Result{}, fmt.Errorf("%q: %w", turnID, transcript.ErrUnknownTurn)
	}
	s.files.UndoInterrupted(ctx, s.hasForgotten)
	forget := func() error { return s.forget(turnID) }
	if scope != rewind.Conversation {
		return s.files.Rewind(ctx, rewind.Request{Turn: turnID, Turns: turns, Scope: scope, DryRun: dryRun}, forget)
	}
	if dryRun {
		return rewind.Result{}, nil
	}
	return rewind.Result{}, forget()
}

// forget records that a turn and those after it are no longer part of the
// session.
func (s *Session) forget(turnID string) error {
	defer s.reread()
	if err := s.log.Append(transcript.Record{At: s.agent.now(), Event: transcript.Rewound{TurnID: turnID}}, true); err != nil {
		return err
	}
	s.reread()
	i := s.Info()
	if err := s.log.Append(transcript.Record{At: s.agent.now(), Event: i.ToSummary()}, false); err != nil {
		s.agent.log.Warn("writing a session's summary", "session", s.id, "err", err)
	}
	return nil
}

// hasForgotten reports whether the log records that a turn was forgotten.
func (s *Session) hasForgotten(turnID string) (bool, error) {
	rs, err := s.read()
	return slices.ContainsFunc(rs, func(r transcript.Record) bool {
		e, ok := r.Event.(transcript.Rewound)
		return ok && e.TurnID == turnID
	}), err
}
