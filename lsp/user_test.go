package lsp_test

import (
	"encoding/json"
	"testing"
	"testing/synctest"

	"github.com/emendo-dev/emendo/agent/model/modeltest"
	"github.com/emendo-dev/emendo/internal/rpc"
	"github.com/emendo-dev/emendo/lsp"
	"github.com/emendo-dev/emendo/lsp/worldtest"
)

// Trust that the editor withdraws applies to the next call, without a restart.
func TestEditorsTrustChanges(t *testing.T) {
	play(t, worldtest.Plugin, []modeltest.Reply{worldtest.Run("ls"), worldtest.Say("Not allowed."), worldtest.Say("Hello.")}, func(w *world) {
		id := w.Session(worldtest.Obj{"mode": "auto_edit"})
		kind := func() string { l := w.Editor.Seen().Statuses; return l[len(l)-1].Kind }
		if w.Started.User.Trust() != lsp.Trusted || kind() != "ready" {
			t.Fatalf("begins %s, %s", w.Started.User.Trust(), kind())
		}
		w.Notify("emendo/workspace/didChangeTrust", worldtest.Obj{"trust": "restricted"})
		synctest.Wait()
		if w.Started.User.Trust() != lsp.Restricted || kind() != "restricted" {
			t.Errorf("then %s, %s", w.Started.User.Trust(), kind())
		}
		w.Prompt(id, "List the files")
		if n := len(w.Editor.Seen().Questions); n != 0 || w.Spawn.Running() != 0 {
			t.Errorf("%d questions about a command in a restricted folder", n)
		}
		w.Refused(w.Editor.Call(w.Context(), "emendo/session/setMode", worldtest.Obj{"sessionId": id, "mode": "yolo"}, nil), rpc.RequestFailed, "untrusted_workspace")
		w.Notify("emendo/workspace/didChangeTrust", worldtest.Obj{"trust": "maybe"})
		synctest.Wait()
		if w.Started.User.Trust() != lsp.Restricted {
			t.Error("an unknown decision changed the trust")
		}
		w.Notify("emendo/workspace/didChangeTrust", worldtest.Obj{"trust": "trusted"})
		synctest.Wait()
		if kind() != "ready" {
			t.Errorf("at last %s", kind())
		}
		w.Call("emendo/session/setMode", worldtest.Obj{"sessionId": id, "mode": "yolo"}, nil)
		w.Prompt(id, "Hello")
	})
}

func TestUsersSettingsChange(t *testing.T) {
	play(t, worldtest.Plugin, nil, func(w *world) {
		for _, c := range []struct{ sent, want string }{
			{`{"model":{"name":"m"}}`, `{"model":{"name":"m"}}`},
			{`null`, ``},
		} {
			w.Notify("emendo/settings/didChange", worldtest.Obj{"settings": json.RawMessage(c.sent)})
			synctest.Wait()
			if got := string(w.Started.User.Settings()); got != c.want {
				t.Errorf("after %s: %q", c.sent, got)
			}
		}
	})
}
