package transport_test

import (
	"io"
	"log"
	"net/http"
	"net/http/httptest"
	"strings"
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
	_, e := get(t, transport.New(transport.Options{}), s.URL)
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
		{"unknown caller", 401, "", model.Auth, 0, "the provider rejected the credentials: Unauthorized"},
		{"no such model", 404, "", model.NotFound, 0, "the model is not available: Not Found; choose another with --model or the setting model.name"},
		{"throttled", 429, "Retry-After: 7", model.RateLimited, 7 * time.Second, "too many requests: Too Many Requests"},
		{"throttled for milliseconds", 429, "Retry-After-Ms: 250", model.RateLimited, 250 * time.Millisecond, "too many requests: Too Many Requests"},
		{"a quota", 429, "Retry-After: 3600", model.Quota, time.Hour, "the quota is used up: Too Many Requests"},
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
			_, e := get(t, transport.New(transport.Options{}), s.URL)
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
	got, e := get(t, transport.New(transport.Options{UserAgent: "emendo/1", Headers: http.Header{"x-mine": {"!"}}}), s.URL)
	if e != nil || got != "emendo/1!" {
		t.Errorf("got %q, %v", got, e)
	}
}

func TestKeysAreRedacted(t *testing.T) {
	tr := transport.New(transport.Options{Keys: []string{"my own/key", ""}})
	const text = "my own/key my+own%2Fkey AIzaSyAnotherKey0123456789 sk-ant-api03-abcdefghij ?key=abc Bearer abcdefghijk"
	if got, want := tr.Redact(text), "[key] [key] [key] [key] ?key=[key] [key]"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}
