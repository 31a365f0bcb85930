package agent

import (
	"context"
	"errors"

	"github.com/emendo-dev/emendo/agent/transcript"
)

// Release closes a session and frees its resources. A stored session reopens on
// demand. Release returns [transcript.ErrBusy] while a turn runs. A session with
// change sets in the ledger stays open, so that decisions about them can be
// recorded. An ephemeral session is deleted, and its pending hunks are rejected.
func (a *Agent) Release(ctx context.Context, id string) error {
	s := a.known(id)
	if s != nil && s.ephemeral {
		return a.Delete(ctx, id)
	}
	if s == nil || len(a.Process.Options.Ledger.List(id, "", "")) > 0 {
		return nil
	}
	if err := a.release(ctx, s); !errors.Is(err, transcript.ErrUnknownSession) { // else it was closed meanwhile
		return err
	}
	return nil
}

// release closes a session. It acquires the session before a.opening, because the
// holder of a session may open others.
func (a *Agent) release(ctx context.Context, s *Session) error {
	if err := s.acquire(ctx); err != nil {
		return err
	}
	a.opening.Lock() // keeps the session from being reopened meanwhile
	defer a.opening.Unlock()
	a.mu.Lock()
	delete(a.sessions, s.State.SessionID)
	a.mu.Unlock()
	return s.end(ctx, "other")
}
