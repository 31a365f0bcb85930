package agent

import (
	"context"

	"github.com/emendo-dev/emendo/agent/state"
	"github.com/emendo-dev/emendo/agent/transcript"
	"github.com/emendo-dev/emendo/agent/turn"
)

// Compact replaces the older part of the conversation with a summary, whatever its
// length. Prompts wait for it. It returns [transcript.ErrBusy] while a turn runs.
// Focus tells the model what to keep; it may be empty.
func (s *Session) Compact(ctx context.Context, focus string) (turn.Compacted, error) {
	if err := s.acquire(ctx); err != nil {
		return turn.Compacted{}, err
	}
	defer s.release()
	if err := s.records.lock(ctx); err != nil {
		return turn.Compacted{}, err
	}
	defer s.records.unlock()
	t := turn.NewTurn(s.core, "", state.Prompt{})
	return t.Compactor.SumUp(ctx, focus, func(e transcript.Shortened) error {
		if err := s.Log.Append(transcript.Record{At: s.agent.Now(), Event: e}, true); err != nil {
			s.records.reread()
			return err
		}
		t.Fold(e)
		return nil
	})
}
