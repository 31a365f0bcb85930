package agent

import (
	"errors"
	"fmt"

	"github.com/emendo-dev/emendo/agent/memory"
	"github.com/emendo-dev/emendo/tools"
)

// notes are where facts are saved; false when there is no folder for them.
func (s *Session) notes() (memory.Notes, bool) {
	dir := s.agent.o.MemoryDir
	return memory.Notes{Dir: dir}, dir != ""
}

// remember gives tools the way to save a fact for the session's workspace.
func (s *Session) remember() func(fact string) error {
	n, ok := s.notes()
	if !ok {
		return nil
	}
	return func(fact string) error {
		err := n.Add(s.started.Cwd, fact, fmt.Sprintf("%s, session %s", s.agent.now().Format("2006-01-02"), s.id))
		switch {
		case errors.Is(err, memory.ErrFull):
			return tools.Errorf(tools.WriteFailure, "%v in %s; the user can remove some", err, n.Path(s.started.Cwd))
		case errors.Is(err, memory.ErrKnown):
			return nil
		}
		return err
	}
}
