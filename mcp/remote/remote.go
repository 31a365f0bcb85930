// Package remote reaches MCP servers over HTTP. Headers of the configuration and the
// user's login go to the configured address alone. It does not know what the messages mean.
package remote

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"sync"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/emendo-dev/emendo/internal/network"
	"github.com/emendo-dev/emendo/mcp/oauth"
	"github.com/emendo-dev/emendo/mcp/schema"
)

// Limits of connections.
const (
	maxEvent   = 64 << 20         // bytes of one message
	headerWait = 30 * time.Second // for the beginning of a response
)

// A Link is a connection to a server.
type Link struct {
	target  oauth.Target
	network *network.Network // the way there
	client  *http.Client
	ctx     context.Context // of all requests, until Close
	stop    context.CancelFunc

	mu      sync.Mutex
	written *schema.Written
	reason  error // why it broke, if that is known
	sse     bool  // SSE is in use
	spoken  bool  // the server took a message by streamable HTTP
	status  int   // of the last response to one
}

// Open returns a link to a server with the user's login there, without sending anything.
func Open(t oauth.Target, logins oauth.Logins) (*Link, error) {
	u, err := url.Parse(t.URL)
	if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "" {
		return nil, errors.New("its address is not an http or https URL")
	}
	l := &Link{target: t, network: logins.Network, sse: t.SSE}
	l.ctx, l.stop = context.WithCancel(context.Background()) //nolint:gosec // Close calls it
	transport, err := l.network.Transport(u.Host)
	if err != nil {
		return nil, err
	}
	transport.ResponseHeaderTimeout = headerWait
	var next http.RoundTripper = transport
	if login := logins.Session(t, transport); login != nil {
		next = login
	}
	l.client = &http.Client{Transport: &sender{link: l, origin: u, next: next}, CheckRedirect: network.SameServer}
	return l, nil
}

// Transport returns the messages of the link. Schemas of tools are kept in w.
func (l *Link) Transport(w *schema.Written) mcp.Transport {
	l.mu.Lock()
	l.written = w
	l.mu.Unlock()
	if l.overSSE() {
		return linked{l, &mcp.SSEClientTransport{Endpoint: l.target.URL, HTTPClient: l.client, MaxEventSize: maxEvent}}
	}
	return linked{l, &mcp.StreamableClientTransport{Endpoint: l.target.URL, HTTPClient: l.client, MaxEventSize: maxEvent}}
}

func (l *Link) overSSE() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.sse
}

// TransportName returns the name of the transport in use.
func (l *Link) TransportName() string {
	if l.overSSE() {
		return "SSE"
	}
	return "streamable HTTP"
}

// Fallback changes to SSE and reports true, if the target permits that and the server
// answered the first message with an error of the client's that is not about
// authorization, as servers do that do not know streamable HTTP.
func (l *Link) Fallback() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	if !l.target.Fallback || l.sse || l.spoken || l.status < 400 || l.status > 499 {
		return false
	}
	switch l.status {
	case http.StatusUnauthorized, http.StatusForbidden, http.StatusProxyAuthRequired:
		return false
	}
	l.sse = true
	return true
}

// answered notes the status of the response to a message.
func (l *Link) answered(status int) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.status = status
	l.spoken = l.spoken || status < 300
}

// Reason returns that the server needs a login, if that ended the link. Otherwise the
// errors of requests say what is wrong.
func (l *Link) Reason() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.reason
}

// endWith ends the link.
func (l *Link) endWith(reason error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.reason == nil {
		l.reason = reason
	}
	l.stop()
}

// Close ends all requests.
func (l *Link) Close() {
	l.stop()
	l.client.CloseIdleConnections()
}

// linked connects so that the end of the context ends the connecting, and the end of the
// link the connection, which would try its requests again, with pauses.
type linked struct {
	link *Link
	mcp.Transport
}

// Connect implements [mcp.Transport].
func (t linked) Connect(ctx context.Context) (mcp.Connection, error) {
	whole, cancel := context.WithCancel(t.link.ctx) //nolint:gosec // ends with the link
	detach := context.AfterFunc(ctx, cancel)
	c, err := t.Transport.Connect(whole)
	if !detach() && err == nil {
		_ = c.Close()
		err = context.Cause(ctx)
	}
	if err != nil {
		cancel()
		return nil, err
	}
	context.AfterFunc(whole, func() { _ = c.Close() })
	return c, nil
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
		return nil, cmp.Or(s.link.Reason(), errors.New("the connection was closed"))
	}
	if r.URL.Scheme != s.origin.Scheme || r.URL.Host != s.origin.Host {
		return nil, fmt.Errorf("it sends to another server, %s", r.URL.Host)
	}
	ctx, end := context.WithCancel(r.Context())
	forget := context.AfterFunc(s.link.ctx, end)
	context.AfterFunc(ctx, func() { forget() })
	r = r.Clone(ctx)
	for name, value := range s.link.target.Headers {
		r.Header.Set(name, value)
	}
	resp, err := s.next.RoundTrip(r)
	if err != nil {
		end()
		if _, lacks := errors.AsType[*oauth.LackingError](err); errors.Is(err, oauth.ErrLogin) && !lacks {
			s.link.endWith(err)
		}
		return nil, s.link.network.Explain(r.URL.Host, err)
	}
	if r.Method == http.MethodPost {
		s.link.answered(resp.StatusCode)
	}
	s.link.mu.Lock()
	written := s.link.written
	s.link.mu.Unlock()
	if written != nil && mayListTools(r) {
		resp.Body = keepingSchemas(resp, written)
	}
	resp.Body = &body{resp.Body, end}
	return resp, nil
}

// body calls end when it is closed.
type body struct {
	io.ReadCloser

	end context.CancelFunc
}

func (b *body) Close() error {
	defer b.end()
	return b.ReadCloser.Close()
}
