package rpc

import (
	"context"
	"errors"
	"io"

	"go.lsp.dev/jsonrpc2"
)

// A stream gives the library what concerns it: the answers to our calls, and the
// way out for the calls. Everything else that comes in is dispatched on the way,
// on the library's read goroutine, which is the read loop.
type stream struct{ c *Conn }

var _ jsonrpc2.Stream = stream{}

// Read returns the next answer. At the end of the stream it first holds on until
// the connection has sent its last words, for the library sends nothing afterwards.
func (s stream) Read(context.Context) (jsonrpc2.Message, int64, error) {
	c := s.c
	for c.life.Err() == nil {
		body, err := c.in.next()
		var bad *badFrame
		switch {
		case errors.As(err, &bad):
			c.refuse(&refusal{id: idOf(bad.head), err: bad.err})
			continue
		case err != nil:
			c.end(err)
			continue
		}
		m, no := decode(body)
		switch answer, ok := m.(*jsonrpc2.Response); {
		case no != nil:
			c.refuse(no)
		case ok:
			return answer, int64(len(body)), nil
		case m != nil:
			c.serve(m)
		}
	}
	<-c.over
	return nil, 0, io.EOF
}

// refuse answers what is not a message.
func (c *Conn) refuse(no *refusal) {
	c.log.Warn("refused what the peer sent", "error", no.err)
	if err := c.out.put(c.life, no.body()); err != nil {
		c.log.Debug("a refusal was not sent", "error", err)
	}
}

// Write queues a call.
func (s stream) Write(ctx context.Context, m jsonrpc2.Message) (int64, error) {
	body := jsonrpc2.AppendMessage(nil, m)
	if err := s.c.out.put(ctx, body); err != nil {
		return 0, err
	}
	return int64(len(body)), nil
}

// Close does nothing: the connection closes its streams itself.
func (stream) Close() error { return nil }
