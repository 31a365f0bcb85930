package rpc_test

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/emendo-dev/emendo/internal/rpc"
)

func TestClosingCancelsWorkAndSendsFinalUpdates(t *testing.T) {
	for _, tt := range []struct {
		name string
		end  func(p *peer, stop context.CancelFunc)
		want error
	}{
		{name: "the stream ends", end: func(p *peer, _ context.CancelFunc) { _ = p.w.Close() }},
		{name: "the connection is closed", end: func(p *peer, _ context.CancelFunc) { _ = p.conn.Close() }},
		{name: "the context ends", end: func(_ *peer, stop context.CancelFunc) { stop() }, want: context.Canceled},
	} {
		t.Run(tt.name, func(t *testing.T) {
			ctx, stop := context.WithCancel(t.Context())
			defer stop()
			theirs, ours := io.Pipe()
			from, to := io.Pipe()
			begun, call := make(chan struct{}), make(chan error, 1)
			p := &peer{t: t, w: ours, r: from, in: make(chan message, 10), ran: make(chan error, 1)}
			h := handler{request: func(context.Context, string, json.RawMessage) (rpc.Work, error) {
				return func(ctx context.Context) (any, error) {
					close(begun)
					outlast := context.WithoutCancel(ctx)
					call <- p.conn.Call(outlast, "ask", nil, nil)
					<-ctx.Done()
					return nil, errors.Join(p.conn.Notify(outlast, "last", nil), context.Cause(ctx))
				}, nil
			}}
			p.conn = rpc.NewConn(theirs, to, h, rpc.Options{})
			go func() { p.ran <- p.conn.Run(ctx) }()
			go p.listen()

			p.sendAll(`{"jsonrpc":"2.0","id":1,"method":"x"}`)
			<-begun
			q := p.next()
			tt.end(p, stop)
			if err := p.end(); !errors.Is(err, tt.want) {
				t.Errorf("Run returned %v, want %v", err, tt.want)
			}
			if err := <-call; !errors.Is(err, rpc.ErrClosed) {
				t.Errorf("the call returned %v, want %v", err, rpc.ErrClosed)
			}
			p.want(`$/cancelRequest {"id":`+string(q.ID)+`}`, `last `, `1 error -32800`)
			within(t, "Done", p.conn.Done())

			if err := p.conn.Notify(t.Context(), "n", nil); !errors.Is(err, rpc.ErrClosed) {
				t.Errorf("Notify after the end returned %v", err)
			}
			if err := p.conn.Call(t.Context(), "n", nil, nil); !errors.Is(err, rpc.ErrClosed) {
				t.Errorf("Call after the end returned %v", err)
			}
			if err := p.conn.Run(t.Context()); err == nil {
				t.Error("Run ran again")
			}
		})
	}
}

func TestAHandlerMayClose(t *testing.T) {
	var p *peer
	h := handler{notification: func(_ context.Context, method string, _ json.RawMessage) error {
		return p.conn.Close()
	}}
	p = connect(t, h, rpc.Options{})
	p.sendAll(`{"jsonrpc":"2.0","method":"exit"}`)
	if err := p.end(); err != nil {
		t.Errorf("Run returned %v", err)
	}
}

// stuck is a stream that nothing interrupts, as an inherited pipe may be, until
// the test lets go of it.
type stuck struct{ free chan struct{} }

func (s stuck) Read([]byte) (int, error)  { <-s.free; return 0, io.EOF }
func (s stuck) Write([]byte) (int, error) { <-s.free; return 0, io.ErrClosedPipe }

func TestTheEndComesWithinASecond(t *testing.T) {
	for _, tt := range []struct {
		name string
		run  func(t *testing.T, s stuck) *rpc.Conn // returns once the connection is busy
	}{
		{name: "while a read is blocked", run: func(t *testing.T, s stuck) *rpc.Conn {
			c := rpc.NewConn(s, io.Discard, handler{}, rpc.Options{})
			return c
		}},
		{name: "while a write is blocked", run: func(t *testing.T, s stuck) *rpc.Conn {
			c := rpc.NewConn(s, s, handler{}, rpc.Options{})
			if err := c.Notify(t.Context(), "n", nil); err != nil {
				t.Error(err)
			}
			return c
		}},
		{name: "while work does not listen", run: func(t *testing.T, s stuck) *rpc.Conn {
			in, out := io.Pipe()
			go func() { _, _ = io.WriteString(out, frame(rpc.ContentLength, `{"jsonrpc":"2.0","id":1,"method":"x"}`)) }()
			return rpc.NewConn(in, io.Discard, handler{request: func(context.Context, string, json.RawMessage) (rpc.Work, error) {
				return func(context.Context) (any, error) { <-s.free; return nil, nil }, nil
			}}, rpc.Options{})
		}},
		{name: "while a notification does not listen", run: func(t *testing.T, s stuck) *rpc.Conn {
			in, out := io.Pipe()
			go func() { _, _ = io.WriteString(out, frame(rpc.ContentLength, `{"jsonrpc":"2.0","method":"x"}`)) }()
			return rpc.NewConn(in, io.Discard, handler{notification: func(context.Context, string, json.RawMessage) error {
				<-s.free
				return nil
			}}, rpc.Options{})
		}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s := stuck{free: make(chan struct{})}
				c := tt.run(t, s)
				go func() { _ = c.Run(t.Context()) }()
				synctest.Wait() // everything that can block has blocked
				start := time.Now()
				_ = c.Close()
				<-c.Done()
				if took := time.Since(start); took > time.Second {
					t.Errorf("Run took %v to end", took)
				}
				close(s.free)
			})
		})
	}
}

func TestAWriteErrorEndsTheConnection(t *testing.T) {
	begun, ended := make(chan string, 1), make(chan string, 1)
	p := connectDeaf(t, blocker(begun, ended), rpc.Options{})
	p.sendAll(`{"jsonrpc":"2.0","id":1,"method":"wait"}`)
	<-begun
	gone := errors.New("the editor is gone")
	_ = p.r.CloseWithError(gone)
	if err := p.conn.Notify(t.Context(), "n", nil); err != nil {
		t.Fatal(err)
	}
	<-ended
	if err := p.end(); !errors.Is(err, gone) {
		t.Errorf("Run returned %v, want %v", err, gone)
	}
	if err := p.conn.Notify(t.Context(), "n", nil); !errors.Is(err, rpc.ErrClosed) || !errors.Is(err, gone) {
		t.Errorf("Notify returned %v, want %v and %v", err, rpc.ErrClosed, gone)
	}
}

// A reader that returns the cause of a context, as the body of a response does, would take
// io.EOF for the end of a whole text.
func TestTheEndOfTheStreamIsNoCauseEOF(t *testing.T) {
	c := rpc.NewConn(strings.NewReader(""), io.Discard, handler{}, rpc.Options{})
	if err := c.Run(t.Context()); err != nil {
		t.Error(err)
	}
	if cause := context.Cause(c.Life()); !errors.Is(cause, rpc.ErrClosed) || errors.Is(cause, io.EOF) {
		t.Errorf("the cause is %v", cause)
	}
}
