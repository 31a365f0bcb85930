package agent

import (
	"context"
	"errors"
	"fmt"
	"sync"

	"github.com/emendo-dev/emendo/ide/disk"
	"github.com/emendo-dev/emendo/tools"
)

// Session is one conversation.
type Session struct {
	agent   *Agent
	id      string
	tree    *disk.Tree
	log     *log
	started Started
	outputs *disk.Tree // the session's folder of long outputs, once there is one; guarded by mu

	mu      sync.Mutex
	info    SessionInfo
	running *turn         // nil between turns
	taken   bool          // a turn runs, or the session is being deleted
	stopped bool          // the turn was cancelled before it ran
	idle    chan struct{} // closed when taken becomes false; nil when it is
	seq     int64         // of the next update
	stored  bool          // the log has the session's first record
	focus   lastFocus     // what the model was last told of the editor
	grants  grants

	told     map[string]string // change set → how its hunks stood when the model was last told
	recorded map[string]recordedSet

	history *history // owned by whoever took the session
}

// ID of the session.
func (s *Session) ID() string { return s.id }

// Info tells how the session stands.
func (s *Session) Info() SessionInfo {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.info
}

// Trusted says whether the session's folders may act.
func (s *Session) Trusted() bool { return s.agent.trusted(s.started.Roots) }

func (s *Session) nextSeq() int64 {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.seq++
	return s.seq - 1
}

// begin takes the session; false when somebody has it.
func (s *Session) begin() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.taken {
		return false
	}
	s.taken, s.stopped, s.idle = true, false, make(chan struct{})
	return true
}

func (s *Session) finish() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.running, s.taken = nil, false
	close(s.idle)
}

// Cancel ends the running turn, or one call of it. It does not wait.
func (s *Session) Cancel(callID string) {
	s.mu.Lock()
	t := s.running
	s.stopped = s.stopped || t == nil && s.taken && callID == ""
	s.mu.Unlock()
	if t != nil {
		t.stop(callID)
	}
}

// close waits for the end of the turn and closes the log.
func (s *Session) close() {
	s.mu.Lock()
	idle := s.idle
	s.mu.Unlock()
	if idle != nil {
		<-idle
	}
	if err := errors.Join(s.log.sync(), s.log.close(), s.dropOutputs(false), s.tree.Close()); err != nil {
		s.agent.log.Error("closing a session", "session", s.id, "err", err)
	}
}

// SetMode changes what the session may do without asking. It holds from the
// next call of a running turn on.
func (s *Session) SetMode(m Mode) error {
	if m.acts() && !s.Trusted() {
		return fmt.Errorf("mode %s in %s: %w", m, s.started.Cwd, ErrUntrusted)
	}
	return s.change(func(i *SessionInfo) { i.Mode = m }, func(quiet bool) Event { return ModeChanged{Mode: m, Quiet: quiet} })
}

// SetModel changes the model from the next turn on.
func (s *Session) SetModel(name string) error {
	return s.change(func(i *SessionInfo) { i.Model = name }, func(quiet bool) Event { return ModelChanged{Model: name, Quiet: quiet} })
}

// Rename gives the session another title.
func (s *Session) Rename(title string) error {
	at := s.agent.now()
	return s.change(func(i *SessionInfo) { i.Title = title }, func(bool) Event { return InfoChanged{Title: title, At: at} })
}

// change sets something and records it: as an update of the running turn, else
// quietly.
func (s *Session) change(set func(*SessionInfo), event func(quiet bool) Event) error {
	s.mu.Lock()
	t, stored := s.running, s.stored
	if t != nil || !stored { // the first prompt records how the session stands
		set(&s.info)
	}
	s.mu.Unlock()
	if t != nil {
		t.box.slip(event(false))
		return nil
	}
	if !stored {
		return nil
	}
	if !s.begin() {
		return ErrBusy
	}
	defer s.finish()
	if err := s.lock(context.Background()); err != nil {
		return err
	}
	defer s.unlock()
	s.mu.Lock()
	set(&s.info)
	s.mu.Unlock()
	e := event(true)
	r := record{At: s.agent.now(), Event: e}
	if shown(e) {
		r.Seq = s.nextSeq()
	}
	if err := s.log.append(r, true); err != nil || r.Seq == 0 {
		return err
	}
	return s.agent.client.Show(context.Background(), Update{SessionID: s.id, Seq: r.Seq, At: r.At, Event: e})
}

// lock takes the log and shows what other processes have added to it.
func (s *Session) lock(ctx context.Context) error {
	rs, err := s.log.lock()
	if err != nil {
		return err
	}
	s.take(rs)
	for _, r := range rs {
		if r.Seq == 0 || r.Event == nil {
			continue
		}
		if err := s.agent.client.Show(ctx, Update{SessionID: s.id, Seq: r.Seq, TurnID: r.Turn, Replay: true, At: r.At, Event: r.Event}); err != nil {
			s.agent.log.Debug("an update of another process was not shown", "session", s.id, "seq", r.Seq, "err", err)
		}
	}
	return nil
}

func (s *Session) unlock() {
	if err := s.log.unlock(); err != nil {
		s.agent.log.Error("unlocking a session's log", "session", s.id, "err", err)
	}
}

// keep records an event that nobody is shown.
func (s *Session) keep(e Event) {
	s.mu.Lock()
	t := s.running
	s.mu.Unlock()
	if t != nil {
		t.box.slip(e)
		return
	}
	if err := s.log.append(record{At: s.agent.now(), Event: e}, false); err != nil {
		s.agent.log.Error("a record was not written", "session", s.id, "err", err)
	}
}

// flush brings everything that was recorded to the disk.
func (s *Session) flush() error {
	s.mu.Lock()
	t := s.running
	s.mu.Unlock()
	if t != nil {
		return t.box.settle(nil)
	}
	return s.log.sync()
}

// grants are the user's standing answers in one session.
type grants struct {
	commands map[string]bool // command and folder, exactly as shown
}

func commandKey(r tools.Runs) string { return r.Dir + "\x00" + r.Command }

func (s *Session) grantCommand(r tools.Runs) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.grants.commands == nil {
		s.grants.commands = map[string]bool{}
	}
	s.grants.commands[commandKey(r)] = true
}

func (s *Session) grantedCommand(r tools.Runs) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.grants.commands[commandKey(r)]
}
