// Package oauthtest has a strict authorization server, and an MCP server that takes its
// tokens, made with the official SDK.
package oauthtest

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/auth"
	"github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/modelcontextprotocol/go-sdk/oauthex"
)

// Options of [New]. The zero value is a pair of servers that behave.
type Options struct {
	SSE       bool
	OpenID    bool          // the authorization server has metadata of OpenID Connect alone
	NoHint    bool          // the MCP server does not say where its metadata are
	Lifetime  time.Duration // of access tokens; 0 means an hour
	NoRefresh bool          // there are no refresh tokens
	// Client is the secret of the client "known", which is registered; empty: it is not.
	Client string

	Metadata func(map[string]any)                     // changes the authorization server's metadata
	Resource func(*oauthex.ProtectedResourceMetadata) // changes the MCP server's metadata
	Redirect func(url.Values)                         // changes the parameters with which the browser is sent back
	// Handle answers requests to both servers in place of them, if it returns true.
	Handle func(w http.ResponseWriter, r *http.Request) bool
}

// A World is an MCP server at URL and its authorization server at Issuer.
type World struct {
	URL    string
	Issuer string

	t *testing.T
	o Options

	mu      sync.Mutex
	clients map[string]client
	codes   map[string]grant
	access  map[string]access
	refresh map[string]grant
	seen    []string
	wants   []string // scopes that tokens must have
}

type client struct{ redirects []string }

// grant is what the user has permitted.
type grant struct {
	client, redirect, challenge, resource, scope string
}

type access struct {
	grant   grant
	expires time.Time
}

// New starts the servers.
func New(t *testing.T, o Options) *World {
	t.Helper()
	w := &World{t: t, o: o, clients: map[string]client{}, codes: map[string]grant{}, access: map[string]access{}, refresh: map[string]grant{}}
	if o.Lifetime == 0 {
		w.o.Lifetime = time.Hour
	}
	serve := func(h http.Handler) *httptest.Server {
		s := httptest.NewServer(http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
			if o.Handle == nil || !o.Handle(rw, r) {
				h.ServeHTTP(rw, r)
			}
		}))
		t.Cleanup(s.Close)
		t.Cleanup(s.CloseClientConnections)
		return s
	}
	a := http.NewServeMux()
	issuer := serve(a)
	w.Issuer = issuer.URL
	metadata := "/.well-known/oauth-authorization-server"
	if o.OpenID {
		metadata = "/.well-known/openid-configuration"
	}
	a.HandleFunc("GET "+metadata, w.metadata)
	a.HandleFunc("POST /register", w.register)
	a.HandleFunc("GET /authorize", w.authorize)
	a.HandleFunc("POST /token", w.token)
	a.HandleFunc("POST /revoke", w.revoke)

	m := http.NewServeMux()
	server := serve(m)
	w.URL = server.URL + "/mcp"
	hint := server.URL + "/.well-known/oauth-protected-resource/mcp"
	if o.NoHint {
		hint = ""
	}
	m.Handle("/.well-known/oauth-protected-resource/mcp", http.HandlerFunc(w.resource))
	m.Handle("/mcp", w.guard(hint))
	return w
}

// guard returns the MCP server behind the check of tokens.
func (w *World) guard(hint string) http.Handler {
	s := mcp.NewServer(&mcp.Implementation{Name: "guarded", Version: "1"}, nil)
	s.AddTool(&mcp.Tool{Name: "greet", InputSchema: map[string]any{"type": "object"}}, func(context.Context, *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		return &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: "Good morning."}}}, nil
	})
	get := func(*http.Request) *mcp.Server { return s }
	var h http.Handler = mcp.NewStreamableHTTPHandler(get, nil)
	if w.o.SSE {
		h = mcp.NewSSEHandler(get, nil)
	}
	verified := auth.RequireBearerToken(w.verify, &auth.RequireBearerTokenOptions{ResourceMetadataURL: hint})(h)
	return http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
		w.mu.Lock()
		held := strings.Fields(w.access[strings.TrimPrefix(r.Header.Get("Authorization"), "Bearer ")].grant.scope)
		lacks := slices.DeleteFunc(slices.Clone(w.wants), func(s string) bool { return slices.Contains(held, s) })
		w.mu.Unlock()
		if len(held) > 0 && len(lacks) > 0 {
			rw.Header().Set("WWW-Authenticate", fmt.Sprintf(`Bearer error="insufficient_scope", scope=%q`, strings.Join(lacks, " ")))
			http.Error(rw, "more scopes", http.StatusForbidden)
			return
		}
		verified.ServeHTTP(rw, r)
	})
}

func (w *World) verify(_ context.Context, token string, _ *http.Request) (*auth.TokenInfo, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	a, ok := w.access[token]
	if !ok || a.grant.resource != w.URL {
		return nil, auth.ErrInvalidToken
	}
	return &auth.TokenInfo{Expiration: a.expires, Scopes: strings.Fields(a.grant.scope), UserID: a.grant.client}, nil
}

// resource serves the metadata of the MCP server.
func (w *World) resource(rw http.ResponseWriter, r *http.Request) {
	m := &oauthex.ProtectedResourceMetadata{Resource: w.URL, AuthorizationServers: []string{w.Issuer}, ScopesSupported: []string{"read"}}
	if w.o.Resource != nil {
		w.o.Resource(m)
	}
	auth.ProtectedResourceMetadataHandler(m).ServeHTTP(rw, r)
}

func (w *World) metadata(rw http.ResponseWriter, _ *http.Request) {
	m := map[string]any{
		"issuer": w.Issuer, "authorization_endpoint": w.Issuer + "/authorize", "token_endpoint": w.Issuer + "/token",
		"registration_endpoint": w.Issuer + "/register", "revocation_endpoint": w.Issuer + "/revoke", "jwks_uri": w.Issuer + "/keys",
		"response_types_supported": []string{"code"}, "code_challenge_methods_supported": []string{"S256"},
		"token_endpoint_auth_methods_supported": []string{"none", "client_secret_basic"}, "scopes_supported": []string{"read", "write", "offline_access"},
		"authorization_response_iss_parameter_supported": true,
	}
	if w.o.Metadata != nil {
		w.o.Metadata(m)
	}
	answer(rw, http.StatusOK, m)
}

func answer(rw http.ResponseWriter, status int, v any) {
	rw.Header().Set("Content-Type", "application/json")
	rw.WriteHeader(status)
	_ = json.NewEncoder(rw).Encode(v)
}

// refuse answers with an error of OAuth.
func (w *World) refuse(rw http.ResponseWriter, code, why string) {
	w.see("refused: " + why)
	answer(rw, http.StatusBadRequest, map[string]string{"error": code, "error_description": why})
}

func (w *World) register(rw http.ResponseWriter, r *http.Request) {
	var m oauthex.ClientRegistrationMetadata
	if err := json.NewDecoder(r.Body).Decode(&m); err != nil || len(m.RedirectURIs) != 1 || m.ApplicationType != "native" || m.TokenEndpointAuthMethod != "none" || !slices.Contains(m.GrantTypes, "refresh_token") {
		w.refuse(rw, "invalid_client_metadata", fmt.Sprintf("%v: %+v", err, m))
		return
	}
	id := rand.Text()
	w.mu.Lock()
	w.clients[id] = client{redirects: m.RedirectURIs}
	w.mu.Unlock()
	w.see("register")
	answer(rw, http.StatusCreated, map[string]any{"client_id": id, "token_endpoint_auth_method": "none", "redirect_uris": m.RedirectURIs})
}

// authorize is the page of the user, who permits everything.
func (w *World) authorize(rw http.ResponseWriter, r *http.Request) {
	q := r.URL.Query()
	w.mu.Lock()
	c, known := w.clients[q.Get("client_id")]
	w.mu.Unlock()
	if w.o.Client != "" && q.Get("client_id") == "known" {
		known, c.redirects = true, []string{q.Get("redirect_uri")}
	}
	for name, values := range q {
		if len(values) != 1 {
			w.refuse(rw, "invalid_request", name+" is repeated")
			return
		}
	}
	switch {
	case !known:
		w.refuse(rw, "invalid_client", "the client is not known")
	case !slices.Contains(c.redirects, q.Get("redirect_uri")):
		w.refuse(rw, "invalid_request", "the redirect was not registered")
	case q.Get("response_type") != "code" || q.Get("state") == "":
		w.refuse(rw, "invalid_request", "no code or no state")
	case q.Get("code_challenge_method") != "S256" || len(q.Get("code_challenge")) != 43:
		w.refuse(rw, "invalid_request", "no PKCE")
	case q.Get("resource") != w.URL:
		w.refuse(rw, "invalid_target", "the resource is "+q.Get("resource"))
	default:
		code := rand.Text()
		w.mu.Lock()
		w.codes[code] = grant{q.Get("client_id"), q.Get("redirect_uri"), q.Get("code_challenge"), q.Get("resource"), q.Get("scope")}
		w.mu.Unlock()
		w.see("authorize " + q.Get("scope"))
		back := url.Values{"code": {code}, "state": {q.Get("state")}, "iss": {w.Issuer}}
		if w.o.Redirect != nil {
			w.o.Redirect(back)
		}
		http.Redirect(rw, r, q.Get("redirect_uri")+"?"+back.Encode(), http.StatusFound)
	}
}

func (w *World) token(rw http.ResponseWriter, r *http.Request) {
	if err := r.ParseForm(); err != nil || r.URL.RawQuery != "" {
		w.refuse(rw, "invalid_request", "not a form")
		return
	}
	f := r.PostForm
	id, ok := w.client(r)
	w.mu.Lock()
	defer w.mu.Unlock()
	var g grant
	switch grantType := f.Get("grant_type"); grantType {
	case "authorization_code":
		var issued bool
		g, issued = w.codes[f.Get("code")]
		delete(w.codes, f.Get("code"))
		sum := sha256.Sum256([]byte(f.Get("code_verifier")))
		ok = ok && issued && g.redirect == f.Get("redirect_uri") && g.challenge == base64.RawURLEncoding.EncodeToString(sum[:])
	case "refresh_token":
		var issued bool
		g, issued = w.refresh[f.Get("refresh_token")]
		delete(w.refresh, f.Get("refresh_token")) // each is good for one use
		ok = ok && issued && !f.Has("code")
	default:
		ok = false
	}
	for _, values := range f {
		ok = ok && len(values) == 1
	}
	if !ok || g.client != id || f.Get("resource") != g.resource {
		w.seen = append(w.seen, "refused: token")
		answer(rw, http.StatusBadRequest, map[string]string{"error": "invalid_grant"})
		return
	}
	w.seen = append(w.seen, "token "+f.Get("grant_type"))
	token := "access-" + rand.Text()
	w.access[token] = access{g, time.Now().Add(w.o.Lifetime)}
	m := map[string]any{"access_token": token, "token_type": "bearer", "expires_in": int(w.o.Lifetime / time.Second), "scope": g.scope}
	if !w.o.NoRefresh {
		again := "refresh-" + rand.Text()
		w.refresh[again] = g
		m["refresh_token"] = again
	}
	answer(rw, http.StatusOK, m)
}

// client returns which client a form is from. One with a secret proves that in the
// header, the others name themselves in the form.
func (w *World) client(r *http.Request) (id string, ok bool) {
	if id, secret, basic := r.BasicAuth(); basic {
		return id, w.o.Client != "" && id == "known" && secret == url.QueryEscape(w.o.Client) && !r.PostForm.Has("client_secret")
	}
	id = r.PostForm.Get("client_id")
	return id, id != "known" && id != ""
}

func (w *World) revoke(rw http.ResponseWriter, r *http.Request) {
	_ = r.ParseForm()
	if _, ok := w.client(r); !ok {
		w.refuse(rw, "invalid_client", "the client does not prove who it is")
		return
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	token := r.PostForm.Get("token")
	_, refresh := w.refresh[token]
	_, direct := w.access[token]
	delete(w.refresh, token)
	clear(w.access)
	w.seen = append(w.seen, fmt.Sprintf("revoke %t", refresh || direct))
}

func (w *World) see(what string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.seen = append(w.seen, what)
}

// Seen returns what was asked of the authorization server since the last time.
func (w *World) Seen() []string {
	w.mu.Lock()
	defer w.mu.Unlock()
	seen := w.seen
	w.seen = nil
	return seen
}

// Expire makes all access tokens invalid, without anyone's notice.
func (w *World) Expire() {
	w.mu.Lock()
	defer w.mu.Unlock()
	clear(w.access)
}

// End makes all tokens invalid.
func (w *World) End() {
	w.Expire()
	w.mu.Lock()
	defer w.mu.Unlock()
	clear(w.refresh)
}

// Want makes the MCP server demand scopes.
func (w *World) Want(scopes ...string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.wants = scopes
}

// Tokens returns all tokens that are valid.
func (w *World) Tokens() []string {
	w.mu.Lock()
	defer w.mu.Unlock()
	return slices.Concat(slices.Collect(maps.Keys(w.access)), slices.Collect(maps.Keys(w.refresh)))
}

// Visit opens an address as the user's browser does, and returns the text of the page
// at which it ends.
func Visit(ctx context.Context, address string) (string, error) {
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, address, nil)
	if err != nil {
		return "", err
	}
	resp, err := http.DefaultClient.Do(r)
	if err != nil {
		return "", err
	}
	defer resp.Body.Close()
	text, err := io.ReadAll(io.LimitReader(resp.Body, 1<<20))
	return string(text), err
}
