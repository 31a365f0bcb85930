package langserver

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"path/filepath"
	"sync"
	"sync/atomic"
	"time"

	"github.com/emendo-dev/emendo/ide"
	"github.com/emendo-dev/emendo/internal/rpc"
	"github.com/emendo-dev/emendo/internal/sandbox"
)

// Limits of a server.
const (
	startTime = 30 * time.Second // until it has answered initialize
	// A front end waits for half a second for what has to end with it. What still runs
	// then would write its caches when the user may already be deleting the folder.
	endTime     = 200 * time.Millisecond // for it to exit on its own
	killGrace   = 100 * time.Millisecond // between SIGTERM and SIGKILL
	maxLate     = 3                      // consecutive unanswered requests, see [Options.Patience]
	maxMessage  = 64 << 20               // bytes
	maxUnasked  = 256 << 20              // bytes that it may send without answering
	maxLines    = 1 << 17                // lines that it may send without answering; a message has two
	maxReported = 5000                   // files whose published problems are stored
	maxErrors   = 4 << 10                // logged bytes of its standard error
)

// server is a running language server.
type server struct {
	program Program
	folders []string
	log     *slog.Logger

	patience time.Duration // see [Options.Patience]

	process sandbox.Process
	conn    *rpc.Conn
	can     capabilities
	turn    chan struct{} // a lock: holds a value during a conversation
	late    lateness      // of the requests since the last answer
	closing atomic.Bool   // the connection is closing
	unasked flow          // received since the last answer

	// Owned by the holder of turn.
	documents documents
	version   int32 // the latest of any document
	disk      onDisk

	mu        sync.Mutex
	published map[ide.URI]published
	news      chan struct{} // closed and replaced when something is published
}

// published has the problems that a server last reported on its own for a file.
type published struct {
	version *int32 // of the document; nil if the server does not say
	found   []Diagnostic
}

// newServer returns a server that communicates over the streams of a process. Call
// run to serve it.
func newServer(p Program, folders []string, process sandbox.Process, o Options) *server {
	s := &server{
		program: p, folders: folders, log: o.Log, patience: o.Patience, process: process, turn: make(chan struct{}, 1),
		documents: documents{}, published: map[ide.URI]published{}, news: make(chan struct{}),
	}
	s.conn = rpc.NewConn(&flood{process.Output(), &s.unasked}, process.Input(), s, rpc.Options{
		Log: o.Log, MaxMessage: maxMessage, MaxRunning: 64, Grace: killGrace,
	})
	return s
}

// run serves the connection until the process or ctx ends. The process has fully
// ended when it returns.
func (s *server) run(ctx context.Context) {
	var streams sync.WaitGroup
	streams.Go(func() { s.drain(s.process.Errors()) })
	streams.Go(func() {
		s.process.Wait()
		s.close()
	})
	if err := s.conn.Run(ctx); err != nil && ctx.Err() == nil {
		s.log.Warn("connection to a language server", "program", s.program.Name, "err", err)
	}
	s.process.Kill(killGrace)
	streams.Wait()
}

// drain reads the standard error of the process to its end and logs the last part.
func (s *server) drain(r io.ReadCloser) {
	defer r.Close()
	var last []byte
	b := make([]byte, maxErrors)
	for {
		n, err := r.Read(b)
		last = append(last, b[:n]...)
		last = bytes.Clone(last[max(0, len(last)-maxErrors):])
		if err != nil {
			break
		}
	}
	if len(last) > 0 {
		s.log.Debug("a language server has ended", "program", s.program.Name, "stderr", string(last))
	}
}

// initialize sends initialize and initialized.
func (s *server) initialize(ctx context.Context, path string) error {
	ctx, cancel := context.WithTimeout(ctx, startTime)
	defer cancel()
	type folder struct {
		URI  ide.URI `json:"uri"`
		Name string  `json:"name"`
	}
	var folders []folder
	for _, f := range s.folders {
		folders = append(folders, folder{ide.FileURI(f), filepath.Base(f)})
	}
	params := map[string]any{
		"processId": nil, // the server may not see our process; the supervisor ends it
		"rootUri":   folders[0].URI, "rootPath": s.folders[0], "workspaceFolders": folders,
		"capabilities": declared, "clientInfo": map[string]string{"name": "emendo"},
	}
	if o := s.program.options(path); len(o) > 0 {
		params["initializationOptions"] = o
	}
	var answer struct {
		Capabilities json.RawMessage `json:"capabilities"`
	}
	if err := s.call(ctx, "initialize", params, &answer); err != nil {
		return err
	}
	var raw map[string]json.RawMessage
	if err := json.Unmarshal(answer.Capabilities, &raw); err != nil {
		return fmt.Errorf("initialize: the capabilities are not an object: %w", err)
	}
	// Decoded one by one: one of an unexpected shape must not hide the others.
	_ = json.Unmarshal(raw["positionEncoding"], &s.can.PositionEncoding)
	_ = json.Unmarshal(raw["executeCommandProvider"], &s.can.Commands)
	s.can.Diagnostics, s.can.Formatting = raw["diagnosticProvider"], raw["documentFormattingProvider"]
	if s.can.PositionEncoding != ide.UTF8 {
		s.can.PositionEncoding = ide.UTF16
	}
	return s.conn.Notify(ctx, "initialized", struct{}{})
}

// shutdown asks the server to exit.
func (s *server) shutdown() {
	ctx, cancel := context.WithTimeout(context.Background(), endTime)
	defer cancel()
	if s.conn.Call(ctx, "shutdown", nil, nil) == nil && s.conn.Notify(ctx, "exit", nil) == nil {
		select {
		case <-s.conn.Done():
		case <-ctx.Done():
		}
	}
	s.close()
}

// close ends the connection, and run with it.
func (s *server) close() {
	s.closing.Store(true)
	_ = s.conn.Close() // always nil
}

// call makes a request. A server that stops answering is stopped.
func (s *server) call(ctx context.Context, method string, params, result any) error {
	began := time.Now()
	err := s.conn.Call(ctx, method, params, result)
	switch {
	case errors.Is(err, rpc.ErrClosed):
		s.closing.Store(true)
	case errors.Is(ctx.Err(), context.DeadlineExceeded) && err != nil:
		if s.late.add(began) >= maxLate && s.late.since() > s.patience {
			s.log.Warn("stop a language server that does not answer", "program", s.program.Name, "method", method)
			s.close()
		}
	case ctx.Err() == nil:
		s.late.reset()
		s.unasked.reset()
	}
	if err != nil {
		return fmt.Errorf("%s: %w", s.program.Name, err)
	}
	return nil
}

// Notification implements [rpc.Handler].
func (s *server) Notification(_ context.Context, method string, params json.RawMessage) error {
	if method != "textDocument/publishDiagnostics" {
		return nil // progress and log messages
	}
	var p struct {
		URI         string `json:"uri"`
		Version     *int32 `json:"version"`
		Diagnostics []sent `json:"diagnostics"`
	}
	if err := json.Unmarshal(params, &p); err != nil {
		return err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	uri := ide.ParseURI(p.URI)
	if _, known := s.published[uri]; !known && len(s.published) >= maxReported {
		return nil
	}
	s.published[uri] = published{p.Version, received(p.Diagnostics)}
	close(s.news)
	s.news = make(chan struct{})
	return nil
}

// Request implements [rpc.Handler]. Requests to change anything are refused.
func (s *server) Request(_ context.Context, method string, params json.RawMessage) (rpc.Work, error) {
	answer := func(v any) rpc.Work { return func(context.Context) (any, error) { return v, nil } }
	switch method {
	case "workspace/configuration":
		var p struct {
			Items []json.RawMessage `json:"items"`
		}
		if err := json.Unmarshal(params, &p); err != nil {
			return nil, rpc.ErrInvalidParams
		}
		all := make([]json.RawMessage, min(len(p.Items), 100))
		for i := range all {
			all[i] = json.RawMessage("null")
			if len(s.program.Config) > 0 {
				all[i] = s.program.Config
			}
		}
		return answer(all), nil
	case "workspace/applyEdit":
		return answer(map[string]bool{"applied": false}), nil
	case "client/registerCapability", "client/unregisterCapability", "window/workDoneProgress/create", "window/showMessageRequest",
		"workspace/diagnostic/refresh", "workspace/workspaceFolders":
		return nil, nil // null
	}
	return nil, rpc.ErrMethodNotFound
}

// lateness counts consecutive requests that were not answered in time.
type lateness struct {
	mu    sync.Mutex
	n     int
	first time.Time // when the first of them was made
}

func (l *lateness) add(began time.Time) int {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.n++; l.n == 1 {
		l.first = began
	}
	return l.n
}

func (l *lateness) since() time.Duration {
	l.mu.Lock()
	defer l.mu.Unlock()
	return time.Since(l.first)
}

func (l *lateness) reset() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.n = 0
}

// hasEnded reports whether the connection is closing or closed.
func (s *server) hasEnded() bool {
	select {
	case <-s.conn.Done():
		return true
	default:
		return s.closing.Load()
	}
}

// flow counts the output of a server.
type flow struct{ bytes, lines atomic.Int64 }

func (f *flow) reset() {
	f.bytes.Store(0)
	f.lines.Store(0)
}

// flood reads the output of a server, and fails if the server sends a lot without
// answering.
type flood struct {
	io.ReadCloser

	unasked *flow
}

var errFlood = errors.New("the language server sends too much without answering")

func (f *flood) Read(b []byte) (int, error) {
	n, err := f.ReadCloser.Read(b)
	bytesNow, lines := f.unasked.bytes.Add(int64(n)), f.unasked.lines.Add(int64(bytes.Count(b[:n], []byte("\n"))))
	if bytesNow > maxUnasked || lines > maxLines {
		return n, errFlood
	}
	return n, err
}
