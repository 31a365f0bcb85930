package remote_test

import (
	"errors"
	"net/http"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/emendo-dev/emendo/mcp/oauth"
	"github.com/emendo-dev/emendo/mcp/oauth/oauthtest"
	"github.com/emendo-dev/emendo/mcp/remote"
	"github.com/emendo-dev/emendo/mcp/schema"
	"github.com/emendo-dev/emendo/mcp/server"
)

// signedIn is a user at a server that needs a login.
type signedIn struct {
	*oauthtest.World

	logins oauth.Logins
	target oauth.Target
	server *server.Server

	mu    sync.Mutex
	clock time.Time
}

// guarded starts a server that needs a login, before there is one.
func guarded(t *testing.T, o oauthtest.Options) *signedIn {
	t.Helper()
	w := oauthtest.New(t, o)
	s := &signedIn{World: w, logins: oauth.Logins{Dir: filepath.Join(t.TempDir(), "logins")}, target: oauth.Target{Name: "far off", URL: w.URL, Fallback: true}, clock: time.Now()}
	s.server = server.New(server.Options{
		Name: "far off", Start: time.Minute,
		Now: func() time.Time {
			s.mu.Lock()
			defer s.mu.Unlock()
			return s.clock
		},
		Dial: opening(s.target, s.logins),
	})
	t.Cleanup(s.server.Close)
	return s
}

// start starts the server if it is due, and returns its state.
func (s *signedIn) start() server.Snapshot {
	s.server.Start()
	<-s.server.Settled()
	return s.server.Snapshot()
}

// later lets time pass.
func (s *signedIn) later(d time.Duration) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.clock = s.clock.Add(d)
}

// login signs the user in.
func (s *signedIn) login(t *testing.T) {
	t.Helper()
	visited := make(chan struct{})
	_, err := s.logins.Login(t.Context(), s.target, oauth.User{Open: func(address, _ string, _ []string) {
		go func() {
			defer close(visited)
			if _, err := oauthtest.Visit(t.Context(), address); err != nil {
				t.Error(err)
			}
		}()
	}})
	if err != nil {
		t.Fatal(err)
	}
	<-visited
}

func (s *signedIn) call(t *testing.T) error {
	t.Helper()
	r, err := s.server.Call(t.Context(), "greet", []byte(`{}`), func(string) {})
	if err == nil && r.Content[0].(*mcp.TextContent).Text != "Good morning." {
		t.Errorf("the call returned %v", r)
	}
	return err
}

// needsLogin checks that a server waits for the user to sign in.
func needsLogin(t *testing.T, now server.Snapshot) {
	t.Helper()
	if now.State != server.Failed || now.GivenUp || !errors.Is(now.Err, oauth.ErrLogin) || now.Err.Error() != "it needs a login: run `emendo mcp login 'far off'`" {
		t.Errorf("its state is %s, given up: %t, %v", now.State, now.GivenUp, now.Err)
	}
}

func TestLoginOfASession(t *testing.T) {
	for _, sse := range []bool{false, true} {
		s := guarded(t, oauthtest.Options{SSE: sse})
		for range 8 { // more often than a failure is tried
			needsLogin(t, s.start())
			if s.server.Startable() {
				t.Error("it is tried again at once")
			}
			s.later(10 * time.Second)
		}
		if state, err := s.logins.State(s.target); err != nil || state != oauth.Needed {
			t.Errorf("the login is in state %d, %v", state, err)
		}
		s.login(t)
		if now := s.start(); !now.Ready() {
			t.Fatalf("SSE %t: after the login it is %s, %v", sse, now.State, now.Err)
		}
		if err := s.call(t); err != nil {
			t.Errorf("SSE %t: %v", sse, err)
		}
		s.Seen()
		s.Expire()
		if err := s.call(t); err != nil {
			t.Errorf("SSE %t: with an expired token: %v", sse, err)
		}
		if seen := strings.Join(s.Seen(), ", "); seen != "token refresh_token" {
			t.Errorf("SSE %t: the authorization server saw %s", sse, seen)
		}
		s.End()
		if err := s.call(t); !errors.Is(err, oauth.ErrLogin) || !strings.HasSuffix(err.Error(), "it needs a login: run `emendo mcp login 'far off'`") {
			t.Errorf("SSE %t: without the login: %v", sse, err)
		}
		for s.server.Snapshot().Ready() { // until the run has noticed
			if err := s.call(t); err == nil {
				t.Fatal("a call is answered")
			}
		}
		needsLogin(t, s.server.Snapshot())
		s.login(t)
		s.later(10 * time.Second)
		if now := s.start(); !now.Ready() {
			t.Errorf("SSE %t: after another login it is %s, %v", sse, now.State, now.Err)
		}
	}
}

// A server that wants more than the user has permitted says so, and the next login asks
// for it.
func TestFurtherPermissions(t *testing.T) {
	s := guarded(t, oauthtest.Options{})
	s.login(t)
	s.start()
	s.Want("read", "write")
	if err := s.call(t); err == nil || err.Error() != "it needs a login with further permissions: write: run `emendo mcp login 'far off'`" {
		t.Errorf("the error is %v", err)
	}
	if now := s.server.Snapshot(); !now.Ready() {
		t.Errorf("its state is %s, %v", now.State, now.Err)
	}
	s.Seen()
	s.login(t)
	if seen := strings.Join(s.Seen(), ", "); !strings.Contains(seen, "authorize read offline_access write") {
		t.Errorf("the authorization server saw %s", seen)
	}
	s.Want()
}

// A server that has stopped to ask for a login works without one.
func TestLoginIsNoLongerNeeded(t *testing.T) {
	var mu sync.Mutex
	asks := true
	s := guarded(t, oauthtest.Options{Handle: func(w http.ResponseWriter, r *http.Request) bool {
		mu.Lock()
		defer mu.Unlock()
		if r.URL.Path == "/mcp" && asks {
			w.WriteHeader(http.StatusUnauthorized)
			return true
		}
		if r.URL.Path == "/mcp" {
			mcp.NewStreamableHTTPHandler(func(*http.Request) *mcp.Server {
				return mcp.NewServer(&mcp.Implementation{Name: "open"}, nil)
			}, nil).ServeHTTP(w, r)
			return true
		}
		return false
	}})
	needsLogin(t, s.start())
	mu.Lock()
	asks = false
	mu.Unlock()
	s.later(10 * time.Second)
	s.start()
	if state, err := s.logins.State(s.target); err != nil || state != oauth.Unknown {
		t.Errorf("the login is in state %d, %v", state, err)
	}
}

// Credentials of the user's own are not replaced by a login, and what the server says of
// them is not a wish for one.
func TestConfiguredCredentials(t *testing.T) {
	s := guarded(t, oauthtest.Options{})
	s.login(t)
	link, err := remote.Open(oauth.Target{URL: s.URL, Headers: map[string]string{"authorization": "Bearer mine"}}, s.logins)
	if err != nil {
		t.Fatal(err)
	}
	defer link.Close()
	_, err = mcp.NewClient(&mcp.Implementation{Name: "test"}, nil).Connect(t.Context(), link.Transport(&schema.Written{}), nil)
	if err == nil || errors.Is(err, oauth.ErrLogin) || !strings.Contains(err.Error(), "Unauthorized") {
		t.Errorf("the error is %v", err)
	}
}

// A redirect to another server gets no token.
func TestTokenStaysAtItsServer(t *testing.T) {
	var mu sync.Mutex
	var got []string
	other := oauthtest.New(t, oauthtest.Options{Handle: func(_ http.ResponseWriter, r *http.Request) bool {
		mu.Lock()
		defer mu.Unlock()
		got = append(got, r.Header.Get("Authorization"))
		return true
	}})
	away := false
	s := guarded(t, oauthtest.Options{Handle: func(w http.ResponseWriter, r *http.Request) bool {
		if away && r.URL.Path == "/mcp" {
			http.Redirect(w, r, other.URL, http.StatusTemporaryRedirect)
		}
		return away && r.URL.Path == "/mcp"
	}})
	s.login(t)
	away = true
	if now := s.start(); now.Ready() || !strings.Contains(now.Err.Error(), "redirects to another server") {
		t.Errorf("its state is %s, %v", now.State, now.Err)
	}
	mu.Lock()
	defer mu.Unlock()
	if len(got) > 0 {
		t.Errorf("the other server got %q", got)
	}
}
