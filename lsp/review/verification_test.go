package review_test

import (
	"reflect"
	"testing"

	"github.com/emendo-dev/emendo/agent/agenttest"
	"github.com/emendo-dev/emendo/agent/model/modeltest"
	"github.com/emendo-dev/emendo/agent/state"
	"github.com/emendo-dev/emendo/ide"
	"github.com/emendo-dev/emendo/ide/ledger"
	"github.com/emendo-dev/emendo/lsp/lsptest"
	"github.com/emendo-dev/emendo/lsp/worldtest"
)

func TestChangeSetsHaveTheirVerification(t *testing.T) {
	at := ide.Range{Start: ide.Position{Line: 1, Character: 2}, End: ide.Position{Line: 1, Character: 3}}
	for _, tt := range []struct {
		name  string
		found state.Verified
		want  lsptest.Verification
	}{
		{"verified", state.Verified{State: ledger.Verified, Resolved: 2}, lsptest.Verification{State: "verified", Resolved: 2}},
		{"with problems", state.Verified{State: ledger.Problems, Problems: []state.NewProblem{{Problem: ledger.Problem{Range: at, Message: "undefined:\nb"}}}}, lsptest.Verification{
			State: "problems", Introduced: 1, Problems: []lsptest.Problem{{Range: at, Message: "undefined: b"}},
		}},
		{"unverified", state.Verified{State: ledger.Unverified, Reason: "gopls is still starting"}, lsptest.Verification{State: "unverified", Reason: "gopls is still starting"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			play(t, worldtest.Plugin, []modeltest.Reply{worldtest.TwoHunks(), worldtest.Say("Done.")}, func(w *world) {
				w.Supplies = func(*state.Session) []state.Supply { return []state.Supply{agenttest.Checker{Found: tt.found}} }
				w.Open()
				wait := w.Prompting(w.Context(), w.Session(nil), "Change it")
				cs := w.Sets(nil)[0]
				for i := range tt.want.Problems {
					tt.want.Problems[i].URI = cs.Files[0].URI
				}
				if !reflect.DeepEqual(cs.Verification, &tt.want) || !reflect.DeepEqual(cs.Files[0].Verification, &tt.want) {
					t.Errorf("got %+v and %+v, want %+v", cs.Verification, cs.Files[0].Verification, tt.want)
				}
				w.Accept(cs.ChangeSetID)
				if _, err := wait(); err != nil {
					t.Error(err)
				}
			})
		})
	}
}

func TestOwnProposalsAreNotVerified(t *testing.T) {
	play(t, worldtest.Plugin, nil, func(w *world) {
		uri := w.Open()
		cs := w.Propose(worldtest.Obj{"uri": uri, "range": w.RangeOf(uri, "return 1"), "newText": "return 10", "title": "Apply"})
		if cs.Verification != nil {
			t.Errorf("got %+v", cs.Verification)
		}
	})
}
