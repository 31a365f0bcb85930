package companion

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/emendo-dev/emendo/internal/private"
	"github.com/emendo-dev/emendo/lsp/client"
)

// Limits of the server.
const (
	maxBody        = 10 << 20         // bytes of a request
	maxSessions    = 32               // programs that are connected
	headerPatience = 10 * time.Second // to read a request's header
	keepAlive      = 60 * time.Second // between pings; a program that misses three is gone
)

// A service is a companion that is on.
type service struct {
	c    *Companion
	host *client.Host
	mcp  *mcp.Server

	token string
	port  int
	file  string // the announcement

	moved   client.Signal    // the context may be another one
	seen    map[string]int64 // when a file was last seen to have the focus; owned by sendContexts
	decided client.Signal    // a change that is shown may have been decided

	server *http.Server
	end    context.CancelFunc
	done   sync.WaitGroup

	mu       sync.Mutex
	sessions map[string]*session
	shown    map[string]string // the change sets that the user has not decided, by the path that the program gave
}

// start begins to serve. The service ends with the client's life, or when it is
// closed.
func (c *Companion) start(ctx context.Context, h *client.Host) (*service, error) {
	var listen net.ListenConfig
	l, err := listen.Listen(ctx, "tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	s := &service{
		c: c, host: h, token: rand.Text(), port: l.Addr().(*net.TCPAddr).Port,
		moved: client.NewSignal(), decided: client.NewSignal(), sessions: map[string]*session{}, shown: map[string]string{},
	}
	s.file = c.fileFor(s.port)
	if err := s.describe(); err != nil {
		return nil, errors.Join(err, l.Close())
	}
	life, end := context.WithCancel(c.o.Client.Life())
	s.end = end
	s.mcp = s.tools()
	s.server = &http.Server{Handler: s.checked(http.HandlerFunc(s.handle)), ReadHeaderTimeout: headerPatience, ErrorLog: slog.NewLogLogger(c.log.Handler(), slog.LevelDebug)}
	s.done.Go(func() {
		if err := s.server.Serve(l); !errors.Is(err, http.ErrServerClosed) {
			c.log.Error("companion: the server ended", "error", err)
		}
	})
	s.done.Go(func() { s.sendContexts(life) })
	s.done.Go(func() { s.reportDecisions(life) })
	c.log.Info("companion: serving programs in terminals", "port", s.port, "file", s.file)
	return s, nil
}

// close ends the service: no program finds it any more, and open reviews stay for
// the user to decide.
func (s *service) close() {
	if err := os.Remove(s.file); err != nil && !errors.Is(err, fs.ErrNotExist) {
		s.c.log.Warn("companion: cannot remove the announcement", "error", err)
	}
	s.end()
	s.mu.Lock()
	for _, x := range s.sessions {
		_ = x.mcp.Close() // its program notices
	}
	s.mu.Unlock()
	_ = s.server.Close() // streams have no end of their own
	s.done.Wait()
}

// describe writes the announcement: with the token in it, for this user alone.
func (s *service) describe() error {
	content, err := json.Marshal(announcement{
		Port: s.port, AuthToken: s.token, IDE: ideInfoOf(s.c.editorName),
		WorkspacePath: strings.Join(s.c.o.Client.Folders.Roots(), string(os.PathListSeparator)),
	})
	if err != nil {
		return fmt.Errorf("announce the companion: %w", err)
	}
	if err := private.Folder(filepath.Dir(s.file)); err != nil {
		return err
	}
	f, err := private.OpenFile(s.file, os.O_CREATE|os.O_WRONLY|os.O_TRUNC)
	if err != nil {
		return err
	}
	_, err = f.Write(content)
	return errors.Join(err, f.Close())
}

// checked passes on requests of programs that have the token. Web pages have an
// origin, or another host where a name was rebound to this machine.
func (s *service) checked(next http.Handler) http.Handler {
	port := fmt.Sprint(s.port)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		host, at, err := net.SplitHostPort(r.Host)
		switch {
		case r.Header.Get("Origin") != "":
			http.Error(w, "emendo: requests of web pages are refused", http.StatusForbidden)
		case err != nil || at != port || host != "127.0.0.1" && host != "localhost" && host != "host.docker.internal":
			http.Error(w, "emendo: this server is for programs on this machine", http.StatusForbidden)
		case !authorized(r, s.token):
			w.Header().Set("WWW-Authenticate", `Bearer realm="emendo"`)
			http.Error(w, "emendo: not authorized: this server needs the token of its announcement", http.StatusUnauthorized)
		case r.URL.Path != "/mcp":
			http.NotFound(w, r)
		default:
			r.Body = http.MaxBytesReader(w, r.Body, maxBody)
			next.ServeHTTP(w, r)
		}
	})
}

// A session is one program that is connected.
type session struct {
	http *mcp.StreamableServerTransport
	wire mcp.Connection
	mcp  *mcp.ServerSession
}

// handle passes a request on to its session, and makes one for a program that
// begins.
func (s *service) handle(w http.ResponseWriter, r *http.Request) {
	id := r.Header.Get("Mcp-Session-Id")
	s.mu.Lock()
	x := s.sessions[id]
	s.mu.Unlock()
	switch {
	case x != nil && r.Method == http.MethodDelete:
		_ = x.mcp.Close() // the session is forgotten when it has ended
		w.WriteHeader(http.StatusNoContent)
	case x != nil && r.Method == http.MethodGet:
		x.http.ServeHTTP(listening{w, s.moved, &sync.Once{}}, r)
	case x != nil:
		x.http.ServeHTTP(w, r)
	case id != "":
		http.Error(w, "emendo: unknown session: begin with initialize", http.StatusNotFound)
	case r.Method != http.MethodPost:
		http.Error(w, "emendo: no session: begin with initialize", http.StatusBadRequest)
	default:
		x, err := s.begin()
		if err != nil {
			http.Error(w, "emendo: "+err.Error(), http.StatusServiceUnavailable)
			return
		}
		x.http.ServeHTTP(w, r)
	}
}

// begin makes a session, which is forgotten when its program leaves.
func (s *service) begin() (*session, error) {
	id := rand.Text()
	x := &session{http: &mcp.StreamableServerTransport{SessionID: id}}
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.sessions) >= maxSessions {
		return nil, fmt.Errorf("%s are connected already", client.Count(maxSessions, "program"))
	}
	// The session outlives the request that begins it.
	ss, err := s.mcp.Connect(s.c.o.Client.Life(), x, nil)
	if err != nil {
		return nil, err
	}
	x.mcp = ss
	s.sessions[id] = x
	s.done.Go(func() {
		_ = ss.Wait() // the program's end is no error
		s.mu.Lock()
		delete(s.sessions, id)
		s.mu.Unlock()
	})
	return x, nil
}

// Connect implements [mcp.Transport]. It keeps the connection, on which the
// protocol's own notifications are sent: the library sends MCP's alone.
func (x *session) Connect(ctx context.Context) (mcp.Connection, error) {
	c, err := x.http.Connect(ctx)
	x.wire = c
	return c, err
}

// SupportsProtocolVersion reports whether the transport carries a version of MCP.
func (x *session) SupportsProtocolVersion(version string) bool {
	return x.http.SupportsProtocolVersion(version)
}

// listening is the response to a program that begins to listen. The library flushes it
// when it is about to deliver what is sent from then on, and with every message later.
type listening struct {
	http.ResponseWriter
	moved client.Signal
	begun *sync.Once // it has the context sent, which is flushed too
}

// Flush implements [http.Flusher].
func (l listening) Flush() {
	_ = http.NewResponseController(l.ResponseWriter).Flush() // a response that cannot be flushed is written as a whole
	l.begun.Do(l.moved.Raise)
}

// Unwrap returns the response for [http.ResponseController].
func (l listening) Unwrap() http.ResponseWriter { return l.ResponseWriter }
