package lsp_test

import (
	"encoding/json"
	"testing"
	"testing/synctest"

	"github.com/emendo-dev/emendo/agent/model/modeltest"
	"github.com/emendo-dev/emendo/internal/rpc"
	"github.com/emendo-dev/emendo/lsp"
)

// Trust that the editor withdraws applies to the next call, without a restart.
func TestEditorsTrustChanges(t *testing.T) {
	play(t, plugin, []modeltest.Reply{run("ls"), say("Not allowed."), say("Hello.")}, func(w *world) {
		id := w.session(obj{"mode": "auto_edit"})
		kind := func() string { l := w.e.Seen().Statuses; return l[len(l)-1].Kind }
		if w.started.Trust() != lsp.Trusted || kind() != "ready" {
			t.Fatalf("begins %s, %s", w.started.Trust(), kind())
		}
		w.notify("emendo/workspace/didChangeTrust", obj{"trust": "restricted"})
		synctest.Wait()
		if w.started.Trust() != lsp.Restricted || kind() != "restricted" {
			t.Errorf("then %s, %s", w.started.Trust(), kind())
		}
		w.prompt(id, "List the files")
		if n := len(w.e.Seen().Questions); n != 0 || w.spawn.Running() != 0 {
			t.Errorf("%d questions about a command in a restricted folder", n)
		}
		w.refused(w.e.Call(w.Context(), "emendo/session/setMode", obj{"sessionId": id, "mode": "yolo"}, nil), rpc.RequestFailed, "untrusted_workspace")
		w.notify("emendo/workspace/didChangeTrust", obj{"trust": "maybe"})
		synctest.Wait()
		if w.started.Trust() != lsp.Restricted {
			t.Error("an unknown decision changed the trust")
		}
		w.notify("emendo/workspace/didChangeTrust", obj{"trust": "trusted"})
		synctest.Wait()
		if kind() != "ready" {
			t.Errorf("at last %s", kind())
		}
		w.call("emendo/session/setMode", obj{"sessionId": id, "mode": "yolo"}, nil)
		w.prompt(id, "Hello")
	})
}

func TestUsersSettingsChange(t *testing.T) {
	play(t, plugin, nil, func(w *world) {
		for _, c := range []struct{ sent, want string }{
			{`{"model":{"name":"m"}}`, `{"model":{"name":"m"}}`},
			{`null`, ``},
		} {
			w.notify("emendo/settings/didChange", obj{"settings": json.RawMessage(c.sent)})
			synctest.Wait()
			if got := string(w.started.Settings()); got != c.want {
				t.Errorf("after %s: %q", c.sent, got)
			}
		}
	})
}
