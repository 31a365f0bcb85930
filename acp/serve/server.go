package serve

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"slices"
	"strings"
	"time"

	"github.com/emendo-dev/emendo/acp"
	"github.com/emendo-dev/emendo/acp/chat"
	"github.com/emendo-dev/emendo/acp/client"
	"github.com/emendo-dev/emendo/acp/failure"
	"github.com/emendo-dev/emendo/acp/files"
	"github.com/emendo-dev/emendo/acp/host"
	"github.com/emendo-dev/emendo/acp/terminals"
	"github.com/emendo-dev/emendo/ide"
	"github.com/emendo-dev/emendo/ide/disk"
	"github.com/emendo-dev/emendo/internal/buffers"
	"github.com/emendo-dev/emendo/internal/rpc"
)

// lastGrace is how long the end of a server waits for what it started, after the
// connection has had its own grace.
const lastGrace = 500 * time.Millisecond

// server serves one client. It owns the lifecycle and sends each message to its handler.
type server struct {
	o    Options
	conn *rpc.Conn

	initialized bool // owned by the read loop

	client    *client.Client
	hosts     *host.Hosts
	updates   *chat.Updates
	turns     *chat.Turns
	sessions  *chat.Sessions
	questions chat.Asker

	requests      map[string]rpc.Prepare
	notifications map[string]rpc.Notified
}

func newServer(r io.Reader, w io.Writer, o Options) *server {
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	s := &server{o: o}
	s.conn = rpc.NewConn(r, w, s, rpc.Options{
		Framing: rpc.Newline, Cancel: rpc.Cancel{Method: "$/cancel_request", Param: "requestId"}, Bug: failure.ErrBug, Log: o.Log, Grace: lastGrace,
	})
	s.client = client.New(s.conn, o.Log)
	s.hosts = &host.Hosts{Client: s.client, Make: s.makeHost}
	s.updates = &chat.Updates{Client: s.client, Hosts: s.hosts, Models: o.Models}
	s.turns = &chat.Turns{Client: s.client, Hosts: s.hosts, Updates: s.updates}
	s.sessions = &chat.Sessions{Client: s.client, Hosts: s.hosts, Turns: s.turns, Updates: s.updates, Store: o.Store, Mode: o.Mode, Cwd: o.Cwd}
	s.questions = chat.Asker{Client: s.client, Hosts: s.hosts, Updates: s.updates}
	s.requests = map[string]rpc.Prepare{
		"authenticate":              rpc.Later(s.authenticate),
		"session/new":               rpc.Later(s.sessions.New),
		"session/load":              rpc.Later(s.sessions.Load),
		"session/resume":            rpc.Later(s.sessions.Resume),
		"session/list":              rpc.Later(s.sessions.List),
		"session/close":             rpc.Later(s.sessions.Close),
		"session/delete":            rpc.Later(s.sessions.Delete),
		"session/prompt":            rpc.InOrder(s.turns.Prompt),
		"session/set_mode":          rpc.Later(s.sessions.SetMode),
		"session/set_config_option": rpc.Later(s.sessions.SetOption),
	}
	s.notifications = map[string]rpc.Notified{
		"session/cancel": rpc.OnNotification(s.turns.Cancel),
	}
	return s
}

// serve serves the client until the connection ends, and then ends everything.
func (s *server) serve(ctx context.Context) error {
	err := s.conn.Run(ctx)
	s.close()
	return err
}

// close waits for the tasks and closes the hosts, as long as the last grace allows.
func (s *server) close() {
	done := make(chan struct{})
	go func() {
		defer close(done)
		s.client.Wait()
		s.hosts.Close()
	}()
	late := time.NewTimer(lastGrace)
	defer late.Stop()
	select {
	case <-done:
	case <-late.C:
		s.o.Log.Error("the server ended before its tasks did", "after", lastGrace)
	}
}

// makeHost makes the host of a folder.
func (s *server) makeHost(folder string) (*host.Host, error) {
	tree, err := disk.NewTree([]string{folder})
	if err != nil {
		return nil, fmt.Errorf("open the folder: %w", err)
	}
	w := ide.NewWorkspace(tree, ide.UTF8)
	start := host.Start{Folder: folder, Client: s.questions, Workspace: w, Warn: func(text string) {
		s.updates.Warn(s.client.Life(), s.hosts.Latest(folder), text)
	}}
	open := s.openFiles(w, func() string { return s.hosts.Latest(folder) })
	start.Editor = open
	if s.client.Can.Terminals {
		start.Terminals = &terminals.Terminals{Client: s.client}
	}
	h, err := s.o.Start(s.client.Life(), start)
	if err != nil {
		open.Close()
		return nil, fmt.Errorf("start the agent: %w", err)
	}
	h.Saves = open.Saves
	end := h.Close
	h.Close = func() error {
		open.Close()
		if end == nil {
			return nil
		}
		return end()
	}
	s.client.Go(func() { open.Refresh(s.client.Life()) }) // so that the first prompt need not wait
	return h, nil
}

// openFiles returns the files that the client and the editors of other processes have
// open in a workspace.
func (s *server) openFiles(w *ide.Workspace, session func() string) *buffers.Mirror {
	o := buffers.MirrorOptions{Folder: s.o.Editors, Workspace: w, Log: s.o.Log}
	if !s.client.Can.ReadFiles {
		return buffers.NewMirror(s.client.Life(), o)
	}
	f := files.New(s.client, w, session)
	f.Warn = func(path string, err error) { s.updates.Unread(s.client.Life(), session(), path, err) }
	o.Client = f
	m := buffers.NewMirror(s.client.Life(), o)
	f.Elsewhere = m.Shows
	return m
}

// Notification implements [rpc.Handler].
func (s *server) Notification(_ context.Context, method string, params json.RawMessage) error {
	handle := s.notifications[method]
	switch {
	case handle == nil:
		return rpc.ErrMethodNotFound
	case !s.initialized:
		return rpc.Errorf(rpc.InvalidRequest, "%s is ignored before initialize", method)
	}
	return handle(params)
}

// Request implements [rpc.Handler].
func (s *server) Request(ctx context.Context, method string, params json.RawMessage) (rpc.Work, error) {
	if method == "initialize" {
		return s.initialize(params)
	}
	handle := s.requests[method]
	switch {
	case handle == nil:
		return nil, rpc.Errorf(rpc.MethodNotFound, "method not found: %s", method)
	case !s.initialized:
		return nil, rpc.Errorf(rpc.InvalidRequest, "%s before initialize", method)
	}
	work, err := handle(ctx, params)
	if err != nil || work == nil {
		return nil, failure.ACP(ctx, err, s.authMethods())
	}
	return func(ctx context.Context) (any, error) {
		result, err := work(ctx)
		return result, failure.ACP(ctx, err, s.authMethods())
	}, nil
}

// initialize answers with what emendo can do, and does nothing else.
func (s *server) initialize(raw json.RawMessage) (rpc.Work, error) {
	if s.wantsPreview(raw) {
		return s.initializePreview(raw)
	}
	p, err := rpc.Decode[acp.InitializeParams](raw)
	switch {
	case err != nil:
		return nil, err
	case p.ProtocolVersion == nil:
		return nil, failure.Invalid("protocolVersion is missing")
	case s.initialized:
		return nil, rpc.Errorf(rpc.InvalidRequest, "the agent is already initialized")
	}
	s.client.Can = acp.ReadAbilities(p.ClientCapabilities)
	s.initialized = true
	r := acp.InitializeResult{
		ProtocolVersion: acp.Version, AgentInfo: acp.Implementation{Name: "emendo", Title: "emendo", Version: s.o.Version}, AuthMethods: s.authMethods(),
	}
	c := &r.AgentCapabilities
	c.LoadSession = true
	c.Prompt.Image, c.Prompt.Audio, c.Prompt.EmbeddedContext = true, true, true
	c.MCP.HTTP, c.MCP.SSE = true, true
	return func(context.Context) (any, error) { return r, nil }, nil
}

// authMethods returns the ways to sign in that the client supports.
func (s *server) authMethods() []acp.AuthMethod {
	return slices.DeleteFunc(slices.Clone(s.o.AuthMethods), func(m acp.AuthMethod) bool { return m.Type == acp.TerminalAuth && !s.client.Can.SignsIn })
}

// authenticate looks for credentials again: the user has set them where the method says.
func (s *server) authenticate(ctx context.Context, p acp.AuthenticateParams) (any, error) {
	methods := s.authMethods()
	if !slices.ContainsFunc(methods, func(m acp.AuthMethod) bool { return m.ID == p.MethodID }) {
		var ids []string
		for _, m := range methods {
			ids = append(ids, m.ID)
		}
		return nil, failure.Invalid("unknown method %q: want %s", p.MethodID, strings.Join(ids, " or "))
	}
	if err := s.o.SignedIn(ctx); err != nil {
		return nil, err
	}
	return acp.Supported{}, nil
}
