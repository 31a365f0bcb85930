package oauth

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"time"

	"github.com/emendo-dev/emendo/internal/loopback"
	"github.com/emendo-dev/emendo/internal/network"
	"github.com/emendo-dev/emendo/internal/sandbox/proxy"
)

// Limits of requests.
const (
	requestTime = 30 * time.Second
	dialTime    = 10 * time.Second
	maxHeaders  = 256 << 10 // bytes
)

// reach is how close to this machine an address is.
type reach int

const (
	public reach = iota
	nearby       // in a private network
	here         // on this machine
)

var shared = netip.MustParsePrefix("100.64.0.0/10") // between carriers and customers, and in private overlays

// reachOf returns the reach of an address. Others, such as those of metadata services
// of clouds, are not asked.
func reachOf(a netip.Addr) (r reach, ok bool) {
	a = a.Unmap()
	switch {
	case a.IsLoopback():
		return here, true
	case a.IsPrivate(), shared.Contains(a):
		return nearby, true
	}
	return public, proxy.Public(a)
}

// A client sends requests to a server and to those that it names. What a server names
// may not be closer to this machine than the server itself: a server on the web cannot
// make emendo ask this machine or its network.
type client struct {
	closest reach
	named   map[string]bool // hosts with ports that the configuration names
	network *network.Network
	agent   string

	get  *http.Client // follows redirects within a server
	post *http.Client // follows none: its requests have secrets
}

// newClient returns a client for a target and the addresses that are configured for
// it.
func (l Logins) newClient(ctx context.Context, t Target, configured ...string) (*client, error) {
	c := &client{named: map[string]bool{}, network: l.Network, agent: "emendo/" + l.Version}
	for _, s := range append([]string{t.URL, t.OAuth.AuthorizationURL, t.OAuth.TokenURL, t.OAuth.RegistrationURL, t.OAuth.Issuer}, configured...) {
		if u, err := url.Parse(s); err == nil && u.Host != "" {
			c.named[withPort(u)] = true
		}
	}
	u, err := secure(t.URL)
	if err != nil {
		return nil, fmt.Errorf("its address %s: %w", shown(t.URL), err)
	}
	c.closest = reachOfHost(ctx, u.Hostname())
	c.get = &http.Client{Transport: c, Timeout: requestTime, CheckRedirect: network.SameServer}
	c.post = &http.Client{Transport: c, Timeout: requestTime, CheckRedirect: func(*http.Request, []*http.Request) error {
		return errors.New("it redirects a request that has secrets")
	}}
	return c, nil
}

// reachOfHost returns the reach of a host. One that cannot be resolved here, but
// perhaps by a proxy, is public.
func reachOfHost(ctx context.Context, host string) reach {
	found, err := net.DefaultResolver.LookupNetIP(ctx, "ip", host)
	if err != nil {
		return public
	}
	return farthest(found)
}

// farthest returns the reach of the farthest of a host's addresses: whoever owns a name
// in the public network can add an address of this machine to it.
func farthest(found []netip.Addr) reach {
	if len(found) == 0 {
		return public
	}
	r := here
	for _, a := range found {
		is, ok := reachOf(a)
		if !ok {
			is = public
		}
		r = min(r, is)
	}
	return r
}

// RoundTrip implements [http.RoundTripper].
func (c *client) RoundTrip(r *http.Request) (*http.Response, error) {
	if err := c.check(r.URL.String()); err != nil {
		return nil, err
	}
	r = r.Clone(r.Context())
	r.Header.Set("User-Agent", c.agent)
	way, err := c.network.Transport(r.URL.Host)
	if err != nil {
		return nil, err
	}
	way.DisableKeepAlives, way.TLSHandshakeTimeout, way.ResponseHeaderTimeout, way.MaxResponseHeaderBytes = true, dialTime, requestTime, maxHeaders
	through, err := way.Proxy(r)
	if err != nil {
		return nil, err
	}
	if through == nil { // what a proxy connects to is up to it
		way.DialContext = c.dial
	}
	resp, err := way.RoundTrip(r)
	return resp, c.network.Explain(r.URL.Host, err)
}

// check returns an error if an address is not one to ask or to show, as far as the
// address alone tells.
func (c *client) check(address string) error {
	u, err := secure(address)
	if err != nil {
		return fmt.Errorf("%s: %w", shown(address), err)
	}
	if c.named[withPort(u)] {
		return nil
	}
	if u.Hostname() == "localhost" {
		return c.checkReach(netip.IPv6Loopback(), "localhost")
	}
	if a, err := netip.ParseAddr(u.Hostname()); err == nil {
		return c.checkReach(a, u.Hostname())
	}
	return nil
}

// checkReach returns an error if an address is closer than it may be.
func (c *client) checkReach(a netip.Addr, host string) error {
	if is, ok := reachOf(a); !ok || is > c.closest {
		return fmt.Errorf("%s has the address %s, which is in a network that the server has no business with", shown(host), a)
	}
	return nil
}

// dial connects to a host. The check is on the address that the socket connects to.
func (c *client) dial(ctx context.Context, protocol, address string) (net.Conn, error) {
	d := network.CheckedDialer(dialTime, func(a netip.Addr) error {
		if c.named[address] {
			return nil
		}
		return c.checkReach(a, address)
	})
	return d.DialContext(ctx, protocol, address)
}

// secure parses an address that secrets can be sent to: one with https, or on this
// machine.
func secure(address string) (*url.URL, error) {
	u, err := url.Parse(address)
	switch {
	case err != nil, u.Host == "", u.User != nil, u.Fragment != "":
		return nil, errors.New("it is not a plain address")
	case u.Scheme == "https", u.Scheme == "http" && loopback.OnThisMachine(u.Hostname()):
		return u, nil
	}
	return nil, errors.New("a login needs https, except on this machine")
}

// withPort returns the host and port of an address.
func withPort(u *url.URL) string {
	port := u.Port()
	if port == "" {
		port = map[string]string{"http": "80", "https": "443"}[u.Scheme]
	}
	return net.JoinHostPort(u.Hostname(), port)
}
