package chat_test

import (
	"strings"
	"testing"

	"github.com/emendo-dev/emendo/agent/model/modeltest"
	"github.com/emendo-dev/emendo/lsp/worldtest"
)

func TestCompact(t *testing.T) {
	snapshot := worldtest.Say("<state_snapshot>\nSheep are counted.\n</state_snapshot>")
	play(t, worldtest.Plugin, []modeltest.Reply{worldtest.Say("One."), worldtest.Say("Two."), snapshot, snapshot}, func(w *world) {
		last := func() string {
			l := w.Editor.Seen().Messages
			return l[len(l)-1]
		}
		w.Command("emendo.compact", worldtest.Obj{}, nil)
		if got := last(); !strings.Contains(got, "no session") {
			t.Errorf("shown: %q", got)
		}
		id := w.Session(worldtest.Obj{})
		w.Prompt(id, strings.Repeat("sheep ", 10_000))
		w.Prompt(id, strings.Repeat("sheep ", 10_000))
		var got struct {
			OriginalTokens, NewTokens int64
			Status                    string
		}
		w.Command("emendo.compact", worldtest.Obj{"sessionId": id}, &got)
		if got.Status != "compacted" || got.NewTokens >= got.OriginalTokens || got.NewTokens == 0 {
			t.Errorf("the answer is %+v", got)
		}
		if got := last(); !strings.Contains(got, "compacted from") {
			t.Errorf("shown: %q", got)
		}
	})
}
