package lsptest

import (
	"errors"

	"github.com/emendo-dev/emendo/lsp/client"
)

// Program implements [client.Program]: every folder is trusted, and there is nothing else.
// Tests embed it in theirs.
type Program struct{}

// Trusted implements [client.Program].
func (Program) Trusted(string) bool { return true }

// OfferTrust implements [client.Program].
func (Program) OfferTrust(string) (client.TrustOffer, error) {
	return client.TrustOffer{}, errors.New("no trust is stored")
}

// Include implements [client.Program].
func (Program) Include(folders []string) []string { return folders }

// ChatsOutside implements [client.Program].
func (Program) ChatsOutside() bool { return false }

// Export implements [client.Program].
func (Program) Export(string, string) (string, error) { return "", errors.New("no session is stored") }

// Companion implements [client.Program].
func (Program) Companion() bool { return false }

// SignedIn implements [client.Program].
func (Program) SignedIn() bool { return true }

// Close implements [client.Program].
func (Program) Close() error { return nil }
