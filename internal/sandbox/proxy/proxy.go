package proxy

import (
	"bufio"
	"context"
	"crypto/subtle"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/http/httputil"
	"net/netip"
	"strings"
	"sync"
	"time"

	"github.com/emendo-dev/emendo/internal/sandbox/profile"
)

// Limits on what a sandbox can make the server do.
const (
	mostConnections = 64
	dialTime        = 20 * time.Second
	helloTime       = 10 * time.Second
	headerTime      = 10 * time.Second
	idleTime        = 10 * time.Minute
)

// Options select what may be reached. Without hosts, nothing may.
type Options struct {
	// Hosts are names, or "*." and a domain for all names below it.
	Hosts []string
	// Key is the password of whoever may use the proxy, with the name
	// [profile.OutletUser]. Empty: everyone may.
	Key string
	// Lookup and Dial default to the machine's.
	Lookup func(ctx context.Context, host string) ([]netip.Addr, error)
	Dial   func(ctx context.Context, address netip.AddrPort) (net.Conn, error)
	// Told is called for every request, from several goroutines.
	Told func(Request)
	Log  *slog.Logger // nil: discard
}

// A Request is an attempt of a command to reach a host.
type Request struct {
	Host    string
	Port    string
	Refused string // why it was refused; empty if it was not
	Closed  bool   // it was refused because the host is not allowed
	// Elsewhere says that no permission for a host opens it: it is for another port, an
	// address, or the machine's own networks.
	Elsewhere bool
}

// Serve serves a listener until ctx ends; then it closes all connections and
// the listener.
func Serve(ctx context.Context, l net.Listener, o Options) {
	p := newProxy(o)
	ctx, stop := context.WithCancel(ctx)
	server := &http.Server{
		Handler: p, ReadHeaderTimeout: headerTime, IdleTimeout: idleTime, MaxHeaderBytes: 64 << 10,
		BaseContext: func(net.Listener) context.Context { return ctx }, ErrorLog: slog.NewLogLogger(p.Log.Handler(), slog.LevelDebug),
	}
	var both sync.WaitGroup
	both.Go(func() {
		<-ctx.Done()
		server.Close()
	})
	if err := server.Serve(&bounded{Listener: l, free: make(chan struct{}, mostConnections)}); !errors.Is(err, http.ErrServerClosed) {
		p.Log.Debug("a sandbox's proxy ended", "err", err)
	}
	stop()
	both.Wait()
	p.tunnels.Wait()
}

type proxy struct {
	Options
	plain   http.Handler
	tunnels sync.WaitGroup
}

func newProxy(o Options) *proxy {
	if o.Lookup == nil {
		o.Lookup = func(ctx context.Context, host string) ([]netip.Addr, error) {
			return net.DefaultResolver.LookupNetIP(ctx, "ip", host)
		}
	}
	if o.Dial == nil {
		o.Dial = func(ctx context.Context, a netip.AddrPort) (net.Conn, error) {
			return (&net.Dialer{Timeout: dialTime}).DialContext(ctx, "tcp", a.String())
		}
	}
	if o.Told == nil {
		o.Told = func(Request) {}
	}
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	p := &proxy{Options: o}
	p.plain = &httputil.ReverseProxy{
		// The request's URL names the host that was checked.
		Rewrite:  func(r *httputil.ProxyRequest) { r.Out.URL, r.Out.Host = r.In.URL, r.In.URL.Host },
		ErrorLog: slog.NewLogLogger(o.Log.Handler(), slog.LevelDebug),
		ErrorHandler: func(w http.ResponseWriter, _ *http.Request, err error) {
			refuse(w, http.StatusBadGateway, err)
		},
		// A connection serves only one request, since the next may be for
		// another host.
		Transport: &http.Transport{DisableKeepAlives: true, DisableCompression: true, DialContext: p.dialPlain, ResponseHeaderTimeout: idleTime},
	}
	return p
}

func (p *proxy) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if !p.knows(r) {
		w.Header().Set("Proxy-Authenticate", `Basic realm="emendo"`)
		refuse(w, http.StatusProxyAuthRequired, errors.New("emendo: this proxy serves another command"))
		return
	}
	host, port, err := target(r)
	if err != nil {
		p.Told(Request{Host: r.Host, Refused: err.Error(), Elsewhere: !local(r.Host)})
		refuse(w, http.StatusBadRequest, err)
		return
	}
	if !allowed(p.Hosts, host) {
		err := fmt.Errorf("emendo: network access to %s is not allowed; the user can allow more hosts", host)
		p.Told(Request{Host: host, Port: port, Refused: "not allowed", Closed: true})
		refuse(w, http.StatusForbidden, err)
		return
	}
	if r.Method == http.MethodConnect {
		p.tunnel(w, r, host, port)
		return
	}
	p.Told(Request{Host: host, Port: port})
	p.plain.ServeHTTP(w, r)
}

// knows reports whether a request has the key.
func (p *proxy) knows(r *http.Request) bool {
	if p.Key == "" {
		return true
	}
	given, basic := strings.CutPrefix(r.Header.Get("Proxy-Authorization"), "Basic ")
	want := base64.StdEncoding.EncodeToString([]byte(profile.OutletUser + ":" + p.Key))
	return basic && subtle.ConstantTimeCompare([]byte(given), []byte(want)) == 1
}

// local reports whether a host, with or without a port, is an address of loopback: a program
// has asked for its own machine.
func local(host string) bool {
	if h, _, err := net.SplitHostPort(host); err == nil {
		host = h
	}
	a, is := Literal(host)
	return is && (!a.IsValid() || a.Unmap().IsLoopback() || a.IsUnspecified()) || host == "localhost"
}

// target returns the host and port of a request: port 443 for CONNECT, else 80.
func target(r *http.Request) (host, port string, err error) {
	port = "443"
	address := r.Host
	if r.Method != http.MethodConnect {
		if r.URL.Scheme != "http" || r.URL.User != nil {
			return "", "", errors.New("emendo: this is a proxy for http and https: use an absolute URL")
		}
		port, address = "80", r.URL.Host
	}
	if h, given, err := net.SplitHostPort(address); err == nil {
		if given != port {
			return "", "", fmt.Errorf("emendo: port %s is not allowed: use 80 for http or 443 for https", given)
		}
		address = h
	}
	host = strings.ToLower(strings.TrimSuffix(address, "."))
	if _, is := Literal(host); is {
		return "", "", errors.New("emendo: use the name of a host, not its address")
	}
	if !isName(host) {
		return "", "", errors.New("emendo: invalid host name")
	}
	return host, port, nil
}

func isName(host string) bool {
	if host == "" || len(host) > 253 {
		return false
	}
	for label := range strings.SplitSeq(host, ".") {
		if label == "" || len(label) > 63 || strings.Trim(label, "abcdefghijklmnopqrstuvwxyz0123456789-_") != "" {
			return false
		}
	}
	return true
}

// allowed reports whether a host may be reached.
func allowed(hosts []string, host string) bool {
	for _, h := range hosts {
		h = strings.ToLower(strings.TrimSuffix(h, "."))
		if domain, below := strings.CutPrefix(h, "*"); below && strings.HasPrefix(domain, ".") {
			if strings.HasSuffix(host, domain) {
				return true
			}
		} else if h == host {
			return true
		}
	}
	return false
}

// Allows reports whether a host is among the names of a list, as a proxy for them reads it.
func Allows(hosts []string, host string) bool { return allowed(hosts, strings.ToLower(host)) }

// dial connects to a host. Its name is resolved only here.
func (p *proxy) dial(ctx context.Context, host, port string) (net.Conn, error) {
	ctx, cancel := context.WithTimeout(ctx, dialTime)
	defer cancel()
	found, err := p.Lookup(ctx, host)
	if err != nil {
		return nil, fmt.Errorf("emendo: look up %s: %w", host, err)
	}
	if len(found) == 0 {
		return nil, fmt.Errorf("emendo: %s has no address", host)
	}
	for _, a := range found {
		if !Public(a) { // one is enough to distrust the name
			p.Told(Request{Host: host, Port: port, Refused: "an address of the machine's own networks", Elsewhere: true})
			return nil, fmt.Errorf("emendo: %s has the address %s, which is not in the public network", host, a)
		}
	}
	number := map[string]uint16{"80": 80, "443": 443}[port]
	for _, a := range found {
		var c net.Conn
		if c, err = p.Dial(ctx, netip.AddrPortFrom(a.Unmap(), number)); err == nil {
			return c, nil
		}
	}
	return nil, fmt.Errorf("emendo: connect to %s: %w", host, err)
}

func (p *proxy) dialPlain(ctx context.Context, _, address string) (net.Conn, error) {
	host, port, err := net.SplitHostPort(address)
	if err != nil {
		return nil, err
	}
	return p.dial(ctx, strings.ToLower(strings.TrimSuffix(host, ".")), port)
}

// tunnel passes on a TLS connection whose ClientHello names the requested host.
func (p *proxy) tunnel(w http.ResponseWriter, r *http.Request, host, port string) {
	p.tunnels.Add(1) // the server does not wait for hijacked connections
	defer p.tunnels.Done()
	out, err := p.dial(r.Context(), host, port)
	if err != nil {
		refuse(w, http.StatusBadGateway, err)
		return
	}
	defer out.Close()
	in, buffered, err := http.NewResponseController(w).Hijack()
	if err != nil {
		refuse(w, http.StatusInternalServerError, err)
		return
	}
	defer in.Close()
	stop := context.AfterFunc(r.Context(), func() { in.Close(); out.Close() })
	defer stop()
	if _, err := io.WriteString(in, "HTTP/1.1 200 Connection established\r\n\r\n"); err != nil {
		return
	}
	hello, err := greeting(in, buffered.Reader, host)
	if err != nil {
		p.Told(Request{Host: host, Port: port, Refused: err.Error()})
		p.Log.Debug("a connection out of a sandbox was cut", "host", host, "err", err)
		return
	}
	p.Told(Request{Host: host, Port: port})
	if _, err := out.Write(hello); err != nil {
		return
	}
	relay(in, buffered.Reader, out)
}

// relay copies in both directions until both sides have ended.
func relay(in net.Conn, from *bufio.Reader, out net.Conn) {
	var both sync.WaitGroup
	both.Go(func() {
		_, _ = io.Copy(out, from) // closing shows the end to the other side
		closeWrite(out)
	})
	both.Go(func() {
		_, _ = io.Copy(in, out)
		closeWrite(in)
	})
	both.Wait()
}

func closeWrite(c net.Conn) {
	if h, ok := c.(interface{ CloseWrite() error }); ok {
		_ = h.CloseWrite() // on failure it is closed anyway
		return
	}
	c.Close()
}

func refuse(w http.ResponseWriter, status int, err error) {
	w.Header().Set("X-Content-Type-Options", "nosniff")
	http.Error(w, err.Error(), status)
}

// bounded is a listener that limits the number of connections. Unlike those of x/net's, its
// connections can be closed for writing alone: a host that has said everything may still read.
type bounded struct {
	net.Listener
	free chan struct{}
}

func (b *bounded) Accept() (net.Conn, error) {
	b.free <- struct{}{}
	c, err := b.Listener.Accept()
	if err != nil {
		<-b.free
		return nil, err
	}
	return &counted{Conn: c, of: b}, nil
}

type counted struct {
	net.Conn
	of   *bounded
	done sync.Once
}

func (c *counted) Close() error {
	defer c.done.Do(func() { <-c.of.free })
	return c.Conn.Close()
}

func (c *counted) CloseWrite() error {
	if h, ok := c.Conn.(interface{ CloseWrite() error }); ok {
		return h.CloseWrite()
	}
	return c.Close()
}
