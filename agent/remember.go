package agent

import (
	"errors"
	"fmt"
	"slices"

	"github.com/emendo-dev/emendo/agent/memory"
	"github.com/emendo-dev/emendo/tools"
)

// remembers asks before something is saved that every later session reads.
func (g gate) remembers(tool string) verdict {
	switch {
	case !g.trusted:
		return denied(tools.Untrusted, "untrusted_workspace", "untrusted_workspace: the folder is restricted, so nothing is saved for it. The user can trust it (command emendo.trust, or `emendo trust add`).")
	case g.mode == PlanMode:
		return denied(tools.PolicyViolation, "mode plan", "In plan mode nothing is saved. Say in the plan what should be remembered.")
	case g.mode == Yolo, slices.Contains(g.allowed, tool):
		return verdict{kind: allow}
	}
	return g.question("mode "+string(g.mode), "Every later session of this workspace would read it.")
}

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
