package lsp

import (
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/emendo-dev/emendo/agent/policy"
	"github.com/emendo-dev/emendo/agent/slash"
	"github.com/emendo-dev/emendo/ide/ledger"
	"github.com/emendo-dev/emendo/lsp/review"
)

// The protocol page documents every message that a client can see.
func TestPageNamesEveryMessage(t *testing.T) {
	b, err := os.ReadFile(filepath.Join("..", "docs", "protocol.md"))
	if err != nil {
		t.Fatal(err)
	}
	page := string(b)
	s := newServer(strings.NewReader(""), io.Discard, Options{})
	words := s.commands.Names()
	for _, kind := range review.ActionKinds() {
		words = append(words, string(kind))
	}
	for _, c := range slash.BuiltIn() {
		words = append(words, "| `/"+c.Name)
	}
	for method := range s.requests {
		if strings.HasPrefix(method, "emendo/") {
			words = append(words, method)
		}
	}
	for _, m := range policy.Modes() {
		words = append(words, string(m.ID))
	}
	for _, state := range []ledger.State{ledger.Pending, ledger.Accepted, ledger.Rejected, ledger.Conflicted, ledger.Superseded, ledger.Partial} {
		words = append(words, string(state))
	}
	for _, word := range words {
		if !strings.Contains(page, word) {
			t.Errorf("docs/protocol.md does not say %s", word)
		}
	}
}
