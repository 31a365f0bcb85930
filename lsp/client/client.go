// Package client is the server's view of the client: what it declared, what can
// be sent to it, what it has open and where its user is. It holds nothing of
// sessions or edits.
package client

import (
	"context"
	"errors"
	"log/slog"
	"runtime/debug"
	"sync"
	"time"

	"github.com/emendo-dev/emendo/ide"
	"github.com/emendo-dev/emendo/internal/rpc"
	"github.com/emendo-dev/emendo/lsp/request"
)

// EndWait is the longest wait for a cancellation after the connection has ended.
const EndWait = time.Second

// Client is the client of one server. Nothing that it did not declare is sent to
// it. It also runs the server's background tasks, which end with the connection.
type Client struct {
	// Set by initialize, before anything reads them.
	Can       Abilities
	Workspace *ide.Workspace

	Focus Focus
	Log   *slog.Logger

	conn *rpc.Conn
	life context.Context
	end  context.CancelFunc

	mu    sync.Mutex
	ended bool // no task may start
	tasks sync.WaitGroup
}

// New returns the client at the other end of conn.
func New(conn *rpc.Conn, log *slog.Logger) *Client {
	return &Client{Log: log, conn: conn, life: context.Background(), end: func() {}}
}

// Begin binds the client's life to ctx. It is called once, before the connection
// runs.
func (c *Client) Begin(ctx context.Context) { c.life, c.end = context.WithCancel(ctx) }

// Life returns the context that ends when the server begins to end.
func (c *Client) Life() context.Context { return c.life }

// End ends Life and lets no new task start.
func (c *Client) End() {
	c.end()
	c.mu.Lock()
	defer c.mu.Unlock()
	c.ended = true
}

// Wait waits for the tasks to end.
func (c *Client) Wait() { c.tasks.Wait() }

// Go runs f on a goroutine that Wait waits for. It reports false, without
// running f, when the server is ending.
func (c *Client) Go(f func()) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.ended {
		return false
	}
	c.tasks.Go(func() {
		_ = c.Contain(func() error { f(); return nil }) // logged
	})
	return true
}

// Contain runs f and turns a panic into [request.ErrBug], so that a bug ends only
// what it is in. The connection does the same for the work of a request.
func (c *Client) Contain(f func() error) (err error) {
	defer func() {
		if p := recover(); p != nil {
			c.Log.Error("panic", "value", p, "stack", string(debug.Stack()))
			err = request.ErrBug
		}
	}()
	return f()
}

// Notify sends a notification. It fails only when the connection has ended.
func (c *Client) Notify(ctx context.Context, method string, params any) {
	if err := c.Send(ctx, method, params); err != nil {
		c.Log.Debug("notification not sent", "error", err)
	}
}

// Send sends a notification and waits while the client reads slowly.
func (c *Client) Send(ctx context.Context, method string, params any) error {
	return c.conn.Notify(ctx, method, params)
}

// Call sends a request and decodes the answer into result.
func (c *Client) Call(ctx context.Context, method string, params, result any) error {
	return c.conn.Call(ctx, method, params, result)
}

// Ask is Call for a request whose answer decides what the agent does next. When
// the connection ends, the agent's context is cancelled a moment later; Ask waits
// for that, so that the end is not mistaken for an answer.
func (c *Client) Ask(ctx context.Context, method string, params, result any) error {
	err := c.Call(ctx, method, params, result)
	if !errors.Is(err, rpc.ErrClosed) {
		return err
	}
	timer := time.NewTimer(EndWait)
	defer timer.Stop()
	select {
	case <-ctx.Done():
		return context.Cause(ctx)
	case <-timer.C: // the caller outlives the connection
		return err
	}
}
