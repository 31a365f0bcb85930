package network

import (
	"cmp"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"time"

	"golang.org/x/net/http/httpproxy"
)

// The settings, for messages.
const (
	proxySetting       = "network.proxy"
	exceptionsSetting  = "network.noProxy"
	authoritiesSetting = "network.caFile"
	identitySetting    = "network.clientCertificates"
)

// A Config describes the user's network. The zero value is a network without a proxy,
// with the authorities of the system.
type Config struct {
	Proxy   string   // the URL of the proxy for requests that no variable directs; empty: none
	NoProxy []string // hosts, domains and networks that are reached without it
	CAFile  string   // PEM file of authorities beside those of the system; empty: none
	// Identities are the user's certificates, by the host that is shown them; "*." and a
	// domain means the hosts below it.
	Identities map[string]Identity
	// Env returns the variables HTTPS_PROXY, HTTP_PROXY, NO_PROXY and SSL_CERT_FILE; nil:
	// none is set.
	Env func(string) string
}

// An Identity is a certificate of the user's, in PEM files.
type Identity struct {
	Certificate string // with its chain
	Key         string // empty: in the file of the certificate
}

// A Network has the ways to servers. It is safe for concurrent use. A nil Network is one
// without proxies, with the authorities of the system.
type Network struct {
	config  Config
	proxies *httpproxy.Config

	roots func() (*x509.CertPool, error) // nil: the system's

	mu    sync.Mutex
	ways  map[string]*http.Transport // of [Network.RoundTrip], by host
	asked map[string]bool            // hosts that asked for a certificate of the client
}

// New returns the network that c describes. It reads nothing.
func New(c Config) *Network {
	n := &Network{config: c, ways: map[string]*http.Transport{}, asked: map[string]bool{}}
	env := c.Env
	if env == nil {
		env = func(string) string { return "" }
	}
	either := func(upper string) string { return cmp.Or(env(upper), env(strings.ToLower(upper))) }
	proxy := strings.TrimSpace(c.Proxy)
	n.proxies = &httpproxy.Config{
		HTTPProxy: usable(cmp.Or(either("HTTP_PROXY"), proxy)), HTTPSProxy: usable(cmp.Or(either("HTTPS_PROXY"), proxy)),
		NoProxy: strings.Join(slices.DeleteFunc(append(slices.Clone(c.NoProxy), either("NO_PROXY")), func(s string) bool { return s == "" }), ","),
		CGI:     env("REQUEST_METHOD") != "",
	}
	extra := c.CAFile
	if extra == "" && runtime.GOOS != "linux" {
		extra = env("SSL_CERT_FILE") // which crypto/x509 reads only where there is no store of the system's
	}
	if extra != "" {
		n.roots = sync.OnceValues(func() (*x509.CertPool, error) { return authorities(extra, c.CAFile != "") })
	}
	return n
}

// Proxy returns the proxy of a request, or nil. It is an
// [http.Transport.Proxy].
func (n *Network) Proxy(r *http.Request) (*url.URL, error) {
	if n == nil {
		return nil, nil
	}
	u, err := n.proxies.ProxyFunc()(r.URL)
	if err != nil || u != nil && u.Host == unusable {
		return nil, failure(err, "HTTPS_PROXY or the setting %s is not the URL of a proxy; write it as http://HOST:PORT", proxySetting)
	}
	return u, nil
}

// unusable is the proxy in place of one that cannot be used, for requests to fail
// which would otherwise be sent without it.
const unusable = "unusable.invalid"

// usable returns the URL of a proxy, which may lack the scheme.
func usable(proxy string) string {
	if proxy == "" {
		return ""
	}
	full := proxy
	if !strings.Contains(proxy, "://") {
		full = "http://" + proxy
	}
	u, err := url.Parse(full)
	if err != nil || u.Host == "" || !slices.Contains([]string{"http", "https", "socks5", "socks5h"}, u.Scheme) {
		return "http://" + unusable
	}
	return full
}

// failure returns the error for a setting that cannot be used.
func failure(err error, format string, a ...any) error {
	return &Failure{Says: fmt.Sprintf(format, a...), Err: err}
}

// authorities returns those of the system and of a file.
func authorities(path string, setting bool) (*x509.CertPool, error) {
	name := "SSL_CERT_FILE"
	if setting {
		name = "the setting " + authoritiesSetting
	}
	if !filepath.IsAbs(path) { // what the current folder has decides nothing
		return nil, failure(nil, "%s: %s is not an absolute path", name, path)
	}
	b, err := os.ReadFile(path)
	if err != nil {
		return nil, failure(err, "%s: %v", name, err)
	}
	pool, err := x509.SystemCertPool()
	if err != nil {
		return nil, fmt.Errorf("read the system's certificates: %w", err)
	}
	if !pool.AppendCertsFromPEM(b) {
		return nil, failure(nil, "%s: %s has no certificate in PEM form (-----BEGIN CERTIFICATE-----)", name, path)
	}
	return pool, nil
}

// TLS returns how TLS is spoken with a host, which is a name or an address, with or
// without a port. The error is about a file that a setting names.
func (n *Network) TLS(host string) (*tls.Config, error) {
	c := &tls.Config{MinVersion: tls.VersionTLS12}
	if n == nil {
		return c, nil
	}
	if n.roots != nil {
		pool, err := n.roots()
		if err != nil {
			return nil, err
		}
		c.RootCAs = pool
	}
	own := &tls.Certificate{}
	if pattern := n.identity(host); pattern != "" {
		loaded, err := n.config.Identities[pattern].load(pattern)
		if err != nil {
			return nil, err
		}
		own = &loaded
		c.Certificates = []tls.Certificate{loaded}
	}
	c.GetClientCertificate = func(*tls.CertificateRequestInfo) (*tls.Certificate, error) {
		n.mu.Lock()
		defer n.mu.Unlock()
		n.asked[plainHost(host)] = true
		return own, nil
	}
	return c, nil
}

// load reads the certificate of an identity.
func (i Identity) load(pattern string) (tls.Certificate, error) {
	own, err := tls.LoadX509KeyPair(i.Certificate, cmp.Or(i.Key, i.Certificate))
	if err != nil {
		return own, failure(err, "the setting %s, %s: %v", identitySetting, pattern, err)
	}
	return own, nil
}

// identity returns the pattern of the identity that a host is shown: its own name, or
// else the longest domain; "" if it is shown none.
func (n *Network) identity(host string) (best string) {
	host = plainHost(host)
	for pattern := range n.config.Identities {
		p := strings.ToLower(pattern)
		if p == host {
			return pattern
		}
		if domain, ok := strings.CutPrefix(p, "*"); ok && strings.HasPrefix(domain, ".") && strings.HasSuffix(host, domain) && len(pattern) > len(best) {
			best = pattern
		}
	}
	return best
}

// plainHost returns a host without its port, in the form in which hosts are compared.
func plainHost(host string) string {
	if name, _, err := net.SplitHostPort(host); err == nil {
		host = name
	}
	return strings.ToLower(strings.Trim(host, "[]."))
}

// Explain returns the error of a request to a host, which may be nil, or the [Failure] that
// caused it. It also knows whether the host has asked for a certificate: by TLS 1.3 a server
// may close the connection before its reason is read.
func (n *Network) Explain(host string, err error) error {
	if f := Explain(err); f != nil {
		return f
	}
	if n == nil || err == nil {
		return err
	}
	n.mu.Lock()
	asked := n.asked[plainHost(host)]
	n.mu.Unlock()
	if !asked || !broken(err) {
		return err
	}
	return refusedUser(n.identity(host) != "", err)
}

// Transport returns a new transport for requests to one host, which is a name with or
// without a port. The caller may change it, and closes its connections.
func (n *Network) Transport(host string) (*http.Transport, error) {
	c, err := n.TLS(host)
	if err != nil {
		return nil, err
	}
	dialer := &net.Dialer{Timeout: 30 * time.Second, KeepAlive: 30 * time.Second}
	return &http.Transport{
		Proxy: n.Proxy, OnProxyConnectResponse: answered, DialContext: dialer.DialContext, TLSClientConfig: c, ForceAttemptHTTP2: true, MaxIdleConns: 100,
		IdleConnTimeout: 90 * time.Second, TLSHandshakeTimeout: 10 * time.Second, ExpectContinueTimeout: time.Second,
	}, nil
}

// RoundTrip implements [http.RoundTripper] for requests to any host. Connections are
// kept.
func (n *Network) RoundTrip(r *http.Request) (*http.Response, error) {
	way, err := n.transportOf(r.URL.Hostname())
	if err != nil {
		return nil, err
	}
	resp, err := way.RoundTrip(r)
	return resp, n.Explain(r.URL.Host, err)
}

func (n *Network) transportOf(host string) (*http.Transport, error) {
	host = plainHost(host)
	n.mu.Lock()
	defer n.mu.Unlock()
	if way := n.ways[host]; way != nil {
		return way, nil
	}
	way, err := n.Transport(host)
	if err != nil {
		return nil, err // not kept: the user may fix the file
	}
	n.ways[host] = way
	return way, nil
}

// CloseIdleConnections closes the connections that [Network.RoundTrip] keeps.
func (n *Network) CloseIdleConnections() {
	if n == nil {
		return
	}
	n.mu.Lock()
	defer n.mu.Unlock()
	for _, way := range n.ways {
		way.CloseIdleConnections()
	}
}

// Check returns what is wrong with the files and addresses of the configuration.
func (n *Network) Check() error {
	_, err := n.Proxy(&http.Request{URL: &url.URL{Scheme: "https", Host: "host.invalid"}})
	if n.roots != nil {
		_, bad := n.roots()
		err = errors.Join(err, bad)
	}
	for pattern, i := range n.config.Identities {
		_, bad := i.load(pattern)
		err = errors.Join(err, bad)
	}
	return err
}
