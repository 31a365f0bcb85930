package chat_test

import (
	"testing"

	"github.com/emendo-dev/emendo/internal/rpc"
	"github.com/emendo-dev/emendo/lsp/worldtest"
)

func TestRulesAreListedAndOnlyAnswersRemoved(t *testing.T) {
	play(t, worldtest.Plugin, nil, func(w *world) {
		var l struct {
			Rules []struct {
				ID, Text, Tier, Scope, Source string
				Removable                     bool
			}
		}
		id := w.Session(nil)
		for _, params := range []worldtest.Obj{{"sessionId": id}, {"cwd": w.Dir}, {}} {
			l.Rules = nil
			w.Call("emendo/policy/list", params, &l)
			if len(l.Rules) == 0 {
				t.Fatalf("%v: no rule is listed", params)
			}
			for _, r := range l.Rules {
				if r.ID == "" || r.Text == "" || r.Tier != "builtin" || r.Scope != "everywhere" || r.Source != "builtin" || r.Removable {
					t.Errorf("%v: a rule is %+v", params, r)
				}
			}
		}
		for _, id := range []string{l.Rules[0].ID, "no-such", ""} {
			w.Refused(w.Editor.Call(w.Context(), "emendo/policy/remove", worldtest.Obj{"id": id}, nil), rpc.InvalidParams, "")
		}
		w.Refused(w.Editor.Call(w.Context(), "emendo/policy/list", worldtest.Obj{"cwd": "here"}, nil), rpc.InvalidParams, "")
		w.Refused(w.Editor.Call(w.Context(), "emendo/policy/list", worldtest.Obj{"sessionId": "none"}, nil), rpc.RequestFailed, "unknown_session")
	})
}
