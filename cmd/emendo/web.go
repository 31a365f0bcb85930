package main

import (
	"context"
	"net"
	"net/netip"

	"github.com/emendo-dev/emendo/cmd/emendo/provider"
	"github.com/emendo-dev/emendo/internal/settings"
	"github.com/emendo-dev/emendo/tools/web"
)

// webOptions returns the options of the web tools.
func webOptions(p process, s settings.Settings) web.Options {
	o := web.Options{Network: provider.Network(s.Network, p.env, p.secrets), UserAgent: "emendo/" + version}
	if p.server != "" {
		o.Lookup, o.Dial = webOf(p.server)
	}
	return o
}

// webOf returns a network in which one server replaces every host.
func webOf(address string) (lookup func(context.Context, string) ([]netip.Addr, error), dial func(context.Context, netip.AddrPort) (net.Conn, error)) {
	lookup = func(context.Context, string) ([]netip.Addr, error) {
		return []netip.Addr{netip.AddrFrom4([4]byte{93, 184, 215, 14})}, nil
	}
	return lookup, func(ctx context.Context, _ netip.AddrPort) (net.Conn, error) {
		return (&net.Dialer{}).DialContext(ctx, "tcp", address)
	}
}
