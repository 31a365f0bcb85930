package lsp_test

import (
	"strings"
	"testing"

	"github.com/emendo-dev/emendo/agent/model/modeltest"
)

func TestCompact(t *testing.T) {
	snapshot := say("<state_snapshot>\nSheep are counted.\n</state_snapshot>")
	play(t, plugin, []modeltest.Reply{say("One."), say("Two."), snapshot, snapshot}, func(w *world) {
		last := func() string {
			l := w.e.Seen().Messages
			return l[len(l)-1]
		}
		w.command("emendo.compact", obj{}, nil)
		if got := last(); !strings.Contains(got, "no session") {
			t.Errorf("shown: %q", got)
		}
		id := w.session(obj{})
		w.prompt(id, strings.Repeat("sheep ", 10_000))
		w.prompt(id, strings.Repeat("sheep ", 10_000))
		var got struct {
			OriginalTokens, NewTokens int64
			Status                    string
		}
		w.command("emendo.compact", obj{"sessionId": id}, &got)
		if got.Status != "compacted" || got.NewTokens >= got.OriginalTokens || got.NewTokens == 0 {
			t.Errorf("the answer is %+v", got)
		}
		if got := last(); !strings.Contains(got, "compacted from") {
			t.Errorf("shown: %q", got)
		}
	})
}
