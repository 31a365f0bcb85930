package agent

import (
	"context"
	"errors"
	"io"

	"github.com/emendo-dev/emendo/agent/model"
	"github.com/emendo-dev/emendo/agent/transcript"
	"github.com/emendo-dev/emendo/agent/turn"
	"github.com/emendo-dev/emendo/internal/trust"
)

// History returns the conversation that would be sent now, whether the log has all of
// it, and whether no turn runs.
func History(s *Session) (request []model.Message, settled, idle bool) {
	t := s.runningTurn()
	if t == nil {
		s.State.Record.Read(func(h *transcript.History) { request = h.Request() })
		return request, true, true
	}
	s.State.Record.Read(func(h *transcript.History) { request, settled = h.Request(), s.State.Outbox.Empty() })
	return request, settled, false
}

func (s *Session) runningTurn() (t *turn.Turn) {
	s.inspect(func(l *sessionLoop) { t = l.running })
	return t
}

// BreakLog makes every write to the session's log fail until fix is called.
func BreakLog(s *Session) (fix func()) {
	s.State.Log.WrapWrites(func(io.Writer) io.Writer {
		return writerFunc(func([]byte) (int, error) { return 0, errors.New("the disk is broken") })
	})
	return func() { s.State.Log.WrapWrites(nil) }
}

type writerFunc func([]byte) (int, error)

func (f writerFunc) Write(b []byte) (int, error) { return f(b) }

// UnlockLog lets other processes lock the session's log.
func UnlockLog(s *Session) {
	if err := s.State.Log.Unlock(); err != nil {
		panic(err)
	}
}

// BlockLog makes every write to the session's log wait until unblock is called.
func BlockLog(s *Session) (unblock func()) {
	blocked := make(chan struct{})
	s.State.Log.WrapWrites(func(w io.Writer) io.Writer {
		return writerFunc(func(b []byte) (int, error) { <-blocked; return w.Write(b) })
	})
	return func() {
		close(blocked)
		s.State.Log.WrapWrites(nil)
	}
}

// MayStart reports whether the running turn may start an entry.
func MayStart(ctx context.Context, s *Session, folder string, e trust.Entry) bool {
	_, ok := s.runningTurn().Conversation().Gate.MayStart(ctx, folder, e)
	return ok
}

// Approved reports whether an entry may be started between turns.
func Approved(s *Session, folder string, e trust.Entry) bool {
	_, ok := s.State.Gate.Approved(folder, e)
	return ok
}

// LockLog locks a session's log as another process does.
func LockLog(s *Session) (unlock func()) {
	other := transcript.NewLog(s.State.Log.Path(), nil)
	if _, err := other.Lock(); err != nil {
		panic(err)
	}
	return func() {
		if err := errors.Join(other.Unlock(), other.Close()); err != nil {
			panic(err)
		}
	}
}
