package lsp_test

import (
	"testing"

	"github.com/emendo-dev/emendo/internal/rpc"
)

func TestRulesAreListedAndOnlyAnswersRemoved(t *testing.T) {
	play(t, plugin, nil, func(w *world) {
		var l struct {
			Rules []struct {
				ID, Text, Tier, Scope, Source string
				Removable                     bool
			}
		}
		id := w.session(nil)
		for _, params := range []obj{{"sessionId": id}, {"cwd": w.dir}, {}} {
			l.Rules = nil
			w.call("emendo/policy/list", params, &l)
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
			w.refused(w.e.Call(w.Context(), "emendo/policy/remove", obj{"id": id}, nil), rpc.InvalidParams, "")
		}
		w.refused(w.e.Call(w.Context(), "emendo/policy/list", obj{"cwd": "here"}, nil), rpc.InvalidParams, "")
		w.refused(w.e.Call(w.Context(), "emendo/policy/list", obj{"sessionId": "none"}, nil), rpc.RequestFailed, "unknown_session")
	})
}
