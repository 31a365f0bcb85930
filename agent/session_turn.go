package agent

import (
	"slices"

	"github.com/emendo-dev/emendo/agent/state"
	"github.com/emendo-dev/emendo/agent/turn"
	"github.com/emendo-dev/emendo/tools"
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
	s.State.Files.UndoInterrupted(of.ctx, s.State.HasForgotten)
	s.State.Files.ForgetRedo()
	s.work = s.agent.commits.Begin(of.ctx, s.State.Work.Tree().Folders())
	defer s.endWork()
	return turn.Run(of.ctx, s.State, of.ID, prepared, s.starts)
}

// endWork notes that neither a turn nor its commands in the background, for which it does not
// wait, change anything any longer. It has an effect once.
func (s *Session) endWork() {
	work := s.work
	s.work = nil
	if work == nil {
		return
	}
	run := slices.DeleteFunc(s.State.Jobs.List(), func(j tools.Job) bool {
		select {
		case <-j.Over():
			return true
		default:
			return false
		}
	})
	if len(run) == 0 {
		work.End()
		return
	}
	s.working.Go(func() {
		for _, j := range run {
			<-j.Over()
		}
		work.End()
	})
}
