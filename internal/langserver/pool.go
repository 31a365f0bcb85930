package langserver

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/emendo-dev/emendo/internal/sandbox"
)

// Options of a [Pool]. Start is required.
type Options struct {
	// Start starts a program with three pipes.
	Start   func(ctx context.Context, l Launch) (sandbox.Process, error)
	Environ []string      // of this process
	Idle    time.Duration // after which an unused server is stopped; 10 minutes if zero
	// Patience is how long a server may leave all requests unanswered before it is
	// stopped; 1 minute if zero. Loading a large workspace takes a while.
	Patience time.Duration
	Log      *slog.Logger // nil: discards
}

// Launch describes a server to start.
type Launch struct {
	Folders []string // of the workspace
	Argv    []string // the program, absolute, links resolved, and its arguments
	Environ []string // "NAME=value", in addition to the environment of commands
	// Sandboxed: the program must not start outside a sandbox.
	Sandboxed bool
}

// maxFailures is the number of crashes and failed starts after which a server is
// given up.
const maxFailures = 4

// Errors of [Lease.Converse].
var (
	// ErrNone means that no installed program serves the file.
	ErrNone = errors.New("no language server is installed for this kind of file")
	// ErrEnded means that the server has crashed too often.
	ErrEnded = errors.New("the language server keeps failing")
	// ErrClosed means that the lease is closed.
	ErrClosed = errors.New("the language servers of the session are closed")
	// ErrBusy means that the server does not run, or is busy.
	ErrBusy = errors.New("the language server is not running or is busy")
	// ErrStarting means that the server did not become ready in time.
	ErrStarting = errors.New("the language server is still starting")
)

// Pool runs the servers of a process: one for each workspace and program, shared by
// all sessions.
type Pool struct {
	o Options

	mu      sync.Mutex
	entries map[string]*entry
	running sync.WaitGroup
}

// entry is a program in a workspace, for as long as it has leases.
type entry struct {
	key     string
	program Program
	path    string // of the program
	folders []string

	// Guarded by the pool's mu.
	users    map[*Lease]bool
	failures int
	run      *running // nil if it is not running
	past     *running // the previous one, which may not be fully stopped; may be nil
}

// running is a server from start to end.
type running struct {
	ready  chan struct{} // closed once it is ready or has failed
	gone   chan struct{} // closed once it is fully stopped
	end    context.CancelFunc
	server *server // nil if it has failed
	err    error

	// Guarded by the pool's mu.
	busy int
	idle *time.Timer
}

// NewPool returns a pool without servers.
func NewPool(o Options) *Pool {
	if o.Idle == 0 {
		o.Idle = 10 * time.Minute
	}
	if o.Patience == 0 {
		o.Patience = time.Minute
	}
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	return &Pool{o: o, entries: map[string]*entry{}}
}

// Lease is the right to use a pool's servers for a workspace with these folders. A
// server stops with the last lease that uses it.
type Lease struct {
	pool    *Pool
	folders []string

	closed bool // guarded by the pool's mu
}

// Lease returns a lease, which must be closed. It starts nothing.
func (p *Pool) Lease(folders []string) *Lease {
	return &Lease{pool: p, folders: slices.Clone(folders)}
}

// Find returns the absolute path of a program; empty if it is not installed.
func (l *Lease) Find(p Program) string { return p.Find(l.pool.o.Environ, l.folders) }

// Close stops the servers that no other lease uses, and waits for them.
func (l *Lease) Close() {
	p := l.pool
	p.mu.Lock()
	l.closed = true
	var ending []*running
	for key, e := range p.entries {
		if !e.users[l] {
			continue
		}
		if delete(e.users, l); len(e.users) > 0 {
			continue
		}
		delete(p.entries, key)
		for _, r := range []*running{e.run, e.past} {
			if r != nil {
				r.end()
				ending = append(ending, r)
			}
		}
	}
	p.mu.Unlock()
	for _, r := range ending {
		<-r.gone
	}
}

// Close waits until all servers have stopped. All leases must be closed first.
func (p *Pool) Close() { p.running.Wait() }

// StartEarly starts a program if it is not running, without waiting for it.
func (l *Lease) StartEarly(program Program) {
	if r, err := l.acquire(program, true); err == nil {
		l.pool.release(r)
	}
}

// Converse calls f with the server of a program, which it starts if necessary. The
// server has the documents of the view and the files at these paths open. Calls of
// f are serialized for each server. The error is one of this package's, that of f,
// or the cause of ctx.
func (l *Lease) Converse(ctx context.Context, program Program, view View, paths []string, f func(context.Context, *Conversation) error) error {
	for {
		again, err := l.runOnce(ctx, program, view, paths, f)
		if !again {
			return err
		}
	}
}

// TryConverse is like [Lease.Converse], but calls f at once or not at all: the error is
// [ErrBusy] if the server does not run, is not ready, or is in use. The server has
// the documents of the view, but is not notified of changes on disk. A request that
// is cancelled with ctx does not count as unanswered.
func (l *Lease) TryConverse(ctx context.Context, program Program, view View, f func(context.Context, *Conversation) error) error {
	r, err := l.acquire(program, false)
	if err != nil {
		return err
	}
	defer l.pool.release(r)
	select {
	case <-r.ready:
	default:
		return ErrBusy
	}
	if r.err != nil || r.server.hasEnded() {
		return ErrBusy
	}
	select {
	case r.server.turn <- struct{}{}:
		defer func() { <-r.server.turn }()
	default:
		return ErrBusy
	}
	c := &Conversation{r.server, view}
	if err := c.SetTexts(ctx, view.Texts); err != nil {
		return err
	}
	return f(ctx, c)
}

// runOnce is Converse for one running server. It returns true, without calling f, if the
// server had already ended.
func (l *Lease) runOnce(ctx context.Context, program Program, view View, paths []string, f func(context.Context, *Conversation) error) (again bool, err error) {
	r, err := l.acquire(program, true)
	if err != nil {
		return false, err
	}
	defer l.pool.release(r)
	select {
	case <-r.ready:
	case <-ctx.Done():
		return false, fmt.Errorf("%w: %w", ErrStarting, context.Cause(ctx))
	}
	if r.err != nil {
		r.awaitEnd(ctx)
		return false, r.err
	}
	s := r.server
	select {
	case s.turn <- struct{}{}:
		defer func() { <-s.turn }()
	case <-ctx.Done():
		return false, context.Cause(ctx)
	}
	if s.hasEnded() {
		r.awaitEnd(ctx)
		return ctx.Err() == nil, context.Cause(ctx)
	}
	err = s.tellChanged(ctx, view)
	c := &Conversation{s, view}
	if err == nil {
		err = c.SetTexts(ctx, view.Texts, paths...)
	}
	if err == nil {
		err = f(ctx, c)
	}
	if err != nil && s.hasEnded() {
		r.awaitEnd(ctx)
	}
	return false, err
}

// awaitEnd waits until a server has fully stopped, so that the next request starts
// a new one.
func (r *running) awaitEnd(ctx context.Context) {
	select {
	case <-r.gone:
	case <-ctx.Done():
	}
}

// acquire returns a server that is starting or running, and marks it as busy. If it
// is not running, acquire starts it if start is true, and else returns [ErrBusy].
func (l *Lease) acquire(program Program, start bool) (*running, error) {
	p := l.pool
	p.mu.Lock()
	defer p.mu.Unlock()
	if l.closed {
		return nil, ErrClosed
	}
	key := program.Name + "\x00" + strings.Join(l.folders, "\x00")
	e := p.entries[key]
	if !start && (e == nil || e.run == nil) {
		return nil, ErrBusy
	}
	if e == nil {
		path := l.Find(program)
		if path == "" {
			return nil, ErrNone
		}
		e = &entry{key: key, program: program, path: path, folders: l.folders, users: map[*Lease]bool{}}
		p.entries[key] = e
	}
	e.users[l] = true
	if e.run == nil {
		if e.failures >= maxFailures {
			return nil, ErrEnded
		}
		p.start(e)
	}
	r := e.run
	r.busy++
	r.idle.Stop()
	return r, nil
}

func (p *Pool) release(r *running) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if r.busy--; r.busy == 0 {
		r.idle.Reset(p.o.Idle)
	}
}

// start starts the server of an entry. The caller holds p.mu.
func (p *Pool) start(e *entry) {
	ctx, end := context.WithCancel(context.Background()) // it outlives the request that needs it
	r := &running{ready: make(chan struct{}), gone: make(chan struct{}), end: end}
	r.idle = time.AfterFunc(p.o.Idle, func() { p.expire(e, r) })
	before := e.past
	e.run = r
	p.running.Go(func() {
		defer close(r.gone)
		defer end()
		if before != nil {
			<-before.gone
		}
		p.serve(ctx, e, r)
		p.mu.Lock()
		defer p.mu.Unlock()
		r.idle.Stop()
		if e.run == r {
			e.run, e.past = nil, nil
			if ctx.Err() == nil { // it ended on its own
				e.failures++
			}
		}
	})
}

// expire stops a server that was not used for a while.
func (p *Pool) expire(e *entry, r *running) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if r.busy == 0 && e.run == r {
		e.run, e.past = nil, r
		r.end()
	}
}

// serve runs a server until it or ctx ends.
func (p *Pool) serve(ctx context.Context, e *entry, r *running) {
	fail := func(err error) {
		p.o.Log.Warn("start a language server", "program", e.program.Name, "err", err)
		r.err = fmt.Errorf("%s did not start: %w", e.program.Name, err)
		close(r.ready)
	}
	process, err := p.o.Start(ctx, Launch{e.folders, append([]string{e.path}, e.program.Args...), e.program.Environ, e.program.NeedsSandbox(e.path)})
	if err != nil {
		fail(err)
		return
	}
	s := newServer(e.program, e.folders, process, p.o)
	ended := make(chan struct{})
	go func() { // waited for below
		defer close(ended)
		s.run(context.Background()) // ends with the process, or after shutdown
	}()
	defer func() { <-ended }()
	if err := s.initialize(ctx, e.path); err != nil {
		s.close()
		fail(err)
		return
	}
	r.server = s
	close(r.ready)
	select {
	case <-ended:
	case <-ctx.Done():
		s.shutdown()
	}
}
