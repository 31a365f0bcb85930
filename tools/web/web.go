package web

import (
	"context"
	"crypto/x509"
	"embed"
	"net"
	"net/netip"

	"github.com/emendo-dev/emendo/internal/network"
	"github.com/emendo-dev/emendo/tools"
)

// Options say how the tools reach the network. The zero value works and uses no
// proxy.
type Options struct {
	Network   *network.Network // its proxies and authorities; pages are shown no certificate of the user's
	UserAgent string           // sent with each request; empty: emendo
	// Lookup and Dial default to the machine's. Dial is called with addresses
	// that were checked, and the default checks them again on the socket.
	Lookup func(ctx context.Context, host string) ([]netip.Addr, error)
	Dial   func(ctx context.Context, address netip.AddrPort) (net.Conn, error)
	Roots  *x509.CertPool // nil: the system's
}

// pages are the descriptions of the tools.
//
//go:embed *.md
var pages embed.FS

// All returns the tools of this package.
func All(o Options) []tools.Tool { return []tools.Tool{NewFetch(o), Search} }
