package rpc_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"strconv"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"go.uber.org/goleak"

	"github.com/emendo-dev/emendo/internal/rpc"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// patience is how long a test waits for what must happen. It is never reached
// unless something is broken.
const patience = 20 * time.Second

// handler is a Handler made of functions; what is nil does the simplest thing.
type handler struct {
	notification func(ctx context.Context, method string, params json.RawMessage) error
	request      func(ctx context.Context, method string, params json.RawMessage) (rpc.Work, error)
}

func (h handler) Notification(ctx context.Context, method string, params json.RawMessage) error {
	if h.notification == nil {
		return rpc.ErrMethodNotFound
	}
	return h.notification(ctx, method, params)
}

// Request answers "echo" with its params, whatever else the handler does.
func (h handler) Request(ctx context.Context, method string, params json.RawMessage) (rpc.Work, error) {
	switch {
	case method == "echo":
		return func(context.Context) (any, error) { return params, nil }, nil
	case h.request == nil:
		return nil, rpc.ErrMethodNotFound
	default:
		return h.request(ctx, method, params)
	}
}

// A peer is the other end of a connection, in raw bytes.
type peer struct {
	t       *testing.T
	framing rpc.Framing
	conn    *rpc.Conn
	w       *io.PipeWriter
	r       *io.PipeReader
	in      chan message // everything the connection sends, in order
	ran     chan error   // what Run returned
}

// message is what the connection sends.
type message struct {
	ID     json.RawMessage
	Method string
	Params json.RawMessage
	Result json.RawMessage
	Error  *struct {
		Code    int64
		Message string
		Data    json.RawMessage
	}
}

func (m message) String() string {
	switch {
	case m.Method != "":
		return fmt.Sprintf("%s %s", m.Method, m.Params)
	case m.Error != nil:
		return fmt.Sprintf("%s error %d", m.ID, m.Error.Code)
	default:
		return fmt.Sprintf("%s result %s", m.ID, m.Result)
	}
}

// connect runs a connection with a peer that reads everything it is sent.
func connect(t *testing.T, h rpc.Handler, o rpc.Options) *peer {
	t.Helper()
	p := connectDeaf(t, h, o)
	go p.listen()
	return p
}

// connectDeaf runs a connection with a peer that reads nothing until it listens.
// When the test ends, so does the stream, and the connection must too.
func connectDeaf(t *testing.T, h rpc.Handler, o rpc.Options) *peer {
	t.Helper()
	theirs, ours := io.Pipe()
	from, to := io.Pipe()
	p := &peer{
		t: t, framing: o.Framing, conn: rpc.NewConn(theirs, to, h, o),
		w: ours, r: from, in: make(chan message, 100_000), ran: make(chan error, 1),
	}
	go func() { p.ran <- p.conn.Run(context.WithoutCancel(t.Context())) }() // that context ends before clean-up
	t.Cleanup(func() {
		_ = ours.Close()
		within(t, "the connection to end", p.conn.Done())
	})
	return p
}

// listen reads what the connection sends, to the end.
func (p *peer) listen() {
	defer close(p.in)
	for body := range bodies(p.t, p.r, p.framing) {
		var m message
		if err := json.Unmarshal(body, &m); err != nil || !utf8.Valid(body) {
			p.t.Errorf("the connection sent %q: %v", body, err)
		}
		p.in <- m
	}
}

// send writes bytes as they are.
func (p *peer) send(b string) {
	p.t.Helper()
	if _, err := io.WriteString(p.w, b); err != nil {
		p.t.Errorf("send: %v", err)
	}
}

// sendAll frames the messages and sends them in one write.
func (p *peer) sendAll(messages ...string) {
	p.t.Helper()
	var b strings.Builder
	for _, m := range messages {
		b.WriteString(frame(p.framing, m))
	}
	p.send(b.String())
}

// next returns the next message of the connection.
func (p *peer) next() message {
	p.t.Helper()
	select {
	case m, ok := <-p.in:
		if !ok {
			p.t.Fatal("the connection ended, want a message")
		}
		return m
	case <-time.After(patience):
		p.t.Fatal("no message came")
	}
	panic("unreachable")
}

// want checks what the connection sends next, in any order.
func (p *peer) want(messages ...string) {
	p.t.Helper()
	missing := map[string]int{}
	for _, m := range messages {
		missing[m]++
	}
	for range messages {
		got := p.next().String()
		if missing[got]--; missing[got] < 0 {
			p.t.Fatalf("got %s\nwant one of %q", got, messages)
		}
	}
}

// wantEcho checks that the connection still answers, and sends nothing before.
func (p *peer) wantEcho() {
	p.t.Helper()
	p.sendAll(`{"jsonrpc":"2.0","id":"good","method":"echo","params":[1]}`)
	p.want(`"good" result [1]`)
}

// end returns what Run returned.
func (p *peer) end() error {
	p.t.Helper()
	select {
	case err := <-p.ran:
		return err
	case <-time.After(patience):
		p.t.Fatal("Run does not return")
	}
	panic("unreachable")
}

func within(t *testing.T, what string, done <-chan struct{}) {
	t.Helper()
	select {
	case <-done:
	case <-time.After(patience):
		t.Fatalf("waited in vain for %s", what)
	}
}

func frame(f rpc.Framing, body string) string {
	if f == rpc.Newline {
		return body + "\n"
	}
	return "Content-Length: " + strconv.Itoa(len(body)) + "\r\n\r\n" + body
}

// bodies returns the messages in a stream, by a reading of the framing that is as
// strict as can be.
func bodies(t testing.TB, r io.Reader, f rpc.Framing) func(yield func([]byte) bool) {
	return func(yield func([]byte) bool) {
		var all bytes.Buffer
		chunk := make([]byte, 64<<10)
		for {
			n, err := r.Read(chunk)
			all.Write(chunk[:n])
			for {
				body, ok := cut(t, &all, f)
				if !ok {
					break
				}
				if !yield(body) {
					return
				}
			}
			if err != nil {
				if all.Len() > 0 {
					t.Errorf("the connection left %q behind", all.Bytes())
				}
				return
			}
		}
	}
}

// cut takes the first message out of what has come.
func cut(t testing.TB, all *bytes.Buffer, f rpc.Framing) ([]byte, bool) {
	if f == rpc.Newline {
		i := bytes.IndexByte(all.Bytes(), '\n')
		if i < 0 {
			return nil, false
		}
		return bytes.Clone(all.Next(i + 1)[:i]), true
	}
	head, rest, ok := bytes.Cut(all.Bytes(), []byte("\r\n\r\n"))
	if !ok {
		return nil, false
	}
	var n int
	if c, err := fmt.Sscanf(string(head), "Content-Length: %d", &n); c != 1 {
		t.Errorf("the connection sent the header %q: %v", head, err)
	}
	if len(rest) < n {
		return nil, false
	}
	all.Next(len(head) + 4)
	return bytes.Clone(all.Next(n)), true
}
