package a2a

import (
	"context"
	"crypto/sha256"
	"crypto/subtle"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"strings"
	"time"

	"github.com/a2aproject/a2a-go/a2asrv"

	"github.com/emendo-dev/emendo/agent"
	"github.com/emendo-dev/emendo/agent/policy"
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
	Log     *slog.Logger
}

// Limits of the server.
const (
	maxRequest     = 32 << 20         // bytes of a request's body
	headerPatience = 10 * time.Second // to read a request's header
	idlePatience   = 2 * time.Minute  // for the next request of a connection
	endPatience    = 2 * time.Second  // for open requests when the server ends
)

// Serve serves until ctx ends. Then it cancels the running tasks and returns nil
// when they have ended.
func Serve(ctx context.Context, l net.Listener, o Options) error {
	o.Tasks.serve(o)
	server := &http.Server{Handler: handler(o), ReadHeaderTimeout: headerPatience, IdleTimeout: idlePatience, ErrorLog: slog.NewLogLogger(o.Log.Handler(), slog.LevelDebug)}
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
	mux.Handle("GET "+a2asrv.WellKnownAgentCardPath, a2asrv.NewStaticAgentCardHandler(card(o)))
	calls := a2asrv.NewJSONRPCHandler(a2asrv.NewHandler(executor{o.Tasks}, a2asrv.WithLogger(o.Log), a2asrv.WithTaskStore(newStore(keptTasks))))
	mux.Handle("POST /{$}", authorized(o.Token, http.MaxBytesHandler(calls, maxRequest)))
	return mux
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
			http.Error(w, "emendo: this server needs its token: send the header Authorization with the word Bearer and the token", http.StatusUnauthorized)
			return
		}
		if origin := r.Header.Get("Origin"); origin != "" {
			http.Error(w, "emendo: requests of web pages are refused", http.StatusForbidden)
			return
		}
		next.ServeHTTP(w, r)
	})
}
