// Package client is the server's view of the client: what it declared, what can be sent
// to it, the params of its messages and the codes of errors, what it has open and where its
// user is, and the agent that serves it, made on first use. It holds nothing of sessions or
// edits.
package client

import (
	"context"
	"fmt"
	"log/slog"
	"sync/atomic"
	"time"

	"github.com/emendo-dev/emendo/ide"
	"github.com/emendo-dev/emendo/internal/rpc"
)

// Client is the client of one server. Nothing that it did not declare is sent to
// it. The server's background tasks run in its connection.
type Client struct {
	// Set by initialize, before anything reads them.
	Can       Abilities
	Workspace *ide.Workspace

	Focus   Focus
	Folders Folders
	Host    Lazy
	Log     *slog.Logger
	// Messages shows messages to a client that draws them. Set before the first request.
	Messages Messages
	*rpc.Conn

	server    Server
	touched   Signal
	commanded atomic.Int64 // when the client sent its last command, in nanoseconds; 0: it takes no edits since
}

// Server makes the host and is notified of what concerns several of its parts, without
// waiting.
type Server interface {
	FocusMoved()     // the focus may have moved
	FoldersChanged() // the workspace has other folders
	HostTried()      // the agent was made, or could not be
	MakeHost() (*Host, error)
}

// New returns the client at the other end of conn, whose server is notified. Without an open
// folder its sessions work in cwd.
func New(conn *rpc.Conn, log *slog.Logger, s Server, cwd string) *Client {
	c := &Client{Conn: conn, Log: log, server: s, touched: NewSignal(), Focus: Focus{server: s}}
	c.Folders.client, c.Folders.cwd, c.Host.client = c, cwd, c
	return c
}

// Touch notes that something has changed that the client is to be sent: a status, a change
// set, a diagnostic.
func (c *Client) Touch() { c.touched.Raise() }

// Touched is sent to after [Client.Touch]. One goroutine receives.
func (c *Client) Touched() <-chan struct{} { return c.touched }

// Notify sends a notification. It fails only when the connection has ended.
func (c *Client) Notify(ctx context.Context, method string, params any) {
	if err := c.Send(ctx, method, params); err != nil {
		c.Log.Debug("notification not sent", "error", err)
	}
}

// Send sends a notification and waits while the client reads slowly.
func (c *Client) Send(ctx context.Context, method string, params any) error {
	return c.Conn.Notify(ctx, method, params)
}

// Commanded notes that the client has sent a command.
func (c *Client) Commanded() { c.commanded.Store(time.Now().UnixNano()) }

// TakesEdits reports whether the client takes edits now.
func (c *Client) TakesEdits() bool {
	at := c.commanded.Load()
	return c.Can.ApplyEdit && (c.Can.EditsFor == 0 || at != 0 && time.Since(time.Unix(0, at)) < c.Can.EditsFor)
}

// RefusedEdit notes that the client has refused an edit: one that takes edits only after a
// command takes no more until the next one.
func (c *Client) RefusedEdit() { c.commanded.Store(0) }

type editorRequest struct {
	Method string `json:"method"`
	Params any    `json:"params"`
}

// Request implements [ide.LanguageServers]: it has the client's own language servers answer an LSP request, and decodes
// their answer into result. It returns [ide.ErrUnsupported] for a method that the
// client does not pass on.
func (c *Client) Request(ctx context.Context, method string, params, result any) error {
	if !c.Can.Passes(method) {
		return ide.ErrUnsupported
	}
	if err := c.Call(ctx, "emendo/editor/request", editorRequest{method, params}, result); err != nil {
		return fmt.Errorf("%s of the editor's language servers: %w", method, err)
	}
	return nil
}
