package web

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"strconv"
	"time"

	"github.com/emendo-dev/emendo/internal/network"
	"github.com/emendo-dev/emendo/internal/sandbox/proxy"
)

// Limits of one connection.
const (
	dialTime   = 10 * time.Second
	maxHeaders = 256 << 10 // bytes
)

// A notPublic error is about a host that is not in the public network.
type notPublic struct {
	host    string
	address netip.Addr // invalid: not known
}

func (e notPublic) Error() string {
	if !e.address.IsValid() || e.host == e.address.String() {
		return e.host + " is not in the public network"
	}
	return fmt.Sprintf("%s has the address %s, which is not in the public network", e.host, e.address)
}

// A client sends requests to hosts in the public network. It keeps no cookies
// and no connections, and follows no redirects.
type client struct{ o Options }

func newClient(o Options) *client {
	if o.Lookup == nil {
		o.Lookup = func(ctx context.Context, host string) ([]netip.Addr, error) {
			return net.DefaultResolver.LookupNetIP(ctx, "ip", host)
		}
	}
	if o.Dial == nil {
		o.Dial = dialPublic
	}
	return &client{o}
}

// transport returns the way to one page.
func (c *client) transport(through *url.URL) (*http.Transport, error) {
	secure, err := c.o.Network.TLS("") // no host is shown a certificate of the user's
	if err != nil {
		return nil, err
	}
	if c.o.Roots != nil {
		secure.RootCAs = c.o.Roots
	}
	t := &http.Transport{DisableKeepAlives: true, TLSHandshakeTimeout: dialTime, MaxResponseHeaderBytes: maxHeaders, TLSClientConfig: secure}
	if through == nil {
		t.DialContext = c.dial
		return t, nil
	}
	// The user chose the proxy, which may be on this machine.
	t.DialContext = (&net.Dialer{Timeout: dialTime}).DialContext
	t.Proxy = http.ProxyURL(through)
	return t, nil
}

// send sends one request for an address. The caller closes the body.
func (c *client) send(ctx context.Context, u *url.URL) (*http.Response, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, u.String(), nil)
	if err != nil {
		return nil, err
	}
	req.Header.Set("User-Agent", cmp.Or(c.o.UserAgent, "emendo"))
	req.Header.Set("Accept", "text/markdown, text/html;q=0.9, text/plain;q=0.8, */*;q=0.5")
	through, err := c.o.Network.Proxy(req)
	if err != nil {
		return nil, err
	}
	if through != nil {
		if err := c.checkBehindProxy(ctx, u.Hostname()); err != nil {
			return nil, err
		}
	}
	way, err := c.transport(through)
	if err != nil {
		return nil, err
	}
	resp, err := way.RoundTrip(req)
	if f := network.Explain(err); err != nil && f != nil {
		return nil, f
	}
	return resp, err
}

// checkBehindProxy refuses a host that has an address outside the public network
// here. The proxy resolves the name again, and a name that is not known here may
// be known to it: then the proxy decides.
func (c *client) checkBehindProxy(ctx context.Context, host string) error {
	_, err := c.lookup(ctx, host)
	var no notPublic
	switch {
	case errors.As(err, &no):
		return err
	case err != nil && ctx.Err() != nil:
		return context.Cause(ctx)
	}
	return nil
}

// lookup returns the addresses of a host, all of which are in the public network.
func (c *client) lookup(ctx context.Context, host string) ([]netip.Addr, error) {
	if a, is := proxy.Literal(host); is {
		if !proxy.Public(a) {
			return nil, notPublic{host, a}
		}
		return []netip.Addr{a}, nil
	}
	found, err := c.o.Lookup(ctx, host)
	if err != nil {
		return nil, err
	}
	if len(found) == 0 {
		return nil, fmt.Errorf("%s has no address", host)
	}
	for _, a := range found {
		if !proxy.Public(a) { // one is enough to distrust the name
			return nil, notPublic{host, a}
		}
	}
	return found, nil
}

// dial connects to a host. Its name is resolved only here, and the addresses
// that were checked are the ones that are used.
func (c *client) dial(ctx context.Context, _, address string) (net.Conn, error) {
	host, portName, err := net.SplitHostPort(address)
	if err != nil {
		return nil, err
	}
	port, err := strconv.ParseUint(portName, 10, 16)
	if err != nil {
		return nil, fmt.Errorf("invalid port %s", portName)
	}
	found, err := c.lookup(ctx, host)
	if err != nil {
		return nil, err
	}
	for _, a := range found {
		var conn net.Conn
		if conn, err = c.o.Dial(ctx, netip.AddrPortFrom(a.Unmap(), uint16(port))); err == nil {
			return conn, nil
		}
	}
	return nil, err
}

// dialPublic connects to an address in the public network. The check is on the
// address that the socket connects to.
func dialPublic(ctx context.Context, address netip.AddrPort) (net.Conn, error) {
	d := network.CheckedDialer(dialTime, func(a netip.Addr) error {
		if !proxy.Public(a) {
			return notPublic{a.String(), a}
		}
		return nil
	})
	return d.DialContext(ctx, "tcp", address.String())
}
