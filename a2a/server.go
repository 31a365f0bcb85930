package a2a

import (
	"cmp"
	"context"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/a2aproject/a2a-go/a2asrv"
	"golang.org/x/net/netutil"

	"github.com/emendo-dev/emendo/agent"
	"github.com/emendo-dev/emendo/agent/policy"
	"github.com/emendo-dev/emendo/internal/visible"
)

// Options of [Serve].
type Options struct {
	Agent   *agent.Agent // its client is Tasks
	Tasks   *Tasks
	Cwd     string      // the folder of new sessions, absolute, links resolved
	Roots   []string    // their workspace folders, likewise
	Mode    policy.Mode // of new sessions; empty: by the settings
	Token   string      // that every request but the one for the card must carry
	URL     string      // of the server, for the card
	Version string      // of emendo
	// MaxTasks is how many tasks may run at a time, those that wait for an answer
	// included; 0: [DefaultTasks].
	MaxTasks int
	Log      *slog.Logger
}

// DefaultTasks is how many tasks a server runs at a time by default.
const DefaultTasks = 8

// Limits of the server.
const (
	maxConnections = 64               // open at a time; more wait
	maxRequest     = 32 << 20         // bytes of a request's body
	headerPatience = 10 * time.Second // to read a request's header
	idlePatience   = 2 * time.Minute  // for the next request of a connection
	endPatience    = 2 * time.Second  // for open requests when the server ends
)

// Serve serves until ctx ends. Then it cancels the running tasks and returns nil
// when they have ended.
func Serve(ctx context.Context, l net.Listener, o Options) error {
	o.MaxTasks = cmp.Or(o.MaxTasks, DefaultTasks)
	o.Tasks.serve(o)
	l = netutil.LimitListener(l, maxConnections)
	server := &http.Server{Handler: addressed(l.Addr(), o.URL, handler(o)), ReadHeaderTimeout: headerPatience, IdleTimeout: idlePatience, ErrorLog: slog.NewLogLogger(o.Log.Handler(), slog.LevelDebug)}
	failed := make(chan error, 1)
	go func() { failed <- server.Serve(l) }()
	var err error
	select {
	case err = <-failed:
	case <-ctx.Done():
		o.Tasks.close()
		patience, stop := context.WithTimeout(context.WithoutCancel(ctx), endPatience)
		defer stop()
		if server.Shutdown(patience) != nil {
			_ = server.Close() // streams whose client does not read
		}
		err = <-failed
	}
	o.Tasks.close()
	if !errors.Is(err, http.ErrServerClosed) {
		return fmt.Errorf("serve A2A: %w", err)
	}
	return nil
}

func handler(o Options) http.Handler {
	mux := http.NewServeMux()
	mux.Handle("GET "+a2asrv.WellKnownAgentCardPath, serveCard(o))
	calls := a2asrv.NewJSONRPCHandler(a2asrv.NewHandler(executor{o.Tasks}, a2asrv.WithLogger(o.Log), a2asrv.WithTaskStore(newStore(keptTasks))))
	mux.Handle("POST /{$}", authorized(o.Token, http.MaxBytesHandler(calls, maxRequest)))
	return mux
}

// serveCard serves the card. The library's own handler shows it to every web page.
func serveCard(o Options) http.Handler {
	text, err := json.Marshal(agentCard(o))
	if err != nil {
		panic(err) // strings and booleans
	}
	return http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		_, _ = w.Write(text) // a client that has gone needs no card
	})
}

// addressed passes on the requests that are for this server. One that listens on loopback is
// asked by its names; a web page whose host was made to mean this machine has another.
func addressed(at net.Addr, own string, next http.Handler) http.Handler {
	tcp, ok := at.(*net.TCPAddr)
	if !ok || !tcp.IP.IsLoopback() {
		return next // under which names it is reached is not known
	}
	names := []string{"localhost", "127.0.0.1", "::1", tcp.IP.String()}
	if u, err := url.Parse(own); err == nil {
		names = append(names, u.Hostname())
	}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		host := (&url.URL{Host: r.Host}).Hostname()
		if !slices.ContainsFunc(names, func(n string) bool { return strings.EqualFold(n, host) }) {
			http.Error(w, fmt.Sprintf("emendo: this server is not %s: use the address that it prints, or name yours with --url.", visible.OneLine(host)), http.StatusMisdirectedRequest)
			return
		}
		next.ServeHTTP(w, r)
	})
}

// authorized passes on the requests that carry the token. Requests of web pages
// are refused even then: the token is for programs.
func authorized(token string, next http.Handler) http.Handler {
	want := sha256.Sum256([]byte(token))
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		scheme, given, _ := strings.Cut(r.Header.Get("Authorization"), " ")
		got := sha256.Sum256([]byte(strings.TrimSpace(given)))
		if token == "" || !strings.EqualFold(scheme, "Bearer") || subtle.ConstantTimeCompare(got[:], want[:]) != 1 {
			w.Header().Set("WWW-Authenticate", `Bearer realm="emendo"`)
			http.Error(w, "emendo: not authorized: this server needs its token, in the header Authorization, with the scheme Bearer.", http.StatusUnauthorized)
			return
		}
		if origin := r.Header.Get("Origin"); origin != "" {
			http.Error(w, "emendo: requests of web pages are refused", http.StatusForbidden)
			return
		}
		next.ServeHTTP(w, r)
	})
}
