package agent_test

import (
	"testing"
	"testing/synctest"

	"github.com/emendo-dev/emendo/agent"
)

// A session is elsewhere while the agent of another process runs its turn.
func TestATurnOfAnotherProcessIsElsewhere(t *testing.T) {
	inWorld(t, nil, nil, func(t *testing.T, w *world) {
		w.model.Replies = append(answers("zero"), holds()...)
		s := w.session("")
		if s.Elsewhere() {
			t.Error("a session that is not stored is elsewhere")
		}
		w.prompt(s, "zeroth")
		unlock := agent.LockLog(s)
		if !s.Elsewhere() {
			t.Error("it is not, while another process has its lock")
		}
		unlock()
		if s.Elsewhere() {
			t.Error("it is, while nobody has its lock")
		}
		wait := w.begin(s, "first")
		synctest.Wait()
		if s.Elsewhere() {
			t.Error("it is, while its turn runs here")
		}
		s.Cancel("")
		if _, err := wait(); err != nil {
			t.Error(err)
		}
	})
}
