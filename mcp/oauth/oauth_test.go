package oauth_test

import (
	"context"
	"errors"
	"io/fs"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/emendo-dev/emendo/internal/settings"
	"github.com/emendo-dev/emendo/mcp/oauth"
	"github.com/emendo-dev/emendo/mcp/oauth/oauthtest"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// logins returns logins in a folder of the test, and the secrets that it learns.
func logins(t *testing.T) (l oauth.Logins, secrets func() []string) {
	var mu sync.Mutex
	var known []string
	l = oauth.Logins{Dir: filepath.Join(t.TempDir(), "state", "logins"), Version: "1", Secret: func(s string) {
		mu.Lock()
		defer mu.Unlock()
		known = append(known, s)
	}}
	return l, func() []string {
		mu.Lock()
		defer mu.Unlock()
		return slices.Clone(known)
	}
}

// user signs in with a browser.
func user(t *testing.T) oauth.User {
	return oauth.User{Open: func(address, _ string, _ []string) {
		if text, err := oauthtest.Visit(t.Context(), address); err != nil || !strings.Contains(text, "You can close this window") {
			t.Errorf("the browser ends at %q, %v", text, err)
		}
	}}
}

// signIn signs in to a world.
func signIn(t *testing.T, l oauth.Logins, at oauth.Target) *oauth.Login {
	t.Helper()
	u := user(t)
	open := u.Open
	done := make(chan struct{})
	defer func() { <-done }()
	u.Open = func(address, issuer string, scopes []string) {
		go func() {
			defer close(done)
			open(address, issuer, scopes)
		}()
	}
	login, err := l.Login(t.Context(), at, u)
	if err != nil {
		t.Fatal(err)
	}
	return login
}

func state(t *testing.T, l oauth.Logins, at oauth.Target) oauth.State {
	t.Helper()
	s, err := l.State(at)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// getAlone refuses messages at the address of the MCP server, before it asks for a login.
func getAlone(w http.ResponseWriter, r *http.Request) bool {
	refused := r.URL.Path == "/mcp" && r.Method == http.MethodPost && r.URL.RawQuery == ""
	if refused {
		w.WriteHeader(http.StatusMethodNotAllowed)
	}
	return refused
}

func TestLogin(t *testing.T) {
	usual := []string{"register", "authorize read offline_access", "token authorization_code"}
	for _, c := range []struct {
		name  string
		world oauthtest.Options
		with  func(*oauthtest.World, *oauth.Target)
		want  []string
	}{
		{name: "an address that the server names", want: usual},
		{name: "metadata at the usual place", world: oauthtest.Options{NoHint: true}, want: usual},
		{name: "server-sent events", world: oauthtest.Options{SSE: true}, with: func(_ *oauthtest.World, at *oauth.Target) { at.SSE = true }, want: usual},
		{name: "server-sent events after streamable HTTP", world: oauthtest.Options{SSE: true, Handle: getAlone}, with: func(_ *oauthtest.World, at *oauth.Target) { at.Fallback = true }, want: usual},
		{name: "metadata of OpenID Connect", world: oauthtest.Options{OpenID: true}, want: usual},
		{
			name: "a configured client with a secret", world: oauthtest.Options{Client: "hush & quiet"},
			with: func(_ *oauthtest.World, at *oauth.Target) {
				at.OAuth = settings.OAuth{ClientID: "known", ClientSecret: "hush & quiet", Scopes: []string{"write"}, RedirectURI: "http://localhost/oauth/callback"}
			},
			want: []string{"authorize write offline_access", "token authorization_code"},
		},
		{
			name: "configured endpoints", world: oauthtest.Options{Client: "hush & quiet", NoHint: true, Handle: noMetadata},
			with: func(w *oauthtest.World, at *oauth.Target) {
				at.OAuth = settings.OAuth{ClientID: "known", ClientSecret: "hush & quiet", AuthorizationURL: w.Issuer + "/authorize", TokenURL: w.Issuer + "/token", Audiences: []string{"all"}}
			},
			want: []string{"authorize ", "token authorization_code"},
		},
		{
			name: "the configured issuer", with: func(w *oauthtest.World, at *oauth.Target) { at.OAuth.Issuer = w.Issuer }, want: usual,
			world: oauthtest.Options{Resource: nil},
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			w := oauthtest.New(t, c.world)
			l, secrets := logins(t)
			at := oauth.Target{Name: "far", URL: w.URL}
			if c.with != nil {
				c.with(w, &at)
			}
			if s := state(t, l, at); s != oauth.Unknown {
				t.Errorf("before the login its state is %d", s)
			}
			login := signIn(t, l, at)
			if seen := w.Seen(); !slices.Equal(seen, c.want) {
				t.Errorf("the authorization server saw %q, want %q", seen, c.want)
			}
			if login.Server != w.URL || login.Issuer != w.Issuer || login.Resource != w.URL {
				t.Errorf("the login is %+v", login)
			}
			if s := state(t, l, at); s != oauth.SignedIn {
				t.Errorf("after the login its state is %d", s)
			}
			token, err := l.Session(at, nil).Token(t.Context())
			if err != nil || !slices.Contains(w.Tokens(), token) {
				t.Errorf("the token is %q, %v", token, err)
			}
			for _, secret := range append(w.Tokens(), at.OAuth.ClientSecret) {
				if secret != "" && !slices.Contains(secrets(), secret) {
					t.Errorf("the secret %s is not known as one", secret)
				}
			}
			checkPrivate(t, l.Dir)
		})
	}
}

// noMetadata answers 404 to all requests for metadata.
func noMetadata(w http.ResponseWriter, r *http.Request) bool {
	if !strings.HasPrefix(r.URL.Path, "/.well-known/") {
		return false
	}
	http.NotFound(w, r)
	return true
}

// checkPrivate checks that only this user can read a folder and what is in it, and that
// nothing incomplete is left there.
func checkPrivate(t *testing.T, dir string) {
	t.Helper()
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		info, err := d.Info()
		if err != nil {
			return err
		}
		if info.Mode().Perm()&0o077 != 0 || strings.HasPrefix(d.Name(), ".part-") {
			t.Errorf("%s has the mode %s", path, info.Mode())
		}
		return nil
	})
	if err != nil {
		t.Error(err)
	}
}

// A login is asked for by the server's address and issuer: a configuration with another
// one gets no token.
func TestLoginIsOfOneServer(t *testing.T) {
	w := oauthtest.New(t, oauthtest.Options{})
	l, _ := logins(t)
	signIn(t, l, oauth.Target{Name: "far", URL: w.URL})
	for _, at := range []oauth.Target{
		{Name: "far", URL: w.URL + "/other"},
		{Name: "far", URL: "https://127.0.0.1/mcp"},
		{Name: "far", URL: w.URL, OAuth: settings.OAuth{Issuer: "https://other.test"}},
	} {
		if token, err := l.Session(at, nil).Token(t.Context()); err != nil || token != "" {
			t.Errorf("%+v gets the token %q, %v", at, token, err)
		}
	}
}

func TestExpiredTokensAreRenewed(t *testing.T) {
	w := oauthtest.New(t, oauthtest.Options{Lifetime: 5 * time.Second, Client: "hush"}) // too short to be used
	l, _ := logins(t)
	at := oauth.Target{Name: "far", URL: w.URL, OAuth: settings.OAuth{ClientID: "known", ClientSecret: "hush"}}
	first := signIn(t, l, at)
	w.Seen()
	s := l.Session(at, nil)
	for range 2 {
		token, err := s.Token(t.Context())
		if err != nil || token == first.AccessToken || !slices.Contains(w.Tokens(), token) {
			t.Errorf("the token is %q, %v", token, err)
		}
	}
	if seen := w.Seen(); !slices.Equal(seen, []string{"token refresh_token", "token refresh_token"}) {
		t.Errorf("the authorization server saw %q", seen)
	}
}

// Of many who find their token refused, one renews it, since a refresh token is good
// for one use; the others take what it has stored.
func TestOneRenewsForAll(t *testing.T) {
	w := oauthtest.New(t, oauthtest.Options{})
	l, _ := logins(t)
	at := oauth.Target{Name: "far", URL: w.URL}
	stale := signIn(t, l, at).AccessToken
	w.Expire()
	w.Seen()
	var all sync.WaitGroup
	tokens := make([]string, 8)
	for i := range tokens {
		all.Go(func() {
			var err error
			if tokens[i], err = l.Session(at, nil).Refused(t.Context(), stale); err != nil {
				t.Error(err)
			}
		})
	}
	all.Wait()
	slices.Sort(tokens)
	if seen := w.Seen(); !slices.Equal(seen, []string{"token refresh_token"}) || len(slices.Compact(tokens)) != 1 || tokens[0] == stale {
		t.Errorf("the authorization server saw %q, and the tokens are %q", seen, tokens)
	}
}

func TestEndedLogin(t *testing.T) {
	w := oauthtest.New(t, oauthtest.Options{})
	l, _ := logins(t)
	at := oauth.Target{Name: "far", URL: w.URL}
	stale := signIn(t, l, at).AccessToken
	w.End()
	s := l.Session(at, nil)
	if _, err := s.Refused(t.Context(), stale); !errors.Is(err, oauth.ErrLogin) {
		t.Errorf("the error is %v", err)
	}
	if got := state(t, l, at); got != oauth.Needed {
		t.Errorf("the state is %d", got)
	}
	w.Seen()
	if _, err := s.Refused(t.Context(), stale); !errors.Is(err, oauth.ErrLogin) || len(w.Seen()) != 0 {
		t.Errorf("the error of an ended login is %v", err)
	}
	signIn(t, l, at)
	if got := state(t, l, at); got != oauth.SignedIn {
		t.Errorf("after another login the state is %d", got)
	}
}

// A failure of the authorization server does not end a login.
func TestRenewingFails(t *testing.T) {
	down := false
	w := oauthtest.New(t, oauthtest.Options{Handle: func(w http.ResponseWriter, r *http.Request) bool {
		if down && r.URL.Path == "/token" {
			http.Error(w, "secret-in-a-body", http.StatusBadGateway)
		}
		return down && r.URL.Path == "/token"
	}})
	l, _ := logins(t)
	at := oauth.Target{Name: "far", URL: w.URL}
	stale := signIn(t, l, at).AccessToken
	down = true
	_, err := l.Session(at, nil).Refused(t.Context(), stale)
	if err == nil || errors.Is(err, oauth.ErrLogin) || !strings.Contains(err.Error(), "502 Bad Gateway") || strings.Contains(err.Error(), "secret") {
		t.Errorf("the error is %v", err)
	}
	down = false
	if token, err := l.Session(at, nil).Refused(t.Context(), stale); err != nil || token == stale {
		t.Errorf("later the token is %q, %v", token, err)
	}
}

func TestLogout(t *testing.T) {
	w := oauthtest.New(t, oauthtest.Options{Client: "hush"})
	l, _ := logins(t)
	for _, client := range []settings.OAuth{{}, {ClientID: "known", ClientSecret: "hush"}} {
		at := oauth.Target{Name: "far", URL: w.URL, OAuth: client}
		signIn(t, l, at)
		w.Seen()
		if err := l.Logout(t.Context(), at); err != nil {
			t.Error(err)
		}
		if seen := w.Seen(); !slices.Equal(seen, []string{"revoke true"}) || len(w.Tokens()) != 0 {
			t.Errorf("the authorization server saw %q; valid tokens: %q", seen, w.Tokens())
		}
		if got := state(t, l, at); got != oauth.Unknown {
			t.Errorf("the state is %d", got)
		}
		if err := l.Logout(t.Context(), at); !errors.Is(err, oauth.ErrNoLogin) {
			t.Errorf("another logout returns %v", err)
		}
	}
	signIn(t, l, oauth.Target{Name: "far", URL: w.URL})
	if err := l.Logout(t.Context(), oauth.Target{Name: "far"}); err != nil { // it is no longer configured
		t.Error(err)
	}
}

func TestLogoutDeletesWhatCannotBeRevoked(t *testing.T) {
	w := oauthtest.New(t, oauthtest.Options{Handle: func(w http.ResponseWriter, r *http.Request) bool {
		if r.URL.Path == "/revoke" {
			http.Error(w, "no", http.StatusServiceUnavailable)
		}
		return r.URL.Path == "/revoke"
	}})
	l, _ := logins(t)
	at := oauth.Target{Name: "far", URL: w.URL}
	signIn(t, l, at)
	if err := l.Logout(t.Context(), at); err == nil || !strings.Contains(err.Error(), "the login is deleted here, but ") || !strings.Contains(err.Error(), "503") {
		t.Errorf("the error is %v", err)
	}
	if got := state(t, l, at); got != oauth.Unknown {
		t.Errorf("the state is %d", got)
	}
}

// Any page can send the browser to emendo's address: an answer without the login's
// state changes nothing.
func TestForeignAnswers(t *testing.T) {
	w := oauthtest.New(t, oauthtest.Options{})
	l, _ := logins(t)
	visited := make(chan struct{})
	_, err := l.Login(t.Context(), oauth.Target{Name: "far", URL: w.URL}, oauth.User{Open: func(address, _ string, _ []string) {
		u, err := url.Parse(address)
		if err != nil {
			t.Error(err)
		}
		back, state := u.Query().Get("redirect_uri"), u.Query().Get("state")
		go func() {
			defer close(visited)
			for _, bad := range []string{
				"?code=x&state=other", "?code=x", "?error=access_denied&state=other", "?code=x&state=" + state + "&state=other", "?state=" + state, "/more?code=x&state=" + state,
			} {
				if text, err := oauthtest.Visit(t.Context(), back+bad); err != nil || strings.Contains(text, "You can close") {
					t.Errorf("%s: the browser is shown %q, %v", bad, text, err)
				}
			}
			if text, err := oauthtest.Visit(t.Context(), address); err != nil || !strings.Contains(text, "You can close") {
				t.Errorf("the browser ends at %q, %v", text, err)
			}
		}()
	}})
	<-visited
	if err != nil {
		t.Error(err)
	}
}

// end returns the address at which a browser on another machine ends.
func end(t *testing.T, address string) string {
	t.Helper()
	c := http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	resp, err := c.Get(address)
	if err != nil {
		t.Error(err)
		return ""
	}
	defer resp.Body.Close()
	c.CloseIdleConnections()
	return resp.Header.Get("Location")
}

func TestPastedAnswer(t *testing.T) {
	for _, redirect := range []string{"", "https://elsewhere.test/back"} {
		w := oauthtest.New(t, oauthtest.Options{Client: "hush"})
		l, _ := logins(t)
		lines := make(chan string, 4)
		var wrong []string
		_, err := l.Login(t.Context(), oauth.Target{Name: "far", URL: w.URL, OAuth: settings.OAuth{ClientID: "known", ClientSecret: "hush", RedirectURI: redirect}}, oauth.User{
			Open: func(address, _ string, _ []string) {
				right := end(t, address)
				lines <- "yes"
				lines <- strings.Replace(right, "state=", "state=x", 1)
				lines <- ""
				lines <- " " + right + " "
			},
			Pasted: lines,
			Wrong:  func(err error) { wrong = append(wrong, err.Error()) },
		})
		if err != nil || len(wrong) != 2 || !strings.Contains(wrong[0], "that is not the address") || !strings.Contains(wrong[1], "not the answer to the login") {
			t.Errorf("redirect %q: %v; wrong lines: %q", redirect, err, wrong)
		}
	}
}

func TestNobodySignsIn(t *testing.T) {
	w := oauthtest.New(t, oauthtest.Options{})
	l, _ := logins(t)
	at := oauth.Target{Name: "far", URL: w.URL}
	_, err := l.Login(t.Context(), at, oauth.User{Open: func(string, string, []string) {}, Wait: time.Nanosecond})
	if err == nil || !strings.Contains(err.Error(), "nobody signed in within 1ns") {
		t.Errorf("the error is %v", err)
	}
	ended := errors.New("ended by the user")
	ctx, cancel := context.WithCancelCause(t.Context())
	var back string
	_, err = l.Login(ctx, at, oauth.User{Open: func(address, _ string, _ []string) {
		u, _ := url.Parse(address)
		back = u.Query().Get("redirect_uri")
		cancel(ended)
	}})
	if !errors.Is(err, ended) {
		t.Errorf("the error is %v", err)
	}
	if text, err := oauthtest.Visit(t.Context(), back); err == nil {
		t.Errorf("emendo still listens: %q", text)
	}
	if files, err := os.ReadDir(l.Dir); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("stored: %v, %v", files, err)
	}
}

// Without a folder nothing is stored, and above all not in the working directory.
func TestNoLoginsAreKept(t *testing.T) {
	t.Chdir(t.TempDir())
	w := oauthtest.New(t, oauthtest.Options{})
	at := oauth.Target{Name: "far", URL: w.URL}
	if s := (oauth.Logins{}).Session(at, nil); s != nil {
		t.Errorf("there is a session: %+v", s)
	}
	l := oauth.Logins{Dir: "logins"}
	if _, err := l.Session(at, nil).Refused(t.Context(), ""); err == nil || !strings.Contains(err.Error(), "not an absolute folder") {
		t.Errorf("the error is %v", err)
	}
	if files, err := os.ReadDir("."); err != nil || len(files) > 0 {
		t.Errorf("stored: %v, %v", files, err)
	}
}
