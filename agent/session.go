package agent

import (
	"context"
	"errors"
	"fmt"
	"sync"

	"github.com/emendo-dev/emendo/agent/commits"
	"github.com/emendo-dev/emendo/agent/policy"
	"github.com/emendo-dev/emendo/agent/slash"
	"github.com/emendo-dev/emendo/agent/state"
	"github.com/emendo-dev/emendo/agent/transcript"
)

// Session is one conversation.
type Session struct {
	State      *state.Session
	agent      *Agent
	ephemeral  bool // its log is deleted when it is released
	cwdMissing bool // Cwd did not exist when the session was opened

	messages chan sessionMessage // to the session's goroutine, see sessionLoop
	ended    chan struct{}       // closed when that goroutine has ended

	work    *commits.Work  // of the running turn
	working sync.WaitGroup // work in the background

	mu       sync.Mutex
	recorded map[string]uint64 // change set → its version in the log
	taken    map[string]bool   // comments that are being sent
}

// ID of the session.
func (s *Session) ID() string { return s.State.SessionID }

// Info describes the session.
func (s *Session) Info() transcript.SessionInfo { return s.State.Info() }

// Trusted reports whether the user trusts all of the session's folders.
func (s *Session) Trusted() bool { return s.State.Trusted() }

// SetMode changes the session's mode, see [state.Session.SetMode].
func (s *Session) SetMode(m policy.Mode) error { return s.State.SetMode(m) }

// SetModel changes the model. It applies from the next turn.
func (s *Session) SetModel(name string) error { return s.State.SetModel(name) }

// Rename changes the session's title.
func (s *Session) Rename(title string) error { return s.State.Rename(title) }

// Exclude excludes something from the context, or includes it again, see
// [state.Session.Exclude].
func (s *Session) Exclude(e transcript.Exclusion, on bool) error { return s.State.Exclude(e, on) }

// Commands returns the slash commands of the session, including those defined in
// files at this moment.
func (s *Session) Commands(ctx context.Context) []transcript.Command { return slash.All(ctx, s.State) }

// Elsewhere reports whether another process is running a turn of the session.
func (s *Session) Elsewhere() bool {
	held := false
	s.inspect(func(l *sessionLoop) { held = l.holder != nobody })
	if held || !s.State.Record.IsStored() {
		return false
	}
	return s.State.Log.LockedElsewhere()
}

// close waits for the running turn and closes the session for good.
func (s *Session) close() {
	open := false
	_ = s.ask(context.Background(), func(l *sessionLoop) error {
		_ = l.shutDown()
		if l.holder != nobody {
			return errLater
		}
		open, l.closed = !l.closed, true
		return nil
	})
	if !open {
		<-s.ended
		return
	}
	if err := s.end(context.Background(), "exit"); err != nil {
		s.agent.Process.Log.Error("closing a session", "session", s.State.SessionID, "err", err)
	}
}

// end frees what the session holds, which the caller holds or has closed. reason is what its
// hooks read.
func (s *Session) end(ctx context.Context, reason string) error {
	s.State.Files.Close()
	s.State.Jobs.Close()
	s.working.Wait()
	s.State.CloseSupplies()
	s.State.EndSession(ctx, reason, state.EndHooks)
	CommentsOf(s).unfollow()
	s.stop()
	if err := errors.Join(s.State.Log.Sync(), s.State.Log.Close(), s.State.Private.Close(false), s.State.Work.Close()); err != nil {
		return fmt.Errorf("closing session %s: %w", s.State.SessionID, err)
	}
	return nil
}

// change changes the session and records it: as an update of the running turn if there is
// one, else quietly; in a session that is not stored yet, with the first prompt. set is called
// by [state.Record.SetInfo], so it must not call the record.
func (s *Session) change(set func(*transcript.SessionInfo), event func(quiet bool) transcript.Event) error {
	held, update := false, event(false)
	err := s.ask(context.Background(), func(l *sessionLoop) error {
		switch {
		case l.running != nil && !l.ending:
			s.State.Record.SetInfo(set)
			s.State.Outbox.PutNow(update)
			return nil
		case l.holder == nobody && !l.closed && !s.State.Record.IsStored():
			s.State.Record.SetInfo(set)
			return nil
		}
		err := l.acquire(context.Background())
		held = err == nil
		return err
	})
	if !held {
		return err
	}
	defer s.release()
	return s.changeQuietly(set, event(true))
}

// changeQuietly changes the session between turns. The caller holds the session.
func (s *Session) changeQuietly(set func(*transcript.SessionInfo), e transcript.Event) error {
	if err := s.lockLog(context.Background()); err != nil {
		return err
	}
	defer s.unlockLog()
	r := transcript.Record{At: s.agent.Process.Now(), Event: e}
	if transcript.Shown(e) {
		r.Seq = s.State.Record.NextSeq()
	}
	if err := s.State.Log.Append(r, true); err != nil {
		s.rereadLog()
		return err
	}
	s.State.Record.SetInfo(func(i *transcript.SessionInfo) {
		set(i)
		i.Used(r.At)
	})
	s.State.Record.Add(e)
	if r.Seq == 0 {
		return nil
	}
	return s.agent.Process.Client.Show(context.Background(), transcript.Update{SessionID: s.State.SessionID, Seq: r.Seq, At: r.At, Event: e})
}

// owner is the session as its turns see it. It implements [state.Owner].
type owner struct{ session *Session }

// Change implements [state.Owner].
func (o owner) Change(set func(*transcript.SessionInfo), event func(quiet bool) transcript.Event) error {
	return o.session.change(set, event)
}

// TakeSteers implements [state.Owner].
func (o owner) TakeSteers(closes func(none bool) bool) (said []state.Prompt) {
	o.session.inspect(func(l *sessionLoop) {
		for _, t := range l.steers {
			said = append(said, t.prompt)
		}
		l.steers = nil
		l.steersClosed = l.steersClosed || closes(len(said) == 0)
	})
	return said
}

// TakeOrphaned implements [state.Owner].
func (o owner) TakeOrphaned() []transcript.Queued { return o.session.takeOrphans(false) }

// TurnEnding implements [state.Owner].
func (o owner) TurnEnding(pauses bool) {
	o.session.endWork() // a commit that the user makes when they see the end is theirs
	o.session.send(func(l *sessionLoop) error {
		l.ending = true
		if pauses {
			l.paused = len(l.queue) > 0 && !l.interrupted
		}
		return nil
	})
}

// Reread implements [state.Owner].
func (o owner) Reread() { o.session.rereadLog() }
