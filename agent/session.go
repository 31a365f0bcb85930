package agent

import (
	"context"
	"errors"

	"github.com/emendo-dev/emendo/agent/slash"
	"github.com/emendo-dev/emendo/agent/state"
	"github.com/emendo-dev/emendo/agent/transcript"
)

// Session is one conversation.
type Session struct {
	*core
	agent      *Agent
	ephemeral  bool // its log is deleted when it is released
	cwdMissing bool // Cwd did not exist when the session was opened

	records sessionRecords

	messages chan sessionMessage // to the session's goroutine, see sessionLoop
	ended    chan struct{}       // closed when that goroutine has ended

	recorded map[string]uint64 // change set → its version in the log; guarded by Mu
}

type core = state.Session

// Commands returns the slash commands of the session, including those defined in
// files at this moment.
func (s *Session) Commands(ctx context.Context) []transcript.Command { return slash.All(ctx, s.core) }

// Elsewhere reports whether another process is running a turn of the session.
func (s *Session) Elsewhere() bool {
	held := false
	s.inspect(func(l *sessionLoop) { held = l.holder != nobody })
	if held || !s.IsStored() {
		return false
	}
	return s.Log.LockedElsewhere()
}

// close waits for the running turn and closes the session for good.
func (s *Session) close() {
	reply := make(chan bool, 1)
	if open, _ := request(context.Background(), s, &shutdown{reply}, reply); !open {
		<-s.ended
		return
	}
	s.Files.Close()
	s.Jobs.Close()
	s.CloseSupplies()
	s.EndSession(context.Background(), "exit", state.EndHooks)
	s.stop(false)
	if err := errors.Join(s.Log.Sync(), s.Log.Close(), s.Private.Close(false), s.Work.Close()); err != nil {
		s.agent.Log.Error("closing a session", "session", s.SessionID, "err", err)
	}
}

// change changes the session and records it: as an update of the running turn if
// there is one, else quietly.
func (s *Session) change(set func(*transcript.SessionInfo), event func(quiet bool) transcript.Event) error {
	reply := make(chan grant, 1)
	g, ok := request(context.Background(), s, &change{set, event(false), reply}, reply)
	switch {
	case !ok:
		return s.errClosed()
	case !g.held:
		return g.err
	}
	defer s.release()
	return s.changeQuietly(set, event(true))
}

// changeQuietly changes the session between turns. The caller holds the session.
func (s *Session) changeQuietly(set func(*transcript.SessionInfo), e transcript.Event) error {
	if err := s.records.lock(context.Background()); err != nil {
		return err
	}
	defer s.records.unlock()
	r := transcript.Record{At: s.agent.Now(), Event: e}
	if transcript.Shown(e) {
		r.Seq = s.NextSeq()
	}
	if err := s.Log.Append(r, true); err != nil {
		s.records.reread()
		return err
	}
	s.SetInfo(func(i *transcript.SessionInfo) {
		set(i)
		i.Used(r.At)
	})
	s.Mu.Lock()
	s.History.Add(e)
	s.Mu.Unlock()
	if r.Seq == 0 {
		return nil
	}
	return s.agent.Client.Show(context.Background(), transcript.Update{SessionID: s.SessionID, Seq: r.Seq, At: r.At, Event: e})
}

// asOwner returns the functions with which turns call the session.
func (s *Session) asOwner() state.Owner {
	return state.Owner{
		Change: s.change, TakeOrphaned: orphaned{s}.take, Reread: s.records.reread,
		TakeSteers: func(closes func(none bool) bool) []state.Prompt {
			reply := make(chan []state.Prompt, 1)
			said, _ := request(context.Background(), s, &steers{closes, reply}, reply) // the turn runs, so the session is not closed
			return said
		},
		TurnEnding: func(pauses bool) { s.send(&turnEnding{pauses}) },
		TurnFlushed: func() bool {
			reply := make(chan bool, 1)
			out, _ := request(context.Background(), s, &turnFlushed{reply}, reply)
			return out
		},
	}
}
