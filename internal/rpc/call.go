package rpc

import (
	"context"
	"errors"
	"fmt"

	"go.lsp.dev/jsonrpc2"
)

// Notify queues a notification; nil params are left out. While the queue is full
// it waits, and only that wait listens to ctx: with room, the message goes.
func (c *Conn) Notify(ctx context.Context, method string, params any) error {
	raw, err := c.params(params)
	if err != nil {
		return fmt.Errorf("notify %s: %w", method, err)
	}
	body := jsonrpc2.AppendNotification(make([]byte, 0, envelope+len(method)+len(raw)), method, raw)
	if err := c.out.put(ctx, body); err != nil {
		return fmt.Errorf("notify %s: %w", method, err)
	}
	return nil
}

// Call sends a request and decodes the peer's answer into result, unless that is
// nil. When ctx ends first it tells the peer so, with $/cancelRequest, and returns
// the cause of ctx. An answer that says no is returned as an [*Error]; the end of
// the connection as one that wraps [ErrClosed].
func (c *Conn) Call(ctx context.Context, method string, params, result any) error {
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	raw, err := c.params(params)
	if err != nil {
		return fmt.Errorf("call %s: %w", method, err)
	}
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	defer context.AfterFunc(c.life, func() { cancel(fmt.Errorf("call %s: %w", method, ErrClosed)) })()

	id, err := c.peer.Call(ctx, method, raw, result)
	var no *jsonrpc2.Error
	switch {
	case err == nil:
		return nil
	case errors.As(err, &no):
		return received(no)
	case ctx.Err() != nil:
		if !errors.Is(err, errNotQueued) {
			c.withdraw(id)
		}
		return context.Cause(ctx)
	case errors.Is(err, jsonrpc2.ErrClientClosing):
		return fmt.Errorf("call %s: %w", method, ErrClosed)
	default:
		return fmt.Errorf("call %s: %w", method, err)
	}
}

// withdraw tells the peer that nobody waits for its answer any more. It does not
// wait for room in the queue: its caller must not wait, and there is at most one
// for each call that found room.
func (c *Conn) withdraw(id jsonrpc2.ID) {
	n, _ := id.Number()
	c.out.force(jsonrpc2.AppendNotification(nil, methodCancel, fmt.Appendf(nil, `{"id":%d}`, n)))
}

// params encodes the parameters of a message; nil for none.
func (c *Conn) params(v any) (jsonrpc2.RawMessage, error) {
	if v == nil {
		return nil, nil
	}
	raw, err := c.codec.Marshal(v)
	if err != nil {
		return nil, fmt.Errorf("encode params: %w", err)
	}
	if string(raw) == "null" {
		return nil, nil
	}
	return raw, nil
}
