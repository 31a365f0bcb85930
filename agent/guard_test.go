package agent_test

import (
	"testing"

	"github.com/emendo-dev/emendo/agent"
	"github.com/emendo-dev/emendo/agent/model/modeltest"
)

func TestAModelMayLoopWhereTheUserAllowsIt(t *testing.T) {
	var replies []modeltest.Reply
	for range 8 {
		replies = append(replies, modeltest.Reply{call("list_directory", map[string]any{"dir_path": "."})})
	}
	inWorld(t, nil, append(replies, answers("done")...), func(t *testing.T, w *world) {
		w.options = func(o *agent.Options) { o.MayLoop = true }
		w.stop()
		w.start()
		if end := w.prompt(w.session(""), "look"); end.StopReason != agent.EndTurn {
			t.Errorf("the turn ended with %s", end.StopReason)
		}
	})
}
