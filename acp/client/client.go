// Package client is emendo's view of an ACP client: what it declared, and what can be
// sent to it. It holds nothing of sessions.
package client

import (
	"context"
	"log/slog"

	"github.com/emendo-dev/emendo/acp"
	"github.com/emendo-dev/emendo/internal/rpc"
)

// Client is the client of one server. Nothing that it did not declare is sent to it.
type Client struct {
	*rpc.Conn
	Log *slog.Logger
	Can acp.Abilities // set by initialize, before anything reads it
	// Translate translates the params of what is sent into another version of the
	// protocol, and reports false for what is not sent there. It is set by initialize;
	// nil: the version is 1.
	Translate func(method string, params any) (any, bool, error)
}

// New returns the client at the other end of conn.
func New(conn *rpc.Conn, log *slog.Logger) *Client {
	return &Client{Conn: conn, Log: log}
}

// Notify sends a notification. It waits while the client reads slowly, and fails only
// when the connection has ended.
func (c *Client) Notify(ctx context.Context, method string, params any) error {
	params, sent, err := c.translated(method, params)
	if err != nil || !sent {
		return err
	}
	return c.Conn.Notify(ctx, method, params)
}

// Call sends a request and decodes the answer into result.
func (c *Client) Call(ctx context.Context, method string, params, result any) error {
	params, _, err := c.translated(method, params)
	if err != nil {
		return err
	}
	return c.Conn.Call(ctx, method, params, result)
}

// Ask is Call for a request whose answer decides what the agent does next: the end of
// the connection is not taken for an answer.
func (c *Client) Ask(ctx context.Context, method string, params, result any) error {
	params, _, err := c.translated(method, params)
	if err != nil {
		return err
	}
	return c.Conn.Ask(ctx, method, params, result)
}

func (c *Client) translated(method string, params any) (any, bool, error) {
	if c.Translate == nil {
		return params, true, nil
	}
	return c.Translate(method, params)
}
