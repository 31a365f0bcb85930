package agent

import (
	"context"
	"fmt"
	"slices"

	"github.com/emendo-dev/emendo/agent/rewind"
	"github.com/emendo-dev/emendo/agent/state"
	"github.com/emendo-dev/emendo/agent/transcript"
	"github.com/emendo-dev/emendo/ide/disk"
)

// rewinder returns the Rewinder for the files of a session.
func (a *Agent) rewinder(s *Session) *rewind.Rewinder {
	return rewind.New(rewind.Options{
		SessionID: s.State.SessionID, Dir: s.State.Started.Cwd, Workspace: a.Process.Options.Workspace, Ledger: a.Process.Options.Ledger,
		Journal: a.Process.Options.Checkpoints.Journal(s.State.SessionID), Place: place{s.State}, Log: a.Process.Log, Meanwhile: a.meanwhile,
	})
}

// place is where a session works.
type place struct{ session *state.Session }

// Tree implements [rewind.Place].
func (p place) Tree() *disk.Tree { return p.session.Work.Tree() }

// IsPlan implements [rewind.Place].
func (p place) IsPlan(path string) bool { return p.session.Private.IsPlan(path) }

// Rewind reverts the session to the state before a turn's prompt. The user's own
// later changes stay in the files. On error nothing has changed.
func (s *Session) Rewind(ctx context.Context, turnID string, scope rewind.Scope, dryRun bool) (rewind.Result, error) {
	if err := s.acquire(ctx); err != nil {
		return rewind.Result{}, err
	}
	defer s.release()
	if !s.State.Record.IsStored() {
		return rewind.Result{}, fmt.Errorf("%q: %w", turnID, transcript.ErrUnknownTurn)
	}
	if err := s.lockLog(ctx); err != nil {
		return rewind.Result{}, err
	}
	defer s.unlockLog()
	rs, err := s.State.Read()
	if err != nil {
		return rewind.Result{}, err
	}
	turns := transcript.TurnsFrom(rs, turnID)
	if len(turns) == 0 {
		return rewind.Result{}, fmt.Errorf("%q: %w", turnID, transcript.ErrUnknownTurn)
	}
	s.State.Files.UndoInterrupted(ctx, s.hasForgotten)
	forget := func() error { return s.forgetFrom(turnID) }
	if scope != rewind.Conversation {
		return s.State.Files.Rewind(ctx, rewind.Request{Turn: turnID, Turns: turns, Scope: scope, DryRun: dryRun}, forget)
	}
	if dryRun {
		return rewind.Result{}, nil
	}
	return rewind.Result{}, forget()
}

// forgetFrom records that a turn and all later ones are no longer part of the session.
func (s *Session) forgetFrom(turnID string) error {
	defer s.rereadLog()
	if err := s.State.Log.Append(transcript.Record{At: s.agent.Process.Now(), Event: transcript.Rewound{TurnID: turnID}}, true); err != nil {
		return err
	}
	s.rereadLog()
	s.tellRewound(turnID)
	i := s.Info()
	if err := s.State.Log.Append(transcript.Record{At: s.agent.Process.Now(), Event: i.ToSummary()}, false); err != nil {
		s.agent.Process.Log.Warn("writing a session's summary", "session", s.State.SessionID, "err", err)
	}
	return nil
}

// hasForgotten reports whether the log records that a turn was forgotten.
func (s *Session) hasForgotten(turnID string) (bool, error) {
	rs, err := s.State.Read()
	return slices.ContainsFunc(rs, func(r transcript.Record) bool {
		e, ok := r.Event.(transcript.Rewound)
		return ok && e.TurnID == turnID
	}), err
}

// CompareRounds returns what the turns of the rounds of comments after one round, up to another,
// have made of files. What is only proposed is not in it.
func (s *Session) CompareRounds(from, to int) ([]rewind.Compared, error) {
	rs, err := s.State.Read()
	if err != nil {
		return nil, err
	}
	return s.State.Files.Compare(transcript.TurnsOfRounds(rs, from, to))
}
