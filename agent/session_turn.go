package agent

import (
	"github.com/emendo-dev/emendo/agent/state"
	"github.com/emendo-dev/emendo/agent/turn"
)

// runTurn runs a turn. The turn holds the session.
func (s *Session) runTurn(of *Turn) (state.Ended, error) {
	defer s.State.Agent.Use()()
	if err := s.checkCwd(); err != nil {
		return state.Ended{}, err
	}
	prepared, err := turn.Prepare(of.ctx, s.State, of.prompt, of.how == Alone)
	if err != nil {
		return state.Ended{}, err
	}
	if err := s.lockLog(of.ctx); err != nil {
		return state.Ended{}, err
	}
	defer s.unlockLog()
	s.State.Files.UndoInterrupted(of.ctx, s.hasForgotten)
	return turn.Run(of.ctx, s.State, of.ID, prepared, s.starts)
}
