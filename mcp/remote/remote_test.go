package remote_test

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/emendo-dev/emendo/internal/network"
	"github.com/emendo-dev/emendo/internal/network/networktest"
	"github.com/emendo-dev/emendo/mcp/oauth"
	"github.com/emendo-dev/emendo/mcp/remote"
	"github.com/emendo-dev/emendo/mcp/server"
)

// declared is the schema of the double's tool, whose properties have an order.
const declared = `{"type":"object","properties":{"to":{},"from":{}}}`

// serve serves a double, which wants a header, over one of the transports.
func serve(t *testing.T, sse bool) (url string) {
	t.Helper()
	s := mcp.NewServer(&mcp.Implementation{Name: "double", Version: "1"}, nil)
	s.AddTool(&mcp.Tool{Name: "greet", InputSchema: json.RawMessage(declared)}, func(context.Context, *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		return &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: "Good morning."}}}, nil
	})
	get := func(*http.Request) *mcp.Server { return s }
	var h http.Handler = mcp.NewStreamableHTTPHandler(get, nil)
	if sse {
		h = mcp.NewSSEHandler(get, nil)
	}
	web := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("Authorization") != "Bearer x" {
			http.Error(w, "who are you?", http.StatusForbidden)
			return
		}
		h.ServeHTTP(w, r)
	}))
	t.Cleanup(web.CloseClientConnections)
	t.Cleanup(web.Close)
	return web.URL
}

// opening opens links to a target.
func opening(at oauth.Target, logins oauth.Logins) func(context.Context) (server.Link, error) {
	return func(context.Context) (server.Link, error) { return remote.Open(at, logins) }
}

// start starts a server at an address.
func start(t *testing.T, at oauth.Target, way *network.Network) *server.Server {
	t.Helper()
	s := server.New(server.Options{Name: "far", Start: time.Minute, Dial: opening(at, oauth.Logins{Network: way})})
	t.Cleanup(s.Close)
	s.Start()
	<-s.Settled()
	return s
}

// A server with a certificate of a company's authority, which wants one of the user's.
func TestServersWithCertificates(t *testing.T) {
	lab, people := networktest.New(t, "Lab CA"), networktest.New(t, "People CA")
	h := mcp.NewStreamableHTTPHandler(func(*http.Request) *mcp.Server {
		return mcp.NewServer(&mcp.Implementation{Name: "far", Version: "1"}, nil)
	}, nil)
	web := lab.Serve(networktest.Host(), people, h)
	t.Cleanup(web.CloseClientConnections)
	cert, key := people.Pair(networktest.Person("me"))
	own := map[string]network.Identity{"127.0.0.1": {Certificate: cert, Key: key}}
	for _, c := range []struct {
		name   string
		config network.Config
		says   string // empty: it is ready
	}{
		{"nothing is configured", network.Config{}, "issued by Lab CA, is not trusted"},
		{"the authority", network.Config{CAFile: lab.File()}, "the server wants a certificate of the client"},
		{"the authority and a certificate", network.Config{CAFile: lab.File(), Identities: own}, ""},
		{"a file that is not there", network.Config{CAFile: "/nonexistent/ca.pem"}, "the setting network.caFile"},
	} {
		t.Run(c.name, func(t *testing.T) {
			now := start(t, oauth.Target{URL: web.URL}, network.New(c.config)).Snapshot()
			if c.says == "" && !now.Ready() || c.says != "" && (now.Err == nil || !strings.Contains(now.Err.Error(), c.says)) {
				t.Errorf("it is %s, %v, want %q", now.State, now.Err, c.says)
			}
		})
	}
}

func TestServersOverHTTP(t *testing.T) {
	key := map[string]string{"Authorization": "Bearer x"}
	for _, tt := range []struct {
		name          string
		sse           bool // the server speaks it
		alone, either bool // the options
		over          string
	}{
		{name: "streamable HTTP", over: "streamable HTTP"},
		{name: "SSE", sse: true, alone: true, over: "SSE"},
		{name: "streamable HTTP first", either: true, over: "streamable HTTP"},
		{name: "SSE second", sse: true, either: true, over: "SSE"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			url := serve(t, tt.sse)
			s := start(t, oauth.Target{URL: url, SSE: tt.alone, Fallback: tt.either, Headers: key}, nil)
			if now := s.Snapshot(); !now.Ready() || len(now.Tools) != 1 || now.Over != tt.over {
				t.Fatalf("it is %s over %s, %v", now.State, now.Over, now.Err)
			} else if got := fmt.Sprintf("%s", now.Tools[0].InputSchema); got != declared {
				t.Errorf("the schema is %s", got)
			}
			r, err := s.Call(t.Context(), "greet", []byte(`{}`), func(string) {})
			if err != nil || r.Content[0].(*mcp.TextContent).Text != "Good morning." {
				t.Errorf("the call returned %v, %v", r, err)
			}
			if now := start(t, oauth.Target{URL: url, SSE: tt.alone, Fallback: tt.either}, nil).Snapshot(); now.Ready() || now.Err == nil || strings.Contains(now.Err.Error(), "by SSE") {
				t.Errorf("without the header it is %s, %v", now.State, now.Err)
			}
		})
	}
	if now := start(t, oauth.Target{URL: serve(t, true), Headers: key}, nil).Snapshot(); now.Ready() {
		t.Error("a server with SSE is ready by streamable HTTP alone")
	}
	if now := start(t, oauth.Target{URL: serve(t, false), SSE: true, Headers: key}, nil).Snapshot(); now.Ready() {
		t.Error("a server with streamable HTTP is ready by SSE alone")
	}
}

// SSE is tried only where the answer says that the server does not speak streamable HTTP.
func TestFallback(t *testing.T) {
	for status, falls := range map[int]bool{400: true, 404: true, 405: true, 406: true, 401: false, 403: false, 407: false, 500: false, 503: false} {
		var mu sync.Mutex
		asked := false
		web := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			mu.Lock()
			defer mu.Unlock()
			asked = asked || r.Method == http.MethodGet
			w.WriteHeader(status)
		}))
		t.Cleanup(web.Close)
		now := start(t, oauth.Target{URL: web.URL, Fallback: true}, nil).Snapshot()
		mu.Lock()
		if now.Ready() || now.Err == nil || asked != falls || strings.Contains(now.Err.Error(), "; by SSE: ") != falls {
			t.Errorf("%d: SSE was tried: %t; %v", status, asked, now.Err)
		}
		mu.Unlock()
	}
}

// Where nothing listens, the user reads just that.
func TestMissingServer(t *testing.T) {
	web := httptest.NewServer(http.NotFoundHandler())
	web.Close()
	now := start(t, oauth.Target{URL: web.URL, Fallback: true}, nil).Snapshot()
	if now.Err == nil || !strings.HasPrefix(now.Err.Error(), "it cannot be reached at "+strings.TrimPrefix(web.URL, "http://")+": ") {
		t.Errorf("the user reads %v", now.Err)
	}
}

// A redirect to another server gets neither the headers nor the messages.
func TestRedirectToAnotherServer(t *testing.T) {
	reached := false
	other := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { reached = true }))
	t.Cleanup(other.Close)
	web := httptest.NewServer(http.RedirectHandler(other.URL, http.StatusTemporaryRedirect))
	t.Cleanup(web.Close)
	for _, sse := range []bool{false, true} {
		now := start(t, oauth.Target{URL: web.URL, SSE: sse, Headers: map[string]string{"Authorization": "Bearer x"}}, nil).Snapshot()
		if now.Ready() || now.Err == nil || !strings.Contains(now.Err.Error(), "redirects to another server") || reached {
			t.Errorf("SSE %t: %s, %v; reached: %t", sse, now.State, now.Err, reached)
		}
	}
}

func TestAddressesThatCannotBe(t *testing.T) {
	for _, url := range []string{"", "ftp://x", "http://", "x"} {
		if _, err := remote.Open(oauth.Target{URL: url}, oauth.Logins{}); err == nil {
			t.Errorf("%q is taken", url)
		}
	}
}
