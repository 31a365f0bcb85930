package agent

import (
	"context"
	"errors"
	"maps"
	"slices"
	"sync"
	"time"

	"github.com/emendo-dev/emendo/agent/hooks"
)

// hooking is what a session remembers of its hooks.
type hooking struct {
	mu    sync.Mutex
	begun bool            // SessionStart has been told in this process
	ended bool            // and SessionEnd
	told  map[string]bool // failures that the user was told of
}

// begin notes that a turn runs in which there may be hooks; first says that
// there was none before in this process.
func (h *hooking) begin() (first bool) {
	h.mu.Lock()
	defer h.mu.Unlock()
	first = !h.begun
	h.begun, h.ended = true, false
	return first
}

// How long hooks have when a session ends: in a hurry, because whoever ended the
// process waits, and in an orderly end.
const (
	endHooks   = 500 * time.Millisecond
	orderlyEnd = 10 * time.Second
)

var errHooksEnd = errors.New("the session ends")

// EndSessions runs the hooks of the end of all sessions while there is time for
// them. What is not done before [Agent.Close] gets half a second there.
func (a *Agent) EndSessions(ctx context.Context) {
	a.mu.Lock()
	all := slices.Collect(maps.Values(a.sessions))
	a.mu.Unlock()
	var ending sync.WaitGroup
	for _, s := range all {
		ending.Go(func() { s.endSession(ctx, "exit", orderlyEnd) })
	}
	ending.Wait()
}

// endSession runs the hooks of the session's end, once, when it had a beginning.
func (s *Session) endSession(ctx context.Context, reason string, within time.Duration) {
	s.hooking.mu.Lock()
	due := s.hooking.begun && !s.hooking.ended
	s.hooking.ended = true
	s.hooking.mu.Unlock()
	if !due {
		return
	}
	ctx, cancel := context.WithTimeoutCause(ctx, within, errHooksEnd)
	defer cancel()
	s.fireAside(ctx, hooks.EndInput{Reason: reason})
}
