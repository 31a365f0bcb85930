package rpc

import (
	"errors"
	"io"

	"go.lsp.dev/jsonrpc2"
)

// receive is the read loop. It reads messages until the stream or the connection
// ends.
func (c *Conn) receive() {
	for c.life.Err() == nil {
		body, err := c.in.next()
		var bad *badFrame
		switch {
		case errors.As(err, &bad):
			c.refuse(&refusal{id: findID(bad.head), err: bad.err})
		case errors.Is(err, io.EOF): // the cause of contexts: readers would take EOF for a complete text
			c.end(ErrClosed)
		case err != nil:
			c.end(err)
		default:
			c.dispatch(body)
		}
	}
}

// dispatch dispatches one message.
func (c *Conn) dispatch(body []byte) {
	m, no := decode(body)
	if no != nil {
		c.refuse(no)
		return
	}
	switch m := m.(type) {
	case *jsonrpc2.Notification:
		c.notified(m.Method(), clipped(m.Params()))
	case *jsonrpc2.Call:
		c.requested(m.ID(), m.Method(), clipped(m.Params()))
	case *jsonrpc2.Response:
		c.answered(m)
	}
}

// refuse answers an invalid message.
func (c *Conn) refuse(no *refusal) {
	c.log.Warn("refused what the peer sent", "error", no.err)
	if err := c.out.enqueue(c.life, no.body()); err != nil {
		c.log.Debug("a refusal was not sent", "error", err)
	}
}
