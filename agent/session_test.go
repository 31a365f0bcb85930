package agent_test

import (
	"testing"
	"testing/synctest"

	"github.com/emendo-dev/emendo/agent"
	"github.com/emendo-dev/emendo/agent/agenttest"
)

// A session is elsewhere while another process runs its turn.
func TestElsewhere(t *testing.T) {
	agenttest.InWorld(t, nil, nil, func(t *testing.T, w *agenttest.World) {
		w.Model.Replies = append(agenttest.Answers("zero"), holds()...)
		s := w.Session("")
		if s.Elsewhere() {
			t.Error("a session that is not stored is elsewhere")
		}
		w.Prompt(s, "zeroth")
		unlock := agent.LockLog(s)
		if !s.Elsewhere() {
			t.Error("it is not elsewhere although another process has its lock")
		}
		unlock()
		if s.Elsewhere() {
			t.Error("it is elsewhere although nobody has its lock")
		}
		wait := w.Begin(s, "first")
		synctest.Wait()
		if s.Elsewhere() {
			t.Error("it is elsewhere although its turn runs here")
		}
		s.Cancel("")
		if _, err := wait(); err != nil {
			t.Error(err)
		}
	})
}
