package agent

import (
	"context"

	"github.com/emendo-dev/emendo/agent/compact"
	"github.com/emendo-dev/emendo/agent/transcript"
	"github.com/emendo-dev/emendo/agent/turn"
)

// Compact replaces the older part of the conversation with a summary, whatever its
// length. Prompts wait for it. It returns [transcript.ErrBusy] while a turn runs.
// Focus tells the model what to keep; it may be empty.
func (s *Session) Compact(ctx context.Context, focus string) (compact.Result, error) {
	defer s.State.Agent.Use()()
	if err := s.acquire(ctx); err != nil {
		return compact.Result{}, err
	}
	defer s.release()
	if err := s.lockLog(ctx); err != nil {
		return compact.Result{}, err
	}
	defer s.unlockLog()
	s.State.Files.ForgetRedo()
	return turn.Compact(ctx, s.State, focus, func(e transcript.Shortened) error {
		if err := s.State.Log.Append(transcript.Record{At: s.agent.Process.Now(), Event: e}, true); err != nil {
			s.rereadLog()
			return err
		}
		return nil
	})
}
