package server

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"sync"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/emendo-dev/emendo/mcp/oauth"
	"github.com/emendo-dev/emendo/mcp/schema"
)

// A Link is a way to a server that was opened.
type Link interface {
	// TransportName returns the name of the transport to a server at an address, for the
	// user; empty: the server is a program.
	TransportName() string
	// Fallback changes to another transport and reports true, if the server has refused
	// the one that was tried in a way that says that it does not speak it. Transport then
	// returns the other one.
	Fallback() bool
	// Transport returns the messages, for one connection. Schemas of tools are kept in w
	// before an answer with them is returned.
	Transport(w *schema.Written) mcp.Transport
	// Reason returns why the link broke, as a clause about the server, "it exited …";
	// nil if that is not known.
	Reason() error
	// Close ends the link, and the server if emendo has started it, and waits.
	Close()
}

// Options of a [Server]. Name and Dial are needed.
type Options struct {
	Name    string
	Dial    func(ctx context.Context) (Link, error) // opens a link for each start
	Version string                                  // of emendo
	Folders []string                                // the session's, absolute
	Start   time.Duration                           // in which the server must be ready; 0 means 10 s
	Call    time.Duration                           // limit of a call; 0 means 60 s
	Now     func() time.Time
	Log     *slog.Logger
	// Requests answers what the server asks while a call to it runs; nil: nothing does,
	// and the server is notified.
	Requests Requests
	// Protocol is the only version of the protocol to talk; empty: any that emendo knows.
	Protocol string
}

// Default limits.
const (
	DefaultStart = 10 * time.Second
	DefaultCall  = time.Minute
)

// maxRestarts limits how often a server that fails is started again; the pauses
// between are a second, doubled each time.
const maxRestarts = 5

// loginEvery is the pause before a server that needs a login is tried again: the user
// may have signed in.
const loginEvery = 10 * time.Second

// State is the state of a server.
type State string

// The states.
const (
	Idle     State = "idle"     // not started yet
	Starting State = "starting" // or starting again
	Ready    State = "ready"
	Failed   State = "failed" // may be started again
)

// A Server is one server. It is safe for use by several goroutines.
type Server struct {
	o        Options
	progress progressions
	serving  serving
	written  schema.Written // of the current connection

	running sync.WaitGroup // the run

	mu       sync.Mutex
	state    State
	err      error // why it failed
	starts   int
	failedAt time.Time
	session  *mcp.ClientSession // while it is ready
	offered  Offered
	through  string        // the transport to an address; empty: a program, or not known
	settled  chan struct{} // closed when it is ready or has failed
	over     chan struct{} // closed when the connection has ended
	stop     context.CancelCauseFunc
	closed   bool
}

// New returns a server that is not started.
func New(o Options) *Server {
	if o.Start == 0 {
		o.Start = DefaultStart
	}
	if o.Call == 0 {
		o.Call = DefaultCall
	}
	if o.Now == nil {
		o.Now = time.Now
	}
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	return &Server{o: o, state: Idle, progress: progressions{calls: map[string]func(string){}}}
}

// A Snapshot is the state of a server at one moment.
type Snapshot struct {
	State   State
	Err     error // why it failed
	GivenUp bool  // it failed too often and is not started again
	// Over is the name of the transport of the latest connection to a server at an address.
	Over string
	Offered
}

// Ready reports whether the server is ready.
func (s Snapshot) Ready() bool { return s.State == Ready }

// Snapshot returns the current state.
func (s *Server) Snapshot() Snapshot {
	s.mu.Lock()
	defer s.mu.Unlock()
	return Snapshot{State: s.state, Err: s.err, GivenUp: s.state == Failed && s.starts > maxRestarts, Over: s.through, Offered: s.offered}
}

// Startable reports whether [Server.Start] would start the server: it is idle, or has
// failed and may be started again by now.
func (s *Server) Startable() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.startable()
}

func (s *Server) startable() bool {
	switch {
	case s.closed:
		return false
	case s.state == Idle:
		return true
	case s.state == Failed && errors.Is(s.err, oauth.ErrLogin):
		return !s.o.Now().Before(s.failedAt.Add(loginEvery))
	case s.state == Failed && s.starts <= maxRestarts:
		return !s.o.Now().Before(s.failedAt.Add(time.Second << (s.starts - 1)))
	}
	return false
}

// Start starts a server that is due, and returns at once.
func (s *Server) Start() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.startable() {
		return
	}
	ctx, stop := context.WithCancelCause(context.Background()) // it outlives the turn that needs it first
	s.state, s.err, s.stop = Starting, nil, stop
	s.starts++
	s.settled, s.over = make(chan struct{}), make(chan struct{})
	settled, over := s.settled, s.over
	settle := sync.OnceFunc(func() { close(settled) })
	s.running.Go(func() {
		defer stop(nil)
		defer close(over)
		defer settle()
		s.run(ctx, settle)
	})
}

// Settled returns a channel that is closed when the current start has succeeded or
// failed. It is nil if the server was never started.
func (s *Server) Settled() <-chan struct{} {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.settled
}

// errClosed is the cause of the end of a server that [Server.Close] ends.
var errClosed = errors.New("the session has ended")

// Close ends the server for good, and waits for that.
func (s *Server) Close() {
	s.mu.Lock()
	s.closed = true
	stop := s.stop
	s.mu.Unlock()
	if stop != nil {
		stop(errClosed)
	}
	s.running.Wait()
}

// errReset is the cause of the end of a run that [Server.Reset] ends.
var errReset = errors.New("it was ended by the user")

// Reset ends the server and waits for that. Afterwards it is as one that was never started, so it
// may start again, however often it failed.
func (s *Server) Reset() {
	s.mu.Lock()
	stop, over := s.stop, s.over
	s.mu.Unlock()
	if stop == nil {
		return
	}
	stop(errReset)
	<-over
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.over == over { // else it was started meanwhile
		s.state, s.err, s.starts, s.offered, s.stop = Idle, nil, 0, Offered{}, nil
	}
}

// run keeps one connection from its start to its end.
func (s *Server) run(ctx context.Context, settle func()) {
	changed := make(chan struct{}, 1)
	link, session, err := s.connect(ctx, changed)
	if err == nil {
		err = s.list(ctx, session)
	}
	if err == nil {
		s.o.Log.Info("an MCP server is ready", "server", s.o.Name)
		settle()
		err = s.follow(ctx, session, changed)
	}
	s.mu.Lock()
	s.session = nil
	s.mu.Unlock()
	if link != nil {
		link.Close()
		if reason := link.Reason(); reason != nil && ctx.Err() == nil && (isBroken(err) || errors.Is(err, errEnded)) { // else the server has said itself what is wrong
			err = reason
		}
	}
	if session != nil {
		_ = session.Close() // the link is gone
	}
	if ctx.Err() != nil {
		err = context.Cause(ctx)
	}
	s.mu.Lock()
	s.state, s.err, s.failedAt = Failed, err, s.o.Now()
	if errors.Is(err, oauth.ErrLogin) {
		s.err, s.starts = oauth.Needs(err, s.o.Name), 0 // it works, so it is not given up
	}
	if s.starts > maxRestarts {
		s.offered = Offered{} // until then its tools stay, so that requests do not change
	}
	s.mu.Unlock()
	s.o.Log.Warn("an MCP server failed", "server", s.o.Name, "err", err)
}

// errEnded reports a connection that a server has closed.
var errEnded = errors.New("it closed the connection")

// errLate reports a server that was not ready in time.
var errLate = errors.New("not ready in time")

// legacy is the version of the protocol that is tried first. Servers of newer versions
// know it too, and with it they can put questions to the user during a call.
const legacy = "2025-11-25"

// connect opens a link and introduces emendo.
func (s *Server) connect(ctx context.Context, changed chan<- struct{}) (Link, *mcp.ClientSession, error) {
	ctx, cancel := context.WithTimeoutCause(ctx, s.o.Start, fmt.Errorf("%w: it did not answer within %s", errLate, s.o.Start))
	defer cancel()
	versions := []string{legacy, ""} // the newest last
	if s.o.Protocol != "" {
		versions = []string{s.o.Protocol}
	}
	for i, version := range versions {
		link, session, err := s.openLink(ctx, version, changed)
		if err == nil || i == len(versions)-1 || !refuses(err) {
			return link, session, err
		}
		link.Close()
	}
	panic("server: unreachable")
}

// openLink opens a link and introduces emendo in a version of the protocol; empty: the
// newest that both know.
func (s *Server) openLink(ctx context.Context, version string, changed chan<- struct{}) (Link, *mcp.ClientSession, error) {
	link, err := s.o.Dial(ctx)
	if err != nil {
		return nil, nil, causeOf(ctx, err)
	}
	s.written.Forget()
	detach := context.AfterFunc(ctx, link.Close) // not every wait of the SDK ends with ctx
	introduce := func() (*mcp.ClientSession, error) {
		return s.newClient(changed).Connect(ctx, link.Transport(&s.written), &mcp.ClientSessionOptions{ProtocolVersion: version})
	}
	session, err := introduce()
	if first := link.TransportName(); err != nil && !refuses(err) && link.Fallback() {
		refused := err
		if session, err = introduce(); err != nil && ctx.Err() == nil && !errors.Is(err, oauth.ErrLogin) {
			err = fmt.Errorf("by %s: %w; by %s: %w", first, refused, link.TransportName(), err)
		}
	}
	if !detach() && err == nil {
		_ = session.Close() // the link is gone
		err = context.Cause(ctx)
	}
	if err != nil {
		return link, nil, causeOf(ctx, refusal(err))
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.through = link.TransportName()
	return link, session, nil
}

// refusal returns why a server cannot be talked to.
func refusal(err error) error {
	if isBroken(err) {
		return fmt.Errorf("%w before it was ready", errEnded)
	}
	if op, ok := errors.AsType[*net.OpError](err); ok && op.Op == "dial" { // the rest names methods of the protocol
		if op.Addr != nil {
			return fmt.Errorf("it cannot be reached at %s: %w", op.Addr, op.Err)
		}
		return fmt.Errorf("it cannot be reached: %w", op.Err)
	}
	return fmt.Errorf("it cannot be talked to: %w", err)
}

// causeOf returns the cause of the end of ctx, if that is why something failed.
func causeOf(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	return err
}
