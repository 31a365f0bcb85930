package lsp_test

import (
	"encoding/json"
	"testing"

	"github.com/emendo-dev/emendo/agent/model/modeltest"
	"github.com/emendo-dev/emendo/lsp/worldtest"
)

// Only a client that declared it is told what happens beside a conversation.
func TestEventsGoToClientsThatFollow(t *testing.T) {
	for _, follows := range []bool{true, false} {
		play(t, worldtest.Plugin.With("experimental.emendo.events", follows), []modeltest.Reply{worldtest.Say("Hello.")}, func(w *world) {
			var told []json.RawMessage
			w.Editor.Heard = func(method string, params json.RawMessage) {
				if method == "emendo/session/event" {
					told = append(told, params)
				}
			}
			w.Write("AGENTS.md", "be brief")
			id := w.Session(nil)
			w.Prompt(id, "hi")
			want := `{"sessionId":"` + id + `","event":"memory_changed","data":{"fileCount":1}}`
			switch {
			case !follows && len(told) > 0:
				t.Errorf("a client that does not follow is told %s", told)
			case follows && (len(told) != 1 || string(told[0]) != want):
				t.Errorf("told %s, want %s", told, want)
			}
		})
	}
}
