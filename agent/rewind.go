package agent

import (
	"context"
	"fmt"

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
	unlock, err := s.lock(ctx)
	if err != nil {
		return rewind.Result{}, err
	}
	defer unlock()
	var rs []transcript.Record
	if s.State.Record.IsStored() {
		if rs, err = s.State.Read(); err != nil {
			return rewind.Result{}, err
		}
	}
	turns := transcript.TurnsFrom(rs, turnID)
	if len(turns) == 0 {
		return rewind.Result{}, fmt.Errorf("%q: %w", turnID, transcript.ErrUnknownTurn)
	}
	s.State.Files.UndoInterrupted(ctx, s.State.HasForgotten)
	return s.State.Files.Rewind(ctx, rewind.Request{Turn: turnID, Turns: turns, Scope: scope, DryRun: dryRun}, func() error {
		return s.recordRewind(transcript.Rewound{TurnID: turnID})
	})
}

// Redo undoes the last rewind, unless there was a prompt since, or something of its files has
// changed: conversation and files are as before it. On error nothing has changed.
func (s *Session) Redo(ctx context.Context, dryRun bool) (rewind.Result, error) {
	unlock, err := s.lock(ctx)
	if err != nil {
		return rewind.Result{}, err
	}
	defer unlock()
	s.State.Files.UndoInterrupted(ctx, s.State.HasForgotten)
	return s.State.Files.Redo(ctx, dryRun, func(turnID string) error {
		rs, err := s.State.Read()
		if err != nil {
			return err
		}
		if l := transcript.RewoundTo(rs); len(l) == 0 || l[len(l)-1] != turnID {
			return rewind.ErrNoRedo
		}
		return s.recordRewind(transcript.Redone{TurnID: turnID})
	})
}

// lock takes the session and its log, for as long as nothing else may use them.
func (s *Session) lock(ctx context.Context) (unlock func(), err error) {
	if err := s.acquire(ctx); err != nil {
		return nil, err
	}
	if s.State.Record.IsStored() {
		if err := s.lockLog(ctx); err != nil {
			s.release()
			return nil, err
		}
		return func() { s.unlockLog(); s.release() }, nil
	}
	return s.release, nil
}

// recordRewind records that turns are not part of the session any more, or are again.
func (s *Session) recordRewind(e transcript.Event) error {
	defer s.rereadLog()
	if err := s.State.Log.Append(transcript.Record{At: s.agent.Process.Now(), Event: e}, true); err != nil {
		return err
	}
	s.rereadLog()
	s.tellRewound(e, 0)
	i := s.Info()
	if err := s.State.Log.Append(transcript.Record{At: s.agent.Process.Now(), Event: i.ToSummary()}, false); err != nil {
		s.agent.Process.Log.Warn("writing a session's summary", "session", s.State.SessionID, "err", err)
	}
	return nil
}
