package transport

import (
	"context"
	"io"
	"mime"
	"net/http"
	"net/url"
	"strings"
	"sync/atomic"
	"time"

	"github.com/emendo-dev/emendo/agent/model"
	"github.com/emendo-dev/emendo/internal/network"
)

// Defaults for how long a stream may be silent.
const (
	DefaultFirstByte = 300 * time.Second
	DefaultIdle      = 120 * time.Second
)

const (
	// maxErrorBody bounds the body of an error response, in bytes.
	maxErrorBody = 1 << 20

	// maxWhole bounds a response that is not a stream, in bytes.
	maxWhole = 64 << 20

	// afterFinish is how long a server may keep a stream open after the answer is
	// complete. Counts may still arrive, but are not worth a longer wait.
	afterFinish = 5 * time.Second
)

// Options of a [Transport] and of generators. The zero value works.
type Options struct {
	HTTP      http.RoundTripper // nil: http.DefaultTransport
	Headers   http.Header       // sent with each request; they replace emendo's
	UserAgent string

	FirstByte time.Duration // the longest wait for the first event; 0: DefaultFirstByte
	Idle      time.Duration // the longest wait between two events; 0: DefaultIdle
	MaxStream int64         // the bytes of a response; 0: 128 MiB

	Framing Framing  // of the client library; set by the provider's package
	Keys    []string // removed from all messages; likewise
}

// A Provider reads what is a provider's own, or its client library's.
type Provider interface {
	// Refuse translates a response whose status is not a success.
	Refuse(r Refusal) *model.Error
	// Explain translates an error of the client library; nil: it means nothing particular.
	Explain(err error, x *Exchange) *model.Error
	// Garbled reports whether the client library could not decode an event. The texts of
	// such errors quote it, and are not shown.
	Garbled(err error) bool
}

// Transport is the only way of a generator to the network. It is safe for
// concurrent use.
type Transport struct {
	o        Options
	provider Provider                          // nil: errors are translated by the status alone
	allowed  atomic.Pointer[[]model.Allowance] // what the last answer said; nil: nothing
}

// New returns a transport to a provider, which may be nil.
func New(o Options, p Provider) *Transport {
	if o.HTTP == nil {
		o.HTTP = http.DefaultTransport
	}
	if o.FirstByte == 0 {
		o.FirstByte = DefaultFirstByte
	}
	if o.MaxStream == 0 {
		o.MaxStream = maxStream
	}
	if o.Idle == 0 {
		o.Idle = DefaultIdle
	}
	return &Transport{o: o, provider: p}
}

// Client returns a client that uses the transport. It follows no redirects, which
// would take the key to another host.
func (t *Transport) Client() *http.Client {
	return &http.Client{Transport: t, CheckRedirect: NoRedirect}
}

// NoRedirect is an [http.Client.CheckRedirect] that returns the redirecting response.
func NoRedirect(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }

// RoundTrip implements [http.RoundTripper].
func (t *Transport) RoundTrip(req *http.Request) (*http.Response, error) {
	x, ok := req.Context().Value(exchangeKey{}).(*Exchange)
	if !ok { // not a model request: the client library fetches a token
		return t.o.HTTP.RoundTrip(req)
	}
	x.Host = req.URL.Host
	if x.Whole || req.Method == http.MethodGet {
		return t.whole(req, x)
	}
	ctx, cancel := context.WithCancelCause(req.Context())
	silence := "no response within " + t.o.FirstByte.String()
	timer := time.AfterFunc(t.o.FirstByte, func() { cancel(&model.Error{Kind: model.Cut, Message: silence}) })
	req = req.Clone(ctx)
	t.dress(req.Header)
	started := time.Now()
	resp, err := t.o.HTTP.RoundTrip(req)
	if err == nil {
		x.Status, x.Header = resp.StatusCode, resp.Header
		t.noteAllowances(resp.Header, time.Now())
		err = t.refused(resp)
	}
	timer.Stop()
	if err != nil {
		x.Proxy = t.proxy(req)
		err = cause(ctx, err)
		cancel(nil)
		return nil, err
	}
	resp.Body = &body{
		x: x, ctx: ctx, cancel: cancel, inner: resp.Body, events: events{framing: t.o.Framing, x: x},
		left: max(t.o.FirstByte-time.Since(started), 0), idle: t.o.Idle, silence: silence, most: t.o.MaxStream,
	}
	return resp, nil
}

// whole sends a request whose response is one document. The caller limits its time.
func (t *Transport) whole(req *http.Request, x *Exchange) (*http.Response, error) {
	req = req.Clone(req.Context())
	t.dress(req.Header)
	resp, err := t.o.HTTP.RoundTrip(req)
	if err != nil {
		x.Proxy = t.proxy(req)
		return nil, err
	}
	x.Status, x.Header = resp.StatusCode, resp.Header
	t.noteAllowances(resp.Header, time.Now())
	if err := t.refused(resp); err != nil {
		return nil, err
	}
	resp.Body = bounded{io.LimitReader(resp.Body, maxWhole), resp.Body}
	return resp, nil
}

// bounded is a body of which a limited part is read.
type bounded struct {
	io.Reader
	io.Closer
}

// proxy returns the HOST:PORT of the proxy for a request, or "".
func (t *Transport) proxy(req *http.Request) string {
	var find func(*http.Request) (*url.URL, error)
	switch way := t.o.HTTP.(type) {
	case *http.Transport:
		find = way.Proxy
	case *network.Network:
		find = way.Proxy
	}
	if find == nil {
		return ""
	}
	if u, err := find(req); err == nil && u != nil {
		return u.Host
	}
	return ""
}

// dress sets emendo's headers, and removes those in which client libraries describe
// the machine.
func (t *Transport) dress(h http.Header) {
	for name := range h {
		if strings.HasPrefix(name, "X-Stainless-") {
			h.Del(name)
		}
	}
	if t.o.UserAgent != "" {
		h.Set("User-Agent", t.o.UserAgent)
	}
	for name, values := range t.o.Headers {
		h[http.CanonicalHeaderKey(name)] = values
	}
}

// refused returns the error of a response without an answer, or nil.
func (t *Transport) refused(resp *http.Response) error {
	kind, _, _ := mime.ParseMediaType(resp.Header.Get("Content-Type"))
	ok := resp.StatusCode >= 200 && resp.StatusCode < 300
	if ok && kind != "text/html" {
		return nil
	}
	defer resp.Body.Close()
	if ok {
		return webPage(resp.StatusCode)
	}
	if resp.StatusCode == http.StatusProxyAuthRequired && resp.Request != nil {
		return &model.Error{Kind: model.Invalid, Message: network.ProxyCredentials(t.proxy(resp.Request))}
	}
	b, err := io.ReadAll(io.LimitReader(resp.Body, maxErrorBody))
	if err != nil && resp.Request != nil && resp.Request.Context().Err() != nil {
		return err
	}
	r := Refusal{Status: resp.StatusCode, Header: resp.Header, Body: b, Time: time.Now()}
	if t.provider != nil {
		return t.provider.Refuse(r)
	}
	e := r.Error("")
	e.Message = t.Line(e.Message)
	return e
}

// webPage returns the error for a web page in place of an answer.
func webPage(status int) *model.Error {
	return &model.Error{
		Kind: model.Invalid, Status: status,
		Message: "the server returned a web page instead of a stream; check the base URL, and whether the network requires a login",
	}
}

// cause returns the cause of ctx if it has ended, and err otherwise.
func cause(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	return err
}
