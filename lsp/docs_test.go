package lsp

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/emendo-dev/emendo/agent"
	"github.com/emendo-dev/emendo/agent/model"
	"github.com/emendo-dev/emendo/ide/ledger"
)

// The page on the wire names what a client can meet, so that none of it comes
// without a word.
func TestThePageNamesWhatIsOnTheWire(t *testing.T) {
	b, err := os.ReadFile(filepath.Join("..", "docs", "protocol.md"))
	if err != nil {
		t.Fatal(err)
	}
	page := string(b)
	s := &server{}
	words := slices.Concat(actionKinds(), []string{plainFailure})
	for name := range s.allCommands() {
		words = append(words, name)
	}
	for method := range s.allRequests() {
		if strings.HasPrefix(method, "emendo/") {
			words = append(words, method)
		}
	}
	for _, m := range agent.Modes() {
		words = append(words, string(m.ID))
	}
	for _, k := range []model.ErrorKind{
		model.Auth, model.RateLimited, model.Quota, model.Overflow, model.TLS, model.Empty, model.Unavailable, model.Cut, model.NotFound, model.Invalid,
	} {
		f := providerFailure(&model.Error{Kind: k})
		words = append(words, f.Code, f.Kind)
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
