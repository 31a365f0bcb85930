package remote_test

import (
	"net/http"
	"net/http/httptest"
	"sync"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/emendo-dev/emendo/mcp/oauth"
	"github.com/emendo-dev/emendo/mcp/server"
)

// A server that does not answer the request for its stream is not waited for once the
// session has ended.
func TestServerWhoseStreamHangs(t *testing.T) {
	h := mcp.NewStreamableHTTPHandler(func(*http.Request) *mcp.Server {
		return mcp.NewServer(&mcp.Implementation{Name: "far", Version: "1"}, nil)
	}, nil)
	asked, over := make(chan struct{}), make(chan struct{})
	begun := sync.OnceFunc(func() { close(asked) })
	web := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method != http.MethodGet {
			h.ServeHTTP(w, r)
			return
		}
		begun()
		select {
		case <-r.Context().Done():
		case <-over:
		}
	}))
	t.Cleanup(web.Close)
	t.Cleanup(func() { close(over) })
	s := server.New(server.Options{
		Name: "far", Start: time.Hour, Dial: opening(oauth.Target{URL: web.URL}, oauth.Logins{}),
	})
	s.Start()
	<-asked
	closed := make(chan struct{})
	go func() {
		defer close(closed)
		s.Close()
	}()
	select {
	case <-closed:
	case <-time.After(10 * time.Second): // the pauses between its requests alone are longer
		t.Fatal("its end is waited for")
	}
}
