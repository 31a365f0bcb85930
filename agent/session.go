package agent

import (
	"context"
	"errors"
	"fmt"
	"sync"

	"github.com/emendo-dev/emendo/agent/briefing"
	"github.com/emendo-dev/emendo/agent/gate"
	"github.com/emendo-dev/emendo/agent/workplace"

	"github.com/emendo-dev/emendo/agent/policy"
	"github.com/emendo-dev/emendo/agent/rewind"
	"github.com/emendo-dev/emendo/agent/tokens"
	"github.com/emendo-dev/emendo/agent/transcript"
	"github.com/emendo-dev/emendo/ide/disk"
	"github.com/emendo-dev/emendo/tools"
)

// Session is one conversation.
type Session struct {
	agent      *Agent
	id         string
	work       *workplace.Workplace
	briefing   *briefing.Briefing
	log        *transcript.Log
	started    transcript.Started
	cwdMissing bool // it was opened without the folder that it works in
	files      *rewind.Rewinder
	gate       *gate.Gate
	hooking    hooking
	jobs       tools.Jobs // its commands that go on in the background

	messages chan sessionMessage // to the session's goroutine, see sessionLoop
	ended    chan struct{}       // closed when that has ended

	mu     sync.Mutex
	info   transcript.SessionInfo
	stored bool  // the log has the session's first record
	seq    int64 // of the next update

	left    transcript.Exclusions    // what the model is not shown
	context []transcript.ContextItem // what the model was shown for the last step
	rewound map[string]bool          // turns that a rewind took out

	outputs  *disk.Tree        // the session's folder of long outputs, once there is one
	plans    *disk.Tree        // its folder of plans, likewise
	recorded map[string]uint64 // change set → its version in the log

	// Owned by whoever holds the session.
	history   *transcript.History
	reported  map[tools.Job]bool // commands in the background whose end was reported
	ratio     tokens.Ratio       // of its language and content
	estimates tokens.Cache       // of the texts in its requests
	modelTold string             // the model that was last shown as answering
	failed    failedCompaction   // the last attempt at a summary
}

// ID of the session.
func (s *Session) ID() string { return s.id }

// Info describes the session.
func (s *Session) Info() transcript.SessionInfo {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.info
}

// Trusted reports whether the user trusts all of the session's folders.
func (s *Session) Trusted() bool { return s.agent.trusted(s.work.Roots()) }

// Elsewhere reports whether another process runs a turn of the session now.
func (s *Session) Elsewhere() bool {
	held := false
	s.inspect(func(l *sessionLoop) { held = l.holder != nobody })
	if held || !s.isStored() {
		return false
	}
	return s.log.LockedElsewhere()
}

func (s *Session) nextSeq() int64 {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.seq++
	return s.seq - 1
}

// close waits for the end of the turn and closes the session for good.
func (s *Session) close() {
	reply := make(chan bool, 1)
	if open, _ := request(context.Background(), s, &shutdown{reply}, reply); !open {
		<-s.ended
		return
	}
	s.jobs.Close()
	s.endSession(context.Background(), "exit", endHooks)
	s.stop(false)
	if err := errors.Join(s.log.Sync(), s.log.Close(), s.dropOutputs(false), s.work.Close()); err != nil {
		s.agent.log.Error("closing a session", "session", s.id, "err", err)
	}
}

// isStored reports whether the log has the session's first record, or is about
// to get it.
func (s *Session) isStored() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.stored
}

func (s *Session) setInfo(set func(*transcript.SessionInfo)) {
	s.mu.Lock()
	defer s.mu.Unlock()
	set(&s.info)
}

// SetMode changes what the session may do without asking. It applies from
// the next call of a running turn on.
func (s *Session) SetMode(m policy.Mode) error {
	if m.Acts() && !s.Trusted() {
		return fmt.Errorf("mode %s in %s: %w", m, s.started.Cwd, transcript.ErrUntrusted)
	}
	return s.change(func(i *transcript.SessionInfo) { i.Mode = m }, func(quiet bool) transcript.Event { return transcript.ModeChanged{Mode: m, Quiet: quiet} })
}

// SetModel changes the model from the next turn on.
func (s *Session) SetModel(name string) error {
	return s.change(func(i *transcript.SessionInfo) { i.Model = name }, func(quiet bool) transcript.Event { return transcript.ModelChanged{Model: name, Quiet: quiet} })
}

// Rename gives the session another title.
func (s *Session) Rename(title string) error {
	at := s.agent.now()
	title = transcript.CleanTitle(title, transcript.GivenTitle)
	return s.change(func(i *transcript.SessionInfo) { i.Title = title }, func(bool) transcript.Event { return transcript.InfoChanged{Title: title, At: at} })
}

// change sets something and records it: as an update of the running turn, else
// quietly.
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

// changeQuietly changes something between turns. The caller holds the session.
func (s *Session) changeQuietly(set func(*transcript.SessionInfo), e transcript.Event) error {
	if err := s.lock(context.Background()); err != nil {
		return err
	}
	defer s.unlock()
	r := transcript.Record{At: s.agent.now(), Event: e}
	if transcript.Shown(e) {
		r.Seq = s.nextSeq()
	}
	if err := s.log.Append(r, true); err != nil {
		s.reread()
		return err
	}
	s.setInfo(func(i *transcript.SessionInfo) {
		set(i)
		i.Used(r.At)
	})
	if r.Seq == 0 {
		return nil
	}
	return s.agent.client.Show(context.Background(), transcript.Update{SessionID: s.id, Seq: r.Seq, At: r.At, Event: e})
}

// lock locks the log and shows what other processes have appended to it. The
// caller holds the session.
func (s *Session) lock(ctx context.Context) error {
	s.awaitWrites()
	rs, err := s.log.Lock()
	if err != nil {
		return err
	}
	if transcript.Rewinds(rs) {
		s.reread()
	} else {
		s.take(rs)
	}
	if err := s.restore(ctx, rs); err != nil {
		s.agent.log.Error("the change sets of another process were not taken in", "session", s.id, "err", err)
	}
	for _, r := range transcript.Surviving(rs) {
		if r.Seq == 0 || r.Event == nil {
			continue
		}
		if err := s.agent.client.Show(ctx, transcript.Update{SessionID: s.id, Seq: r.Seq, TurnID: r.Turn, Replay: true, At: r.At, Event: r.Event}); err != nil {
			s.agent.log.Debug("an update of another process was not shown", "session", s.id, "seq", r.Seq, "err", err)
		}
	}
	return nil
}

func (s *Session) unlock() {
	if err := s.log.Unlock(); err != nil {
		s.agent.log.Error("unlocking a session's log", "session", s.id, "err", err)
	}
}

// reread makes the session what its log says, after something could not be
// recorded: what is not recorded has not happened.
func (s *Session) reread() {
	rs, err := s.read()
	if err != nil {
		s.agent.log.Error("reading a session again", "session", s.id, "err", err)
		return
	}
	s.mu.Lock()
	i := s.info
	s.info = transcript.SessionInfo{ID: i.ID, Title: i.Title, Cwd: i.Cwd, Roots: i.Roots, CreatedAt: i.CreatedAt, UpdatedAt: i.CreatedAt, Model: i.Model, Mode: i.Mode}
	s.history, s.seq, s.stored, s.left, s.rewound = transcript.NewHistory(), 1, false, nil, nil
	s.mu.Unlock()
	s.briefing.Forget()
	s.send(&orphanRecords{reset: true})
	s.take(rs)
}
