package agent

import (
	"context"
	"errors"
	"fmt"

	"github.com/emendo-dev/emendo/agent/state"
	"github.com/emendo-dev/emendo/agent/transcript"
)

// Release closes a session: its descriptors, its history. One that is stored is
// opened again when it is asked for. A session whose turn runs is busy. One whose
// change sets the ledger still has stays open, for decisions about them have to
// be recorded.
func (a *Agent) Release(ctx context.Context, id string) error {
	s := a.known(id)
	if s == nil || len(a.Options.Ledger.List(id, "", "")) > 0 {
		return nil
	}
	if err := a.release(ctx, s); !errors.Is(err, transcript.ErrUnknownSession) { // else it was closed meanwhile
		return err
	}
	return nil
}

// release closes a session, which is opened again when it is asked for. It
// acquires the session first: whoever holds that may open others.
func (a *Agent) release(ctx context.Context, s *Session) error {
	if err := s.acquire(ctx); err != nil {
		return err
	}
	a.opening.Lock() // it is not opened a second time meanwhile
	defer a.opening.Unlock()
	a.mu.Lock()
	delete(a.sessions, s.SessionID)
	a.mu.Unlock()
	s.Jobs.Close()
	s.EndSession(ctx, "other", state.EndHooks)
	s.stop(false)
	if err := errors.Join(s.Log.Sync(), s.Log.Close(), s.Private.Close(false), s.Work.Close()); err != nil {
		return fmt.Errorf("closing session %s: %w", s.SessionID, err)
	}
	return nil
}
