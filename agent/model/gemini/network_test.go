package gemini_test

import (
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"strings"
	"syscall"
	"testing"

	"github.com/emendo-dev/emendo/agent/model"
	"github.com/emendo-dev/emendo/agent/model/gemini"
	"github.com/emendo-dev/emendo/agent/model/gemini/geminitest"
)

// failing is a network on which every request fails.
type failing struct{ err error }

func (f failing) RoundTrip(*http.Request) (*http.Response, error) { return nil, f.err }

func TestNetworkErrorsAreTransient(t *testing.T) {
	op := func(name string, err error) error {
		return &net.OpError{Op: name, Net: "tcp", Err: os.NewSyscallError(name, err)}
	}
	s := geminitest.New(t)
	for _, tt := range []struct {
		name string
		err  error
	}{
		{"the connection is reset", op("read", syscall.ECONNRESET)},
		{"the other end is gone", op("write", syscall.EPIPE)},
		{"connection refused", op("connect", syscall.ECONNREFUSED)},
		{"the way takes too long", op("connect", syscall.ETIMEDOUT)},
		{"there is no way", op("connect", syscall.EHOSTUNREACH)},
		{"the name is not known", &net.OpError{Op: "dial", Err: &net.DNSError{Err: "no such host", Name: "x", IsNotFound: true}}},
		{"names cannot be looked up just now", &net.OpError{Op: "dial", Err: &net.DNSError{Err: "server misbehaving", Name: "x", IsTemporary: true}}},
		{"a TLS record is garbled", op("remote error", tls.AlertError(20))},
		{"a time is up", os.ErrDeadlineExceeded},
		{"the connection closes before the answer", io.ErrUnexpectedEOF},
		{"it closes at once", io.EOF},
		{"the cause is deep inside", &url.Error{Op: "Post", URL: "http://x", Err: fmt.Errorf("a: %w", fmt.Errorf("b: %w", op("read", syscall.ECONNRESET)))}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			g := client(t, s, func(o *gemini.Options) { o.Way.HTTP = failing{tt.err} })
			_, err := collect(t.Context(), g, ask("gemini-2.5-pro", "hi"))
			e := wantError(t, err, model.Unavailable)
			if !e.Temporary() || e.Elsewhere() {
				t.Errorf("%v: worth another try: %v, another model: %v", e, e.Temporary(), e.Elsewhere())
			}
			if !errors.Is(err, tt.err) && errors.Unwrap(err) == nil {
				t.Errorf("%v has lost its cause", err)
			}
		})
	}
}

// The proxy is named without the password in its URL.
func TestRefusingProxyIsNamed(t *testing.T) {
	refusing := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusForbidden) }))
	t.Cleanup(refusing.Close)
	gone := httptest.NewServer(http.NotFoundHandler())
	gone.Close()
	s := geminitest.New(t)
	for name, at := range map[string]string{"it refuses": refusing.URL, "it is not there": gone.URL} {
		t.Run(name, func(t *testing.T) {
			u, err := url.Parse(at)
			if err != nil {
				t.Fatal(err)
			}
			u.User = url.UserPassword("me", "hidden")
			g := client(t, s, func(o *gemini.Options) {
				o.BaseURL, o.Way.HTTP = "https://model.example/", &http.Transport{Proxy: http.ProxyURL(u)}
			})
			_, err = collect(t.Context(), g, ask("gemini-2.5-pro", "hi"))
			e := wantError(t, err, model.Unavailable)
			if text := e.Error(); !strings.Contains(text, "through the proxy "+u.Host+": ") || strings.Contains(text, "hidden") {
				t.Error(text)
			}
		})
	}
}
