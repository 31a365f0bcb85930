package agent

import (
	"context"
	"errors"

	"github.com/emendo-dev/emendo/agent/model"
	"github.com/emendo-dev/emendo/ide"
	"github.com/emendo-dev/emendo/ide/ledger"
	"github.com/emendo-dev/emendo/internal/trust"
)

// History is what the model would be sent of a session now; settled says that
// the log holds all of it, and idle that no turn runs.
func History(s *Session) (request []model.Message, settled, idle bool) {
	t := s.runningTurn()
	if t == nil {
		return s.history.request(), true, true
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	return s.history.request(), t.box.empty(), false
}

func (s *Session) runningTurn() (t *turn) {
	s.inspect(func(l *sessionLoop) { t = l.running })
	return t
}

// BreakLog has every write of the session's log fail until mend is called.
func BreakLog(s *Session) (mend func()) {
	s.log.mu.Lock()
	defer s.log.mu.Unlock()
	if err := s.log.f.Close(); err != nil {
		panic(err)
	}
	return func() {
		s.log.mu.Lock()
		defer s.log.mu.Unlock()
		s.log.f = nil // it is opened again
	}
}

// BlockLog has every write of the session's log wait until unblock is called.
func BlockLog(s *Session) (unblock func()) {
	s.log.mu.Lock()
	return s.log.mu.Unlock
}

// testOptions are enough to make an agent that nobody talks to.
func testOptions() Options {
	w := ide.NewWorkspace(nil, ide.UTF16)
	return Options{Workspace: w, Ledger: ledger.New(ledger.Options{Workspace: w})}
}

// InDoubt says whether the session has read what nobody vouches for; no turn
// runs.
func InDoubt(s *Session) bool { return s.history.doubt.on() }

// MayStart asks whether the running turn may start an entry.
func MayStart(ctx context.Context, s *Session, folder string, e trust.Entry) bool {
	return s.runningTurn().mayStart(ctx, folder, e)
}

// Approved asks whether an entry may be started when no turn runs.
func Approved(s *Session, folder string, e trust.Entry) bool { return s.approved(folder, e) }

// LockLog locks a session's log as another process does.
func LockLog(s *Session) (unlock func()) {
	other := &log{path: s.log.path}
	if _, err := other.lock(); err != nil {
		panic(err)
	}
	return func() {
		if err := errors.Join(other.unlock(), other.close()); err != nil {
			panic(err)
		}
	}
}
