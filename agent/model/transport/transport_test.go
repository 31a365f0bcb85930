package transport_test

import (
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/emendo-dev/emendo/agent/model"
	"github.com/emendo-dev/emendo/agent/model/transport"
)

// get asks url for a whole document.
func get(t *testing.T, tr *transport.Transport, url string) (string, *model.Error) {
	t.Helper()
	x := &transport.Exchange{}
	req, err := http.NewRequestWithContext(transport.With(t.Context(), x), http.MethodGet, url, http.NoBody)
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("X-Stainless-Os", "secret machine")
	resp, err := tr.Client().Do(req)
	if err != nil {
		return "", tr.Explain(err, x)
	}
	defer resp.Body.Close()
	b, err := io.ReadAll(resp.Body)
	if err != nil {
		return "", tr.Explain(err, x)
	}
	return string(b), nil
}

func TestUntrustedCertificateNamesItsIssuer(t *testing.T) {
	s := httptest.NewUnstartedServer(http.NotFoundHandler())
	s.Config.ErrorLog = log.New(io.Discard, "", 0)
	s.StartTLS()
	t.Cleanup(s.Close)
	_, e := get(t, transport.New(transport.Options{}, nil), s.URL)
	if e == nil || e.Kind != model.TLS || !strings.Contains(e.Message, "issued by Acme Co, is not trusted") {
		t.Errorf("got %+v", e)
	}
}

func TestRefusals(t *testing.T) {
	for _, tt := range []struct {
		name   string
		status int
		header string
		kind   model.ErrorKind
		after  time.Duration
		says   string
	}{
		{"unknown caller", 401, "", model.Auth, 0, "the provider rejected the credentials: Unauthorized; check the key, or sign in again with `emendo auth login`"},
		{"no credit", 402, "", model.Quota, 0, "the quota is used up: Payment Required"},
		{"no such model", 404, "", model.NotFound, 0, "the model is not available: Not Found; choose another with --model or the setting model.name"},
		{"throttled", 429, "Retry-After: 7", model.RateLimited, 7 * time.Second, "too many requests: Too Many Requests"},
		{"throttled for milliseconds", 429, "Retry-After-Ms: 250", model.RateLimited, 250 * time.Millisecond, "too many requests: Too Many Requests"},
		{"a quota", 429, "Retry-After: 3600", model.Quota, time.Hour, "the quota is used up: Too Many Requests"},
		{"a quota until a date that is no date", 429, "Retry-After: Thu, 01 Jan 2970 00:00:00 GMT", model.RateLimited, 0, "too many requests: Too Many Requests"},
		{"overloaded", 529, "", model.Unavailable, 0, "the service is unavailable"},
		{"a redirect", 302, "Location: http://192.0.2.1/", model.Invalid, 0, "the provider rejected the request: the server redirects; check the base URL"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
				if name, value, ok := strings.Cut(tt.header, ": "); ok {
					w.Header().Set(name, value)
				}
				w.WriteHeader(tt.status)
			}))
			t.Cleanup(s.Close)
			_, e := get(t, transport.New(transport.Options{}, nil), s.URL)
			if e == nil || e.Kind != tt.kind || e.RetryAfter != tt.after || e.Message != tt.says || e.Status != tt.status {
				t.Errorf("got %+v", e)
			}
		})
	}
}

func TestHeaders(t *testing.T) {
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.WriteString(w, r.Header.Get("X-Stainless-Os")+r.UserAgent()+r.Header.Get("X-Mine"))
	}))
	t.Cleanup(s.Close)
	got, e := get(t, transport.New(transport.Options{UserAgent: "emendo/1", Headers: http.Header{"x-mine": {"!"}}}, nil), s.URL)
	if e != nil || got != "emendo/1!" {
		t.Errorf("got %q, %v", got, e)
	}
}

func TestKeysAreRedacted(t *testing.T) {
	tr := transport.New(transport.Options{Keys: []string{"my own/key", ""}}, nil)
	const text = "my own/key my+own%2Fkey AIzaSyAnotherKey0123456789 sk-ant-api03-abcdefghij ?key=abc Bearer abcdefghijk"
	if got, want := tr.Redact(text), "[key] [key] [key] [key] ?key=[key] [key]"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

// Gateways and web servers send errors as text; the user sees it, and what to do.
func TestTextsOfRefusals(t *testing.T) {
	const fix = "; choose another with --model or the setting model.name"
	for _, tt := range []struct {
		name, body, says string
		status           int
	}{
		{"a text", "budget of team\ttools\nis exhausted.\n", "the provider rejected the request: budget of team tools is exhausted", 400},
		{"a web page", "<html><h1>nginx</h1>", "the provider rejected the request: Bad Request", 400},
		{"JSON", `{"oops": true}`, "the provider rejected the request: Bad Request", 400},
		{"bytes", "\xff\x00\x01", "the provider rejected the request: Bad Request", 400},
		{"a long text", strings.Repeat("no ", 100), "the key has no access to this model: " + strings.TrimSpace(strings.Repeat("no ", 67)[:200]) + "…" + fix, 403},
		{"a file", strings.Repeat("no ", 10000), "the key has no access to this model: Forbidden" + fix, 403},
	} {
		t.Run(tt.name, func(t *testing.T) {
			s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
				w.WriteHeader(tt.status)
				_, _ = io.WriteString(w, tt.body)
			}))
			t.Cleanup(s.Close)
			if _, e := get(t, transport.New(transport.Options{}, nil), s.URL); e == nil || e.Message != tt.says {
				t.Errorf("got %v, want %s", e, tt.says)
			}
		})
	}
}

// What the user can do is at the end of a message, and never cut off.
func TestLongMessagesKeepWhatToDo(t *testing.T) {
	line := transport.New(transport.Options{}, nil).Line
	for _, kind := range []model.ErrorKind{model.Auth, model.NoAccess, model.NotFound} {
		says := line(transport.Message(kind, strings.Repeat("many words ", 1000), ""))
		short := line(transport.Message(kind, "few words", ""))
		_, fix, _ := strings.Cut(short, "few words")
		if fix == "" || !strings.HasSuffix(says, "…"+fix) {
			t.Errorf("%s: %q does not end in %q", kind, says, fix)
		}
	}
}

// A connection that fails is explained with the server's name, and without the addresses
// of the connection and the words of the library.
func TestConnectionsThatFail(t *testing.T) {
	op := func(name string, err error) error {
		return &net.OpError{Op: name, Net: "tcp", Source: &net.TCPAddr{Port: 1}, Addr: &net.TCPAddr{Port: 2}, Err: err}
	}
	reset := op("write", os.NewSyscallError("write", syscall.ECONNRESET))
	for _, tt := range []struct {
		name string
		err  error
		kind model.ErrorKind
		says string
	}{
		{"refused", op("dial", os.NewSyscallError("connect", syscall.ECONNREFUSED)), model.Unavailable, "the server api.example cannot be reached: connection refused"},
		{"reset", fmt.Errorf("net/http: HTTP/1.x transport connection broken: %w", reset), model.Unavailable, "the server api.example cannot be reached: connection reset by peer"},
		{"closed", io.EOF, model.Unavailable, "the server api.example cannot be reached: the server closed the connection"},
		{"an unknown name", op("dial", &net.DNSError{Err: "no such host", Name: "api.example", Server: "192.0.2.53:53", IsNotFound: true}), model.Unavailable, "the server api.example cannot be reached: no such host api.example; check the name, and the connection of this machine"},
		{"no answer to a lookup", op("dial", &net.DNSError{Err: "i/o timeout", Name: "api.example", Server: "192.0.2.53:53", IsTimeout: true}), model.Unavailable, "the server api.example cannot be reached: no DNS server answers; check the connection of this machine"},
		{"no answer", op("dial", os.ErrDeadlineExceeded), model.Unavailable, "the server api.example cannot be reached: no answer within the time limit"},
		{"a header that breaks off", errors.New(`net/http: HTTP/1.x transport connection broken: malformed MIME header: missing colon: "Content-Ty"`), model.Unavailable, "the server api.example cannot be reached: the header of the response is incomplete"},
		{"no TLS", tls.RecordHeaderError{Msg: "first record does not look like a TLS handshake"}, model.Invalid, "the server api.example does not use TLS; check whether the base URL has to begin with http://"},
		{"no TLS, but HTTP", errors.New("http: server gave HTTP response to HTTPS client"), model.Invalid, "the server api.example does not use TLS; check whether the base URL has to begin with http://"},
		{"another protocol", errors.New(`net/http: HTTP/1.x transport connection broken: malformed HTTP response "SSH-2.0-OpenSSH_9.6"`), model.Invalid, "the server api.example does not answer by HTTP; check the base URL and the port in it"},
		{"something else", errors.New("a new fault"), model.Unavailable, "the server api.example cannot be reached: a new fault"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			tr := transport.New(transport.Options{HTTP: failing{tt.err}}, nil)
			if _, e := get(t, tr, "https://api.example/v1"); e == nil || e.Kind != tt.kind || e.Message != tt.says {
				t.Errorf("got %+v, want %s: %s", e, tt.kind, tt.says)
			}
		})
	}
}

// failing is a network on which every request fails.
type failing struct{ err error }

func (f failing) RoundTrip(*http.Request) (*http.Response, error) { return nil, f.err }

// A network that wants the user to sign in may send its page with any type.
func TestAWebPageIsNoStream(t *testing.T) {
	for _, kind := range []string{"text/html", "text/plain", "text/event-stream", ""} {
		t.Run(kind, func(t *testing.T) {
			s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
				w.Header().Set("Content-Type", kind)
				_, _ = io.WriteString(w, "\ufeff\r\n <!DOCTYPE html>\n<title>Sign in</title>\n")
			}))
			t.Cleanup(s.Close)
			tr, x := transport.New(transport.Options{}, nil), &transport.Exchange{}
			req, err := http.NewRequestWithContext(transport.With(t.Context(), x), http.MethodPost, s.URL, http.NoBody)
			if err != nil {
				t.Fatal(err)
			}
			resp, err := tr.Client().Do(req)
			if err == nil {
				_, err = io.ReadAll(resp.Body)
				resp.Body.Close()
			}
			if err == nil {
				t.Fatal("the page was read as a stream")
			}
			if e := tr.Explain(err, x); e.Kind != model.Invalid || !strings.Contains(e.Message, "a web page instead of a stream") {
				t.Errorf("got %+v", e)
			}
		})
	}
}

// A proxy that a request without TLS goes through wants credentials.
func TestAProxyThatWantsCredentials(t *testing.T) {
	proxy := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusProxyAuthRequired) }))
	t.Cleanup(proxy.Close)
	at, err := url.Parse(proxy.URL)
	if err != nil {
		t.Fatal(err)
	}
	at.User = url.UserPassword("me", "my-password")
	way := &http.Transport{Proxy: http.ProxyURL(at)}
	t.Cleanup(way.CloseIdleConnections)
	_, e := get(t, transport.New(transport.Options{HTTP: way}, nil), "http://api.example/v1")
	if e == nil || e.Kind != model.Invalid || !strings.HasPrefix(e.Message, "the proxy "+at.Host+" does not accept requests without a valid user name and password") || strings.Contains(e.Error(), "my-password") {
		t.Errorf("got %+v", e)
	}
}
