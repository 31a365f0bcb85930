package oauth_test

import (
	"errors"
	"fmt"
	"io/fs"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/oauthex"

	"github.com/emendo-dev/emendo/internal/settings"
	"github.com/emendo-dev/emendo/mcp/oauth"
	"github.com/emendo-dev/emendo/mcp/oauth/oauthtest"
)

// endless answers requests for a path with JSON without an end, until the client goes.
func endless(path string) func(http.ResponseWriter, *http.Request) bool {
	return func(w http.ResponseWriter, r *http.Request) bool {
		if !strings.HasPrefix(r.URL.Path, path) {
			return false
		}
		w.Header().Set("Content-Type", "application/json")
		_, err := fmt.Fprint(w, `{"issuer": "`)
		for err == nil {
			_, err = fmt.Fprint(w, strings.Repeat("x", 1<<16))
		}
		return true
	}
}

func set(name string, value any) func(map[string]any) {
	return func(m map[string]any) { m[name] = value }
}

func TestHostileLogins(t *testing.T) {
	var reached atomic.Int32
	other := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { reached.Add(1) }))
	t.Cleanup(other.Close)
	redirects := func(path string) func(http.ResponseWriter, *http.Request) bool {
		return func(w http.ResponseWriter, r *http.Request) bool {
			if strings.HasPrefix(r.URL.Path, path) {
				http.Redirect(w, r, other.URL, http.StatusTemporaryRedirect)
				return true
			}
			return false
		}
	}
	for _, c := range []struct {
		name  string
		world oauthtest.Options
		oauth settings.OAuth
		want  string
	}{
		{name: "the metadata are another issuer's", world: oauthtest.Options{Metadata: set("issuer", "https://bank.test")}, want: `metadata issuer "https://bank.test" does not match`},
		{name: "a token endpoint without TLS", world: oauthtest.Options{Metadata: set("token_endpoint", "http://auth.test/token")}, want: "token_endpoint"},
		{name: "an authorization endpoint without TLS", world: oauthtest.Options{Metadata: set("authorization_endpoint", "http://auth.test/authorize")}, want: "authorization_endpoint"},
		{name: "a script as an endpoint", world: oauthtest.Options{Metadata: set("authorization_endpoint", "javascript:alert(1)")}, want: "authorization_endpoint"},
		{name: "a revocation endpoint without TLS", world: oauthtest.Options{Metadata: set("revocation_endpoint", "http://auth.test/revoke")}, want: "http://auth.test/revoke: a login needs https"},
		{name: "an endpoint with a password", world: oauthtest.Options{Metadata: set("registration_endpoint", "https://a:b@auth.test/register")}, want: "it is not a plain address"},
		{name: "an endpoint at a metadata service", world: oauthtest.Options{Metadata: set("revocation_endpoint", "https://169.254.169.254/latest")}, want: "has no business with"},
		{name: "no PKCE", world: oauthtest.Options{Metadata: set("code_challenge_methods_supported", []string{"plain"})}, want: "does not support PKCE with S256"},
		{name: "no endpoints", world: oauthtest.Options{Metadata: set("token_endpoint", "")}, want: "name no endpoints"},
		{name: "no registration", world: oauthtest.Options{Metadata: set("registration_endpoint", "")}, want: "set oauth.clientId"},
		{name: "an authorization server without TLS", world: oauthtest.Options{Resource: func(m *oauthex.ProtectedResourceMetadata) { m.AuthorizationServers = []string{"http://auth.test"} }}, want: "authorization_servers"},
		{name: "no authorization server", world: oauthtest.Options{Resource: func(m *oauthex.ProtectedResourceMetadata) { m.AuthorizationServers = nil }}, want: "name no authorization server"},
		{name: "the metadata of another resource", world: oauthtest.Options{Resource: func(m *oauthex.ProtectedResourceMetadata) { m.Resource = "https://bank.test/mcp" }}, want: `got metadata resource "https://bank.test/mcp"`},
		{name: "another issuer than the configured one", oauth: settings.OAuth{Issuer: "https://bank.test"}, want: "and oauth.issuer is https://bank.test"},
		{name: "an answer from another issuer", world: oauthtest.Options{Redirect: func(q url.Values) { q.Set("iss", "https://bank.test") }}, want: "the answer is from https://bank.test"},
		{name: "an answer from nobody", world: oauthtest.Options{Redirect: func(q url.Values) { q.Del("iss") }}, want: "does not say that it is from"},
		{name: "the user refuses", world: oauthtest.Options{Redirect: func(q url.Values) {
			q.Del("code")
			q.Set("error", "access_denied")
			q.Set("error_description", "No.\n\x1b[31mNever.")
		}}, want: "refuses: access_denied: No."},
		{name: "a code of another login", world: oauthtest.Options{Redirect: func(q url.Values) { q.Set("code", "other") }}, want: "it answered invalid_grant"},
		{name: "endless metadata", world: oauthtest.Options{Handle: endless("/.well-known/oauth-authorization-server")}, want: "metadata of its authorization server cannot be used"},
		{name: "endless metadata of the resource", world: oauthtest.Options{Handle: endless("/.well-known/oauth-protected-resource")}, want: "its metadata cannot be used"},
		{name: "an endless registration", world: oauthtest.Options{Handle: endless("/register")}, want: "register emendo at"},
		{name: "an endless token", world: oauthtest.Options{Handle: endless("/token")}, want: "exchange the code"},
		{name: "a redirect with the code", world: oauthtest.Options{Handle: redirects("/token")}, want: "redirects a request that has secrets"},
		{name: "a redirect of the registration", world: oauthtest.Options{Handle: redirects("/register")}, want: "redirects a request that has secrets"},
		{name: "a redirect of the metadata", world: oauthtest.Options{Handle: redirects("/.well-known/oauth-authorization-server")}, want: "redirects to another server"},
		{name: "a redirect of the server", world: oauthtest.Options{Handle: redirects("/mcp")}, want: "redirects to another server"},
		{name: "nothing", world: oauthtest.Options{NoHint: true, Handle: noMetadata}, want: "has no metadata that say how to sign in"},
		{name: "a token that is no bearer token", world: oauthtest.Options{Handle: tokens(`{"access_token": "x", "token_type": "mac"}`)}, want: "tokens of the type mac"},
		{name: "a token that is no header", world: oauthtest.Options{Handle: tokens(`{"access_token": "x\r\nHost: bank.test", "token_type": "bearer"}`)}, want: "characters that no header can have"},
	} {
		t.Run(c.name, func(t *testing.T) {
			w := oauthtest.New(t, c.world)
			l, _ := logins(t)
			visited := make(chan struct{}, 1)
			visited <- struct{}{}
			login, err := l.Login(t.Context(), oauth.Target{Name: "far", URL: w.URL, OAuth: c.oauth}, oauth.User{Open: func(address, _ string, _ []string) {
				<-visited
				go func() {
					_, _ = oauthtest.Visit(t.Context(), address)
					visited <- struct{}{}
				}()
			}})
			<-visited
			if err == nil || !strings.Contains(err.Error(), c.want) || strings.ContainsAny(err.Error(), "\n\x1b") || len(err.Error()) > 600 {
				t.Errorf("the login is %+v, the error %v; want one about %s", login, err, c.want)
			}
			if files, err := os.ReadDir(l.Dir); !errors.Is(err, fs.ErrNotExist) {
				t.Errorf("stored: %v, %v", files, err)
			}
		})
	}
	if n := reached.Load(); n != 0 {
		t.Errorf("another server was reached %d times", n)
	}
}

// tokens answers requests for tokens.
func tokens(body string) func(http.ResponseWriter, *http.Request) bool {
	return func(w http.ResponseWriter, r *http.Request) bool {
		if r.URL.Path != "/token" {
			return false
		}
		w.Header().Set("Content-Type", "application/json")
		_, _ = fmt.Fprint(w, body)
		return true
	}
}

func TestAddressesThatNeedTLS(t *testing.T) {
	l, _ := logins(t)
	for _, address := range []string{"http://far.test/mcp", "http://10.0.0.1/mcp", "https://user:pw@far.test", "ftp://far.test"} {
		_, err := l.Login(t.Context(), oauth.Target{URL: address}, oauth.User{})
		if err == nil || !strings.Contains(err.Error(), "its address ") {
			t.Errorf("%s: %v", address, err)
		}
	}
}
