package command_test

import (
	"context"
	"strings"
	"testing"

	"github.com/emendo-dev/emendo/internal/rpc"
	"github.com/emendo-dev/emendo/lsp"
	"github.com/emendo-dev/emendo/lsp/lsptest"
	"github.com/emendo-dev/emendo/lsp/worldtest"
)

func TestTrustShowsWhatAFolderWouldStart(t *testing.T) {
	const hook = "It would start these, each only in its current version:\n  hook BeforeTool 1.1: ./lint.sh\n"
	for _, c := range []struct {
		name             string
		client           string
		ask              bool
		offer            lsp.TrustOffer
		choice           string
		trusted, started bool
		asked            string // part of the question; empty: none is asked
		message          string // part of a message; empty: none is shown
	}{
		{name: "nothing", client: "helix", trusted: true},
		{name: "only settings", client: "vscode", offer: lsp.TrustOffer{Text: "It would apply"}, trusted: true, message: "It would apply"},
		{name: "only settings, and the user wants to be asked", client: "vscode", ask: true, offer: lsp.TrustOffer{Text: "It would apply"}, choice: "Trust", trusted: true, asked: "It would apply"},
		{name: "only settings, and the user thinks better of it", client: "vscode", ask: true, offer: lsp.TrustOffer{Text: "It would apply"}, choice: "Cancel", asked: "It would apply"},
		{name: "nothing, and an answer that was not offered", client: "vscode", ask: true, choice: "Trust and allow these to start", asked: "Trust /"},
		{name: "a hook, and it may start", client: "vscode", offer: lsp.TrustOffer{Text: hook, Starts: true}, choice: "Trust and allow these to start", trusted: true, started: true, asked: "./lint.sh"},
		{name: "a hook, and it is asked about later", client: "vscode", offer: lsp.TrustOffer{Text: hook, Starts: true}, choice: "Trust and ask before each start", trusted: true, asked: "./lint.sh"},
		{name: "a hook, and the user thinks better of it", client: "vscode", offer: lsp.TrustOffer{Text: hook, Starts: true}, choice: "Cancel", asked: "./lint.sh"},
		{name: "a hook, and the question is closed", client: "vscode", offer: lsp.TrustOffer{Text: hook, Starts: true}, asked: "./lint.sh"},
		{name: "a hook, where nothing can be asked", client: "helix", offer: lsp.TrustOffer{Text: hook, Starts: true}, trusted: true, message: "./lint.sh"},
	} {
		t.Run(c.name, func(t *testing.T) {
			w := newWorld(t, nil)
			w.Trusted, w.Offer = map[string]bool{}, c.offer
			inBubble(t, w, func() {
				w.Start(lsptest.Recorded(c.client))
				w.Editor.Choose = func(context.Context, string, []string) string { return c.choice }
				var answer struct{ Trusted bool }
				w.Command("emendo.trust", worldtest.Obj{"uri": w.URI(""), "ask": c.ask}, &answer)
				seen := w.Editor.Seen()
				w.End()
				if answer.Trusted != c.trusted {
					t.Errorf("answered %+v", answer)
				}
				if w.Trusted[w.Dir] != c.trusted || w.Approved != c.started {
					t.Errorf("trusted %v, approved %v", w.Trusted[w.Dir], w.Approved)
				}
				if asked := strings.Join(seen.Requests, "\n"); (asked != "") != (c.asked != "") || !strings.Contains(asked, c.asked) {
					t.Errorf("asked %q", asked)
				}
				if message := strings.Join(seen.Messages, "\n"); (message != "") != (c.message != "") || !strings.Contains(message, c.message) {
					t.Errorf("messages %q", message)
				}
			})
		})
	}
}

func TestUnstoredTrustIsNotReported(t *testing.T) {
	w := newWorld(t, nil)
	w.Trusted, w.Offer, w.ReadOnly = map[string]bool{}, lsp.TrustOffer{Text: "It would apply"}, true
	inBubble(t, w, func() {
		w.Start(lsptest.Recorded("vscode"))
		w.Refused(w.Editor.Command(w.Context(), "emendo.trust", worldtest.Obj{"uri": w.URI("")}, nil), rpc.RequestFailed, `"failed"`)
		if l := w.Editor.Seen().Messages; len(l) != 0 {
			t.Errorf("messages %q", l)
		}
		w.End()
	})
}
