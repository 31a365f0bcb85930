package gemini

import (
	"context"
	"io"
	"mime"
	"net/http"
	"time"

	"github.com/emendo-dev/emendo/agent/model"
)

const (
	// maxErrorBody bounds the body of an error response, in bytes.
	maxErrorBody = 1 << 20

	// afterFinish is how long a server may keep a stream open after the finish
	// reason. Counts may still arrive, but are not worth a longer wait.
	afterFinish = 5 * time.Second
)

// transport is the only way to the network. It turns every HTTP failure into a
// [*model.Error], cancels silent streams and normalizes their framing. It never
// repeats a request.
type transport struct {
	o      *Options
	redact func(string) string
}

// RoundTrip implements [http.RoundTripper].
func (t *transport) RoundTrip(req *http.Request) (*http.Response, error) {
	x, ok := req.Context().Value(exchangeKey{}).(*exchange)
	if !ok { // not a model request: the client library fetches a token
		return t.o.HTTP.RoundTrip(req)
	}
	if req.Method == http.MethodGet {
		return t.get(req, x)
	}
	ctx, cancel := context.WithCancelCause(req.Context())
	silence := "no response within " + t.o.FirstByte.String()
	timer := time.AfterFunc(t.o.FirstByte, func() { cancel(&model.Error{Kind: model.Cut, Message: silence}) })
	req = req.Clone(ctx)
	t.dress(req.Header)
	started := time.Now()
	resp, err := t.o.HTTP.RoundTrip(req)
	if err == nil {
		x.status = resp.StatusCode
		err = t.refused(resp)
	}
	timer.Stop()
	if err != nil {
		x.proxy = t.proxy(req)
		err = cause(ctx, err)
		cancel(nil)
		return nil, err
	}
	resp.Body = &body{
		x: x, ctx: ctx, cancel: cancel, inner: resp.Body, events: events{tap: x.tap},
		left: max(t.o.FirstByte-time.Since(started), 0), idle: t.o.Idle, silence: silence,
	}
	return resp, nil
}

// get sends a request about models.
func (t *transport) get(req *http.Request, x *exchange) (*http.Response, error) {
	req = req.Clone(req.Context())
	t.dress(req.Header)
	resp, err := t.o.HTTP.RoundTrip(req)
	if err != nil {
		x.proxy = t.proxy(req)
		return nil, err
	}
	x.status = resp.StatusCode
	if err := t.refused(resp); err != nil {
		return nil, err
	}
	return resp, nil
}

// proxy returns the HOST:PORT of the proxy for a request, or "".
func (t *transport) proxy(req *http.Request) string {
	way, ok := t.o.HTTP.(*http.Transport)
	if !ok || way.Proxy == nil {
		return ""
	}
	if u, err := way.Proxy(req); err == nil && u != nil {
		return u.Host
	}
	return ""
}

// dress sets emendo's headers.
func (t *transport) dress(h http.Header) {
	if t.o.UserAgent != "" {
		h.Set("User-Agent", t.o.UserAgent)
	}
	if t.o.APIKey == "" && !t.o.Vertex {
		h.Set("X-Goog-Api-Key", "")
	}
	for name, values := range t.o.Headers {
		h[http.CanonicalHeaderKey(name)] = values
	}
}

// refused returns the error of a response that is not a stream, or nil.
func (t *transport) refused(resp *http.Response) error {
	kind, _, _ := mime.ParseMediaType(resp.Header.Get("Content-Type"))
	ok := resp.StatusCode >= 200 && resp.StatusCode < 300
	if ok && kind != "text/html" {
		return nil
	}
	defer resp.Body.Close()
	if ok {
		return &model.Error{
			Kind: model.Invalid, Status: resp.StatusCode,
			Message: "the server returned a web page instead of a stream; check the base URL, and whether the network requires a login",
		}
	}
	b, err := io.ReadAll(io.LimitReader(resp.Body, maxErrorBody))
	if err != nil && resp.Request != nil && resp.Request.Context().Err() != nil {
		return err
	}
	f := parseFailure(resp.StatusCode, b)
	return f.classify(retryAfter(resp.Header.Get("Retry-After"), time.Now()), time.Now(), t.redact)
}

// cause returns the cause of ctx if it has ended, and err otherwise.
func cause(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	return err
}

// body is the stream of one response with normalized framing and a limit on
// silence. Time that the reader takes does not count.
type body struct {
	x      *exchange
	ctx    context.Context // of this request; its cause tells who ended it
	cancel context.CancelCauseFunc
	inner  io.ReadCloser

	events  events
	read    int           // bytes of events.out that were read
	left    time.Duration // how much longer the stream may be silent
	idle    time.Duration
	silence string // the error message when that time is over
	buf     [32 << 10]byte
	err     error // what follows the events
}

// Read reads from complete events.
func (b *body) Read(p []byte) (int, error) {
	for b.read == len(b.events.out) {
		if b.err != nil {
			return 0, b.err
		}
		b.events.out, b.read = reuse(b.events.out), 0
		b.fill()
	}
	n := copy(p, b.events.out[b.read:])
	b.read += n
	return n, nil
}

// fill reads once from the connection.
func (b *body) fill() {
	wait := b.left
	if b.x.finished {
		wait = min(wait, afterFinish)
	}
	started := time.Now()
	silence := b.silence
	timer := time.AfterFunc(wait, func() { b.cancel(&model.Error{Kind: model.Cut, Message: silence}) })
	n, err := b.inner.Read(b.buf[:])
	timer.Stop()
	b.left = max(b.left-time.Since(started), 0)

	b.events.live = false
	if bad := b.events.feed(b.buf[:n]); bad != nil {
		b.err = bad
		return
	}
	if b.events.live {
		b.left = b.idle
		b.silence = "the response stalled for " + b.idle.String()
	}
	switch {
	case err == io.EOF:
		b.events.end()
		b.err = err
	case err != nil:
		b.err = cause(b.ctx, err)
	}
}

// Close ends the request.
func (b *body) Close() error {
	b.cancel(nil)
	return b.inner.Close()
}
