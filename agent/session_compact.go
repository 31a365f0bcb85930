package agent

import (
	"context"

	"github.com/emendo-dev/emendo/agent/state"
	"github.com/emendo-dev/emendo/agent/transcript"
	"github.com/emendo-dev/emendo/agent/turn"
)

// Compact has the older part of the conversation summed up, however long it is.
// Prompts wait for it; while a turn runs the session is busy. Focus is what the
// user wants kept above all; it may be empty.
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
