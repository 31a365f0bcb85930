// Package mcptest has doubles of MCP servers, made with the official SDK: in memory,
// so that they work in a synctest bubble.
package mcptest

import (
	"context"
	"errors"
	"fmt"
	"net"
	"sync"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/emendo-dev/emendo/mcp/schema"
	"github.com/emendo-dev/emendo/mcp/server"
)

// A Double is a server of a test. It can be linked to any number of times, one after
// the other.
type Double struct {
	// Serve serves one connection until ctx ends or the server closes it. [Serving],
	// [Hanging] and [Crashing] are some.
	Serve func(ctx context.Context, t mcp.Transport)
	// Refuses is why no link can be opened; nil: it can.
	Refuses error

	mu    sync.Mutex
	links int
	open  *link
}

// Serving returns the behaviour of an ordinary server.
func Serving(s *mcp.Server) func(context.Context, mcp.Transport) {
	return func(ctx context.Context, t mcp.Transport) { _ = s.Run(ctx, t) }
}

// Hanging reads everything and answers nothing.
func Hanging(ctx context.Context, t mcp.Transport) {
	c, err := t.Connect(ctx)
	if err != nil {
		return
	}
	defer c.Close()
	for {
		if _, err := c.Read(ctx); err != nil {
			return
		}
	}
}

// Crashing closes the connection at once.
func Crashing(ctx context.Context, t mcp.Transport) {
	if c, err := t.Connect(ctx); err == nil {
		_ = c.Close()
	}
}

// Dial opens a link.
func (d *Double) Dial(context.Context) (server.Link, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.links++
	if d.Refuses != nil {
		return nil, d.Refuses
	}
	ours, theirs := net.Pipe()
	ctx, stop := context.WithCancel(context.Background())
	l := &link{transport: &mcp.IOTransport{Reader: ours, Writer: ours, MaxLineLength: -1}, stop: func() {
		stop()
		_ = theirs.Close()
	}}
	l.serving.Go(func() { d.Serve(ctx, &mcp.IOTransport{Reader: theirs, Writer: theirs, MaxLineLength: -1}) })
	d.open = l
	return l, nil
}

// Links returns how often it was linked to.
func (d *Double) Links() int {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.links
}

// ErrKilled is the reason of a link that [Double.Kill] ended.
var ErrKilled = errors.New("it was killed by a test")

// Kill ends the server in the middle of whatever it does.
func (d *Double) Kill() {
	d.mu.Lock()
	l := d.open
	d.mu.Unlock()
	l.mu.Lock()
	l.reason = ErrKilled
	l.mu.Unlock()
	l.stop()
}

type link struct {
	transport mcp.Transport
	stop      func()
	serving   sync.WaitGroup

	mu     sync.Mutex
	reason error
}

func (l *link) Transport(w *schema.Written) mcp.Transport { return noting{l.transport, w} }

// noting is a transport whose messages are kept as they are written.
type noting struct {
	mcp.Transport
	written *schema.Written
}

// Connect implements [mcp.Transport].
func (t noting) Connect(ctx context.Context) (mcp.Connection, error) {
	c, err := t.Transport.Connect(ctx)
	return connection{c, t.written}, err
}

type connection struct {
	mcp.Connection
	written *schema.Written
}

// Read implements [mcp.Connection].
func (c connection) Read(ctx context.Context) (jsonrpc.Message, error) {
	m, err := c.Connection.Read(ctx)
	if r, ok := m.(*jsonrpc.Response); ok && r != nil && r.Error == nil {
		c.written.Message(fmt.Appendf(nil, `{"result":%s}`, r.Result))
	}
	return m, err
}

func (*link) TransportName() string { return "" }
func (*link) Fallback() bool        { return false }

func (l *link) Reason() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.reason
}

func (l *link) Close() {
	l.stop()
	l.serving.Wait()
}
