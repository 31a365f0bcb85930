package lsp_test

import (
	"context"
	"testing"

	"github.com/emendo-dev/emendo/agent/model/modeltest"
	"github.com/emendo-dev/emendo/agent/state"
	"github.com/emendo-dev/emendo/ide/ledger"
	"github.com/emendo-dev/emendo/lsp/lsptest"
	"github.com/emendo-dev/emendo/tools"
)

// verifier returns the same result for every edit.
type verifier struct{ found ledger.Verification }

func (verifier) Tools(context.Context, state.Asker) []tools.Tool { return nil }
func (verifier) Close()                                          {}
func (verifier) Expect(string)                                   {}

func (v verifier) Verify(_ context.Context, files []ledger.Proposed) map[string]state.Verified {
	found := map[string]state.Verified{}
	for _, f := range files {
		found[f.Name()] = state.Verified{Verification: v.found}
	}
	return found
}

func TestChangeSetsHaveTheirVerification(t *testing.T) {
	for _, tt := range []struct {
		name  string
		found ledger.Verification
		want  lsptest.Verification
	}{
		{"verified", ledger.Verification{State: ledger.Verified, Resolved: 2}, lsptest.Verification{State: "verified", Resolved: 2}},
		{"with problems", ledger.Verification{State: ledger.Problems, Introduced: 1}, lsptest.Verification{State: "problems", Introduced: 1}},
		{"unverified", ledger.Verification{State: ledger.Unverified, Reason: "gopls is still starting"}, lsptest.Verification{State: "unverified", Reason: "gopls is still starting"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			play(t, plugin, []modeltest.Reply{twoHunks(), say("Done.")}, func(w *world) {
				w.supplies = func(*state.Session) []state.Supply { return []state.Supply{verifier{tt.found}} }
				w.open()
				wait := w.prompting(w.Context(), w.session(nil), "Change it")
				cs := w.sets(nil)[0]
				if cs.Verification == nil || *cs.Verification != tt.want || cs.Files[0].Verification == nil || *cs.Files[0].Verification != tt.want {
					t.Errorf("got %+v and %+v, want %+v", cs.Verification, cs.Files[0].Verification, tt.want)
				}
				w.accept(cs.ChangeSetID)
				if _, err := wait(); err != nil {
					t.Error(err)
				}
			})
		})
	}
}

func TestOwnProposalsAreNotVerified(t *testing.T) {
	play(t, plugin, nil, func(w *world) {
		uri := w.open()
		cs := w.propose(obj{"uri": uri, "range": w.rangeOf(uri, "return 1"), "newText": "return 10", "title": "Apply"})
		if cs.Verification != nil {
			t.Errorf("got %+v", cs.Verification)
		}
	})
}
