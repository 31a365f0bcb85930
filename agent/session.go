package agent

import (
	"context"
	"errors"
	"fmt"
	"sync"

	"github.com/emendo-dev/emendo/agent/policy"
	"github.com/emendo-dev/emendo/agent/tokens"
	"github.com/emendo-dev/emendo/ide/disk"
	"github.com/emendo-dev/emendo/tools"
)

// Session is one conversation.
type Session struct {
	agent   *Agent
	id      string
	work    workplace
	log     *log
	started Started
	astray  bool // it was opened without the folder that it works in
	hooking hooking
	jobs    tools.Jobs // its commands that go on in the background

	mu      sync.Mutex
	info    SessionInfo
	stored  bool          // the log has the session's first record
	seq     int64         // of the next update
	running *turn         // nil between turns
	over    bool          // it has told its end
	stopped bool          // it was cancelled before it ran
	waiting []*queued     // prompts that go after it, each as a turn of its own
	paused  bool          // they stand still since the user cancelled a turn
	unsaid  []Queued      // what waited in a process that ended, or could not begin
	taken   taking        // who has the session
	gone    bool          // closed or deleted
	ending  bool          // the agent closes: no turn begins any more
	moved   chan struct{} // closed, and made anew, when one of those above has changed

	focus   lastFocus                // what the model was last told of the editor
	left    exclusions               // what it is not shown
	context []ContextItem            // what it was shown for the last step
	rewound map[string]bool          // turns that a rewind took out
	grants  []*policy.Rule           // the user's standing answers
	wider   map[string]tools.Wider   // what the user opened to a command, by where and what it is
	toldOf  map[tools.Job]bool       // whose end was noticed
	asked   map[string]*openQuestion // by what they are about
	starts  starts

	outputs  *disk.Tree        // the session's folder of long outputs, once there is one
	plans    *disk.Tree        // its folder of plans, likewise
	recorded map[string]uint64 // change set → its version in the log

	// Owned by whoever took the session.
	history   *history
	ratio     tokens.Ratio     // of its language and content
	estimates tokens.Cache     // of the texts in its requests
	modelTold string           // the model that the user was told answers
	failed    failedCompaction // the last attempt at a summary
}

// taking says who has a session.
type taking int

const (
	nobody taking = iota
	aTurn
	aMoment // what is soon done, such as a change of the mode
)

// ID of the session.
func (s *Session) ID() string { return s.id }

// Info tells how the session stands.
func (s *Session) Info() SessionInfo {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.info
}

// Trusted says whether the session's folders may act.
func (s *Session) Trusted() bool { return s.agent.trusted(s.roots()) }

func (s *Session) nextSeq() int64 {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.seq++
	return s.seq - 1
}

// begin takes the session. While a turn has it, it is busy; everything else
// that has it is soon done with it, and so is a turn that has told its end.
func (s *Session) begin(ctx context.Context, by taking) error {
	for {
		s.mu.Lock()
		switch {
		case s.gone, s.ending && by == aTurn:
			s.mu.Unlock()
			return fmt.Errorf("%s was closed: %w", s.id, ErrUnknownSession)
		case s.taken == aTurn && !s.over, by == aTurn && len(s.waiting) > 0 && !s.paused:
			s.mu.Unlock()
			return ErrBusy
		case s.taken == nobody:
			s.takeFor(by)
			s.mu.Unlock()
			return nil
		}
		moved := s.moved
		s.mu.Unlock()
		select {
		case <-moved:
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
}

// takeFor gives the session to whoever asked for it; s.mu is held.
func (s *Session) takeFor(by taking) {
	s.taken, s.stopped, s.over = by, false, false
	s.paused = s.paused && by != aTurn // the user went on
	s.stir()
}

// finish gives the session back.
func (s *Session) finish() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.running, s.taken, s.over = nil, nobody, false
	s.stir()
}

// stir wakes who waits for the session; s.mu is held.
func (s *Session) stir() {
	close(s.moved)
	s.moved = make(chan struct{})
}

// aside runs f while no update of the session is on its way: between two
// updates of the turn that runs, or else with the session taken.
func (s *Session) aside(ctx context.Context, f func() error) error {
	for {
		s.mu.Lock()
		if t := s.running; t != nil {
			p := t.box.insert(f)
			s.mu.Unlock()
			<-p.landed
			return p.err
		}
		moved := s.moved
		s.mu.Unlock()
		err := s.begin(ctx, aMoment)
		if err == nil {
			defer s.finish()
			return f()
		}
		if !errors.Is(err, ErrBusy) {
			return err
		}
		select { // a turn is about to run
		case <-moved:
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
}

// Cancel ends the running turn, or one call of it. It does not wait.
func (s *Session) Cancel(callID string) {
	s.mu.Lock()
	t := s.running
	s.stopped = s.stopped || t == nil && s.taken == aTurn && callID == ""
	s.mu.Unlock()
	if t != nil {
		t.stop(callID)
	}
}

// close waits for the end of the turn and closes the session for good.
func (s *Session) close() {
	for {
		s.mu.Lock()
		if s.taken == nobody {
			s.gone = true
			s.stir()
			s.mu.Unlock()
			break
		}
		moved := s.moved
		s.mu.Unlock()
		<-moved
	}
	s.jobs.Close()
	s.endSession(context.Background(), "exit", endHooks)
	if err := errors.Join(s.log.sync(), s.log.close(), s.dropOutputs(false), s.closeTrees()); err != nil {
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
	title = cleanTitle(title, givenTitle)
	return s.change(func(i *SessionInfo) { i.Title = title }, func(bool) Event { return InfoChanged{Title: title, At: at} })
}

// change sets something and records it: as an update of the running turn, else
// quietly.
func (s *Session) change(set func(*SessionInfo), event func(quiet bool) Event) error {
	for {
		s.mu.Lock()
		switch {
		case s.running != nil && !s.over:
			set(&s.info)
			s.running.box.slip(event(false))
			s.mu.Unlock()
			return nil
		case s.taken == nobody && !s.stored && !s.gone: // the first prompt records how the session stands
			set(&s.info)
			s.mu.Unlock()
			return nil
		}
		moved := s.moved
		s.mu.Unlock()
		err := s.begin(context.Background(), aMoment)
		if err == nil {
			defer s.finish()
			return s.changeQuietly(set, event(true))
		}
		if !errors.Is(err, ErrBusy) {
			return err
		}
		<-moved // a turn is about to run
	}
}

// changeQuietly changes something between turns; the session is taken.
func (s *Session) changeQuietly(set func(*SessionInfo), e Event) error {
	if err := s.lock(context.Background()); err != nil {
		return err
	}
	defer s.unlock()
	r := record{At: s.agent.now(), Event: e}
	if shown(e) {
		r.Seq = s.nextSeq()
	}
	if err := s.log.append(r, true); err != nil {
		s.reread()
		return err
	}
	s.mu.Lock()
	set(&s.info)
	s.info.used(r.At)
	s.mu.Unlock()
	if r.Seq == 0 {
		return nil
	}
	return s.agent.client.Show(context.Background(), Update{SessionID: s.id, Seq: r.Seq, At: r.At, Event: e})
}

// lock takes the log and shows what other processes have added to it.
func (s *Session) lock(ctx context.Context) error {
	rs, err := s.log.lock()
	if err != nil {
		return err
	}
	if rewinds(rs) {
		s.reread()
	} else {
		s.take(rs)
	}
	if err := s.restore(ctx, rs); err != nil {
		s.agent.log.Error("the change sets of another process were not taken in", "session", s.id, "err", err)
	}
	for _, r := range surviving(rs) {
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

// keep records an event that nobody is shown. It never waits for the client.
func (s *Session) keep(e Event) {
	s.mu.Lock()
	if t := s.running; t != nil {
		t.box.slip(e)
		s.mu.Unlock()
		return
	}
	s.mu.Unlock()
	if err := s.log.append(record{At: s.agent.now(), Event: e}, false); err != nil {
		s.agent.log.Error("a record was not written", "session", s.id, "err", err)
	}
}

// flush brings everything that was recorded to the disk.
func (s *Session) flush() error {
	s.mu.Lock()
	if t := s.running; t != nil {
		p := t.box.insert(nil)
		s.mu.Unlock()
		return t.box.wait(p)
	}
	s.mu.Unlock()
	return s.log.sync()
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
	s.info = SessionInfo{ID: i.ID, Title: i.Title, Cwd: i.Cwd, Roots: i.Roots, CreatedAt: i.CreatedAt, UpdatedAt: i.CreatedAt, Model: i.Model, Mode: i.Mode}
	s.history, s.seq, s.stored, s.focus, s.left, s.rewound = newHistory(), 1, false, lastFocus{}, nil, nil
	s.unsaid = nil
	s.mu.Unlock()
	s.take(rs)
}
