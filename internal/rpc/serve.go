package rpc

import (
	"context"
	"encoding/json"
	"errors"
	"slices"
	"strings"

	"go.lsp.dev/jsonrpc2"
)

// A Handler handles the peer's messages. Params are nil when absent, valid JSON
// otherwise, and the handler may keep them. Contexts end with the
// connection. A panic in a handler is contained: it is logged with its stack, and
// a request is answered with [InternalError].
//
// Both methods run on the read loop, in wire order, and block every later message:
// they must not call the peer and wait, nor wait for [Conn.Done].
type Handler interface {
	// Notification handles a notification to its end. An error is logged; nothing
	// is answered. [ErrMethodNotFound] is the error for one that is not known.
	Notification(ctx context.Context, method string, params json.RawMessage) error

	// Request prepares the answer to a request: it decodes the params and takes
	// what the answer must be made from, as it is now. An error is answered at once.
	// The context ends when the request is answered or cancelled, too.
	Request(ctx context.Context, method string, params json.RawMessage) (Work, error)
}

// Work produces the answer to a request, on a goroutine of its own, where it may
// call the peer. Its context is the one that Request had. Once that is cancelled it
// should return soon; its result is then answered like any other ([Then] is one), and the error
// of its context as [RequestCancelled]. An [Error] chooses its code, any other
// error is answered as [InternalError]. Nil work answers null.
type Work func(ctx context.Context) (result any, err error)

// Then is a result after whose answer something else is to be sent: Do runs once the
// answer is queued. It must not wait for the peer.
type Then struct {
	Result any
	Do     func()
}

// clipped returns params that a handler may keep. They share the memory of a message
// that is not reused, and are clipped so that appending to them copies.
func clipped(params jsonrpc2.RawMessage) json.RawMessage {
	return json.RawMessage(slices.Clip(params))
}

// notified handles a notification.
func (c *Conn) notified(method string, params json.RawMessage) {
	if method == c.options.Cancel.Method {
		c.cancelled(params)
		return
	}
	err := c.contain(method, func() error { return c.handler.Notification(c.base, method, params) })
	switch {
	case err == nil:
	case strings.HasPrefix(method, "$/") && errors.Is(err, ErrMethodNotFound):
		c.log.Debug("ignored a notification", "method", method)
	default:
		c.log.Warn("a notification had no effect", "method", method, "error", err)
	}
}

// cancelled cancels the running request that the peer named, if there is one.
func (c *Conn) cancelled(params json.RawMessage) {
	var named map[string]json.RawMessage
	if err := json.Unmarshal(params, &named); err != nil {
		c.log.Debug("a cancel without an id was ignored", "error", err)
		return
	}
	id, ok := parseID(named[c.options.Cancel.Param])
	if !ok || !c.running.withdraw(id) {
		c.log.Debug("a cancel names nothing that runs")
	}
}

// requested prepares a request and starts its work.
func (c *Conn) requested(id jsonrpc2.ID, method string, params json.RawMessage) {
	ctx, cancel := context.WithCancelCause(c.base)
	q := &request{id: id, method: method, ctx: ctx, cancel: cancel}
	if err := c.running.begin(q); err != nil {
		cancel(nil)
		c.answer(q, nil, err)
		return
	}
	var work Work
	err := c.contain(method, func() (err error) {
		work, err = c.handler.Request(ctx, method, params)
		return err
	})
	if err != nil || work == nil {
		c.answer(q, nil, err)
		c.running.finish(q)
		return
	}
	go func() { // the end of the connection waits for it: running.end
		defer c.running.finish(q)
		var result jsonrpc2.RawMessage
		then := func() {}
		err := c.contain(method, func() error {
			v, err := work(ctx)
			if both, ok := v.(Then); ok {
				v, then = both.Result, both.Do
			}
			if err == nil {
				result, err = c.codec.Marshal(v)
			}
			return err
		})
		c.answer(q, result, err)
		if err == nil {
			_ = c.contain(method, func() error { then(); return nil }) // logged
		}
	}()
}

// answer queues the answer to a request. It does so even when the request is
// cancelled or the connection ends, as long as the queue takes anything.
func (c *Conn) answer(q *request, result jsonrpc2.RawMessage, err error) {
	var no error
	if err != nil {
		no = c.refusalOf(q, err)
	}
	body := jsonrpc2.AppendResponse(make([]byte, 0, envelope+len(result)), q.id, result, no)
	if err := c.out.enqueue(context.WithoutCancel(q.ctx), body); err != nil {
		c.log.Debug("an answer was not sent", "method", q.method, "error", err)
	}
}

// refusalOf returns the error on the wire for an error of a handler. The methods of
// that error may panic too.
func (c *Conn) refusalOf(q *request, err error) (no *jsonrpc2.Error) {
	broken := c.contain(q.method, func() error {
		no = c.codec.encodeError(q.ctx, err)
		return nil
	})
	if broken != nil {
		no = c.codec.encodeError(q.ctx, broken)
	}
	return no
}

// contain runs f of a handler and turns a panic into an error.
func (c *Conn) contain(method string, f func() error) error {
	return c.recovered(f, Errorf(InternalError, "%s: internal error; see the log", method), "method", method)
}
