package lsptest

import (
	"context"
	"errors"

	"github.com/emendo-dev/emendo/internal/settings"
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

// Servers implements [client.Program].
func (Program) Servers([]string) client.Servers { return noServers{} }

// SetDisabled implements [client.Program].
func (Program) SetDisabled(settings.Disabling, string, bool) error {
	return errors.New("no settings are stored")
}

// Browser implements [client.Program].
func (Program) Browser(string) error { return errors.New("there is no browser") }

type noServers struct{}

func (noServers) List() ([]client.MCPServer, []string) { return nil, nil }

func (noServers) SignIn(context.Context, string, func(string) error) error {
	return errors.New("no server is configured")
}

func (noServers) SignOut(context.Context, string) error { return errors.New("no server is configured") }

// StartTerminal implements [client.Program].
func (Program) StartTerminal(context.Context, client.TerminalProgram) (client.Terminal, error) {
	return nil, errors.New("there are no terminals")
}

// Close implements [client.Program].
func (Program) Close() error { return nil }
