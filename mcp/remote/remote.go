// Package remote reaches MCP servers over HTTP. Headers of the configuration go to
// the configured address alone. It does not know what the messages mean.
package remote

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// Limits of connections.
const (
	maxEvent     = 64 << 20         // bytes of one message
	maxRedirects = 5                // of one request
	headerWait   = 30 * time.Second // for the beginning of a response
)

// Options of [Open]. URL is needed.
type Options struct {
	URL     string
	Headers map[string]string
	SSE     bool // by server-sent events alone, as older servers want it; else by streamable HTTP
	// Proxy returns the proxy of a request; nil: none.
	Proxy func(*http.Request) (*url.URL, error)
}

// A Link is a connection to a server.
type Link struct {
	o      Options
	client *http.Client
	ctx    context.Context // of all requests, until Close
	stop   context.CancelFunc
}

// Open returns a link, without sending anything.
func Open(o Options) (*Link, error) {
	u, err := url.Parse(o.URL)
	if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "" {
		return nil, errors.New("its address is not an http or https URL")
	}
	l := &Link{o: o}
	l.ctx, l.stop = context.WithCancel(context.Background()) //nolint:gosec // Close calls it
	transport := http.DefaultTransport.(*http.Transport).Clone()
	transport.Proxy, transport.ResponseHeaderTimeout = o.Proxy, headerWait
	l.client = &http.Client{
		Transport: &sender{link: l, origin: u, next: transport},
		CheckRedirect: func(r *http.Request, via []*http.Request) error {
			switch {
			case !sameOrigin(r.URL, u):
				return fmt.Errorf("it redirects to another server, %s", r.URL.Host)
			case len(via) > maxRedirects:
				return errors.New("it redirects too often")
			}
			return nil
		},
	}
	return l, nil
}

func sameOrigin(a, b *url.URL) bool { return a.Scheme == b.Scheme && a.Host == b.Host }

// Transport returns the messages of the link.
func (l *Link) Transport() mcp.Transport {
	if l.o.SSE {
		return lasting{l, &mcp.SSEClientTransport{Endpoint: l.o.URL, HTTPClient: l.client, MaxEventSize: maxEvent}}
	}
	return &mcp.StreamableClientTransport{Endpoint: l.o.URL, HTTPClient: l.client, MaxEventSize: maxEvent}
}

// Reason returns nil: the errors of requests say what is wrong.
func (*Link) Reason() error { return nil }

// Close ends all requests.
func (l *Link) Close() {
	l.stop()
	l.client.CloseIdleConnections()
}

// lasting connects so that the end of the context ends the connecting, and not the
// connection.
type lasting struct {
	link *Link
	mcp.Transport
}

// Connect implements [mcp.Transport].
func (t lasting) Connect(ctx context.Context) (mcp.Connection, error) {
	whole, cancel := context.WithCancel(t.link.ctx) //nolint:gosec // ends with the link
	detach := context.AfterFunc(ctx, cancel)
	c, err := t.Transport.Connect(whole)
	if !detach() && err == nil {
		_ = c.Close()
		err = context.Cause(ctx)
	}
	if err != nil {
		cancel()
	}
	return c, err
}

// sender adds the headers to requests to the server, and ends requests with the link.
type sender struct {
	link   *Link
	origin *url.URL
	next   http.RoundTripper
}

// RoundTrip implements [http.RoundTripper].
func (s *sender) RoundTrip(r *http.Request) (*http.Response, error) {
	if err := s.link.ctx.Err(); err != nil {
		return nil, errors.New("the connection was closed")
	}
	if !sameOrigin(r.URL, s.origin) {
		return nil, fmt.Errorf("it sends to another server, %s", r.URL.Host)
	}
	ctx, cancel := context.WithCancel(r.Context())
	forget := context.AfterFunc(s.link.ctx, cancel)
	end := func() {
		forget()
		cancel()
	}
	r = r.Clone(ctx)
	for name, value := range s.link.o.Headers {
		r.Header.Set(name, value)
	}
	resp, err := s.next.RoundTrip(r)
	if err != nil {
		end()
		return nil, err
	}
	resp.Body = &body{resp.Body, end}
	return resp, nil
}

// body calls end when it is closed.
type body struct {
	io.ReadCloser

	end func()
}

func (b *body) Close() error {
	defer b.end()
	return b.ReadCloser.Close()
}
