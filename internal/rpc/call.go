package rpc

import (
	"context"
	"errors"
	"fmt"
	"time"

	"go.lsp.dev/jsonrpc2"
)

// Notify queues a notification; nil params are left out. While the queue is full
// it waits until ctx ends; otherwise it ignores ctx.
func (c *Conn) Notify(ctx context.Context, method string, params any) error {
	raw, err := c.params(params)
	if err != nil {
		return fmt.Errorf("notify %s: %w", method, err)
	}
	body := jsonrpc2.AppendNotification(make([]byte, 0, envelope+len(method)+len(raw)), method, raw)
	if err := c.out.enqueue(ctx, body); err != nil {
		return fmt.Errorf("notify %s: %w", method, err)
	}
	return nil
}

// Drain waits until everything that was queued before is written, or ctx ends.
func (c *Conn) Drain(ctx context.Context) error { return c.out.drain(ctx) }

// Call sends a request and decodes the peer's answer into result, unless that is
// nil or the answer is null. When ctx ends first it notifies the peer, by
// [Options.Cancel], and returns the cause of ctx. An error answer is
// returned as an [*Error]; after the end of the connection the error wraps [ErrClosed].
func (c *Conn) Call(ctx context.Context, method string, params, result any) error {
	wait, err := c.Begin(ctx, method, params, result)
	if err != nil {
		return err
	}
	return wait()
}

// Begin is [Conn.Call] that returns once the request is queued: whatever is sent after it
// arrives after it. The caller calls wait, which returns as Call does.
func (c *Conn) Begin(ctx context.Context, method string, params, result any) (wait func() error, err error) {
	if ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	raw, err := c.params(params)
	if err != nil {
		return nil, fmt.Errorf("call %s: %w", method, err)
	}
	id, answered := c.lastCall.Add(1), make(chan *jsonrpc2.Response, 1) // the read loop never waits for the caller
	c.calls.Store(id, answered)
	body := make([]byte, 0, envelope+len(method)+len(raw))
	if err := c.out.enqueue(ctx, jsonrpc2.AppendCall(body, jsonrpc2.NewNumberID(id), method, raw)); err != nil {
		c.calls.Delete(id)
		if ctx.Err() != nil {
			return nil, context.Cause(ctx)
		}
		return nil, fmt.Errorf("call %s: %w", method, err)
	}
	return func() error {
		defer c.calls.Delete(id)
		select {
		case answer := <-answered:
			return c.outcome(method, answer, result)
		case <-ctx.Done():
			c.withdraw(id)
			return context.Cause(ctx)
		case <-c.life.Done():
			select {
			case answer := <-answered: // it came just before the end
				return c.outcome(method, answer, result)
			default:
			}
			c.withdraw(id)
			return fmt.Errorf("call %s: %w", method, ErrClosed)
		}
	}, nil
}

// Ask makes a call whose answer decides what happens next. When the connection ends,
// the caller's context is cancelled a moment later; Ask waits for that, so that the end
// is not mistaken for an answer.
func (c *Conn) Ask(ctx context.Context, method string, params, result any) error {
	err := c.Call(ctx, method, params, result)
	if !errors.Is(err, ErrClosed) {
		return err
	}
	select {
	case <-ctx.Done():
		return context.Cause(ctx)
	case <-time.After(EndWait): // the caller outlives the connection
		return err
	}
}

// outcome decodes the answer to a call.
func (c *Conn) outcome(method string, answer *jsonrpc2.Response, result any) error {
	var no *jsonrpc2.Error
	if errors.As(answer.Err(), &no) {
		return received(no)
	}
	if result == nil || len(answer.Result()) == 0 {
		return nil
	}
	if err := c.codec.Unmarshal(answer.Result(), result); err != nil {
		return fmt.Errorf("call %s: decode the answer: %w", method, err)
	}
	return nil
}

// withdraw cancels a call at the peer. It does not wait for space in the queue: its
// caller must not block, and there is at most one for each queued call.
func (c *Conn) withdraw(id int64) {
	c.out.force(jsonrpc2.AppendNotification(nil, c.options.Cancel.Method, fmt.Appendf(nil, `{%q:%d}`, c.options.Cancel.Param, id)))
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

// answered delivers an answer to its call. It drops an answer without a call, which
// is late or comes from a faulty peer.
func (c *Conn) answered(m *jsonrpc2.Response) {
	id, ok := m.ID().Number()
	if answer, waits := c.calls.LoadAndDelete(id); ok && waits {
		answer.(chan *jsonrpc2.Response) <- m
	}
}
