package lsp

import (
	"context"
	"encoding/json"
	"io"
	"log/slog"
	"runtime/debug"
	"sync"
	"sync/atomic"
	"time"

	"github.com/emendo-dev/emendo/ide"
	"github.com/emendo-dev/emendo/internal/rpc"
)

// lastGrace is how long the end of a server waits for what it started, after
// the connection has had its own grace.
const lastGrace = 500 * time.Millisecond

// phase is where a server is in its life.
type phase int

const (
	waiting phase = iota // for initialize
	serving
	shutDown
)

// server serves one client.
type server struct {
	o    Options
	log  *slog.Logger
	conn *rpc.Conn

	life context.Context // ends when the server begins to end
	end  context.CancelFunc
	rude atomic.Bool // the client sent exit without shutdown

	phase phase // the read loop's alone

	// Set by initialize, before anything reads them.
	can       abilities
	workspace *ide.Workspace
	settings  json.RawMessage
	trust     Trust

	folders   folders
	focus     focusKeeper
	host      lazyHost
	turns     turns
	tokens    tokens
	ask       questions
	queues    queues
	current   currentSession
	signedOut atomic.Bool // the provider refused the credentials, or there are none
	announce  *announcer
	decisions inOrder // of commands

	configuration configuration

	requests      map[string]prepare
	notifications map[string]func(json.RawMessage) error
	commands      map[string]prepare

	mu    sync.Mutex
	ended bool // nothing may be spawned any more
	tasks sync.WaitGroup
}

func newServer(r io.Reader, w io.Writer, o Options) *server {
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	s := &server{o: o, log: o.Log, life: context.Background(), end: func() {}}
	s.announce = newAnnouncer(s)
	s.conn = rpc.NewConn(r, w, s, rpc.Options{Log: o.Log, Grace: lastGrace})
	s.requests = s.allRequests()
	s.notifications = s.allNotifications()
	s.commands = s.allCommands()
	return s
}

// serve serves the client until the connection ends and then brings everything to its end.
func (s *server) serve(ctx context.Context) error {
	s.life, s.end = context.WithCancel(ctx)
	defer s.end()
	if s.o.ClientPID != 0 {
		s.spawn(func() { s.watchParent(s.o.ClientPID) })
	}
	err := s.conn.Run(ctx)
	s.end()
	s.mu.Lock()
	s.ended = true
	s.mu.Unlock()
	s.close()
	if err == nil && s.rude.Load() {
		return ErrNoShutdown
	}
	return err
}

// close waits for what was spawned and closes the host, as long as the last
// grace allows.
func (s *server) close() {
	done := make(chan struct{})
	go func() {
		defer close(done)
		s.tasks.Wait()
		s.host.close(s.log)
	}()
	late := time.NewTimer(lastGrace)
	defer late.Stop()
	select {
	case <-done:
	case <-late.C:
		s.log.Error("something of the server does not end and is left behind", "after", lastGrace)
	}
}

// spawn runs f on a goroutine that the server waits for; not at all, which it
// reports, when the server is ending.
func (s *server) spawn(f func()) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.ended {
		return false
	}
	s.tasks.Go(func() {
		_ = s.contained(func() error { f(); return nil }) // whoever waits for it contains more
	})
	return true
}

// errBug stands for a panic.
var errBug = rpc.Errorf(rpc.InternalError, "emendo ran into a bug of its own; its log has the details")

// contained runs f and makes an error of a panic: a bug costs what it is in, and
// the server lives. The connection does so for what answers a request.
func (s *server) contained(f func() error) (err error) {
	defer func() {
		if p := recover(); p != nil {
			s.log.Error("something panicked", "panic", p, "stack", string(debug.Stack()))
			err = errBug
		}
	}()
	return f()
}

// Notification implements [rpc.Handler].
func (s *server) Notification(_ context.Context, method string, params json.RawMessage) error {
	if method == "exit" {
		s.rude.Store(s.phase != shutDown)
		return s.conn.Close()
	}
	if s.phase != serving {
		return rpc.Errorf(rpc.InvalidRequest, "%s is ignored outside of initialize and shutdown", method)
	}
	handle := s.notifications[method]
	if handle == nil {
		return rpc.ErrMethodNotFound
	}
	return handle(params)
}

// Request implements [rpc.Handler].
func (s *server) Request(ctx context.Context, method string, params json.RawMessage) (rpc.Work, error) {
	switch {
	case method == "initialize" && s.phase == waiting:
		return s.initialize(params)
	case method == "initialize":
		return nil, rpc.Errorf(rpc.InvalidRequest, "the server has been initialized already")
	case s.phase == waiting:
		return nil, rpc.ErrServerNotInitialized
	case s.phase == shutDown:
		return nil, rpc.Errorf(rpc.InvalidRequest, "the server has been shut down")
	case method == "shutdown":
		s.phase = shutDown
		return s.shutdown, nil
	}
	handle := s.requests[method]
	if handle == nil {
		return nil, rpc.ErrMethodNotFound
	}
	work, err := handle(ctx, params)
	if err != nil || work == nil {
		return nil, refusal(ctx, err)
	}
	return func(ctx context.Context) (any, error) {
		result, err := work(ctx)
		return result, refusal(ctx, err)
	}, nil
}

// shutdown ends every turn before it is answered.
func (s *server) shutdown(ctx context.Context) (any, error) {
	idle := s.turns.cancelAll()
	select {
	case <-idle:
	case <-ctx.Done():
	case <-time.After(lastGrace):
		s.log.Error("turns do not end", "after", lastGrace)
	}
	if h := s.host.now(); h != nil {
		h.Agent.EndSessions(ctx)
	}
	return nil, nil
}

// allRequests maps methods to what answers them.
func (s *server) allRequests() map[string]prepare {
	return map[string]prepare{
		"emendo/session/new":       later(s.newSession),
		"emendo/session/load":      later(s.loadSession),
		"emendo/session/list":      later(s.listSessions),
		"emendo/session/rename":    later(s.renameSession),
		"emendo/session/fork":      later(s.forkSession),
		"emendo/session/close":     later(s.closeSession),
		"emendo/session/delete":    later(s.deleteSession),
		"emendo/session/prompt":    on(s.prompt),
		"emendo/session/inject":    on(s.inject),
		"emendo/session/queue":     later(s.listQueue),
		"emendo/session/editQueue": later(s.editQueue),
		"emendo/session/setMode":   later(s.setMode),
		"emendo/session/setModel":  later(s.setModel),
		"emendo/session/replay":    later(s.replaySession),
		"emendo/session/rewind":    later(s.rewindSession),
		"emendo/session/compact":   later(s.compactSession),

		"emendo/models/list": later(s.listModels),

		"emendo/context/list":    later(s.listContext),
		"emendo/context/exclude": later(s.excludeContext),

		"emendo/changes/list":    later(s.listChanges),
		"emendo/changes/get":     later(s.getChanges),
		"emendo/changes/resolve": later(s.resolveChanges),

		"textDocument/codeAction":  on(s.codeAction),
		"codeAction/resolve":       on(s.resolveCodeAction),
		"textDocument/codeLens":    on(s.codeLens),
		"textDocument/hover":       on(s.hover),
		"workspace/executeCommand": on(s.executeCommand),
	}
}

// allNotifications maps methods to what handles them, on the read loop.
func (s *server) allNotifications() map[string]func(json.RawMessage) error {
	return map[string]func(json.RawMessage) error{
		"initialized":            s.initialized,
		"textDocument/didOpen":   told(s.didOpen),
		"textDocument/didChange": told(s.didChange),
		"textDocument/didSave":   told(s.didSave),
		"textDocument/didClose":  told(s.didClose),

		"workspace/didChangeWorkspaceFolders": told(s.didChangeFolders),
		"window/workDoneProgress/cancel":      told(s.cancelProgress),

		"emendo/session/cancel":          told(s.cancelSession),
		"emendo/editor/didChangeContext": told(s.didChangeContext),

		"workspace/didChangeConfiguration": told(s.didChangeConfiguration),
		"workspace/didChangeWatchedFiles":  ignored,
		"$/setTrace":                       ignored,
	}
}

func ignored(json.RawMessage) error { return nil }
