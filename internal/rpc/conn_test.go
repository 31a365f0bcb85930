package rpc_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

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

// connect runs a connection with a peer that reads everything it is sent. When the
// test ends, so does the stream, and the connection must too.
func connect(t *testing.T, h rpc.Handler, o rpc.Options) *peer {
	t.Helper()
	theirs, ours := io.Pipe()
	from, to := io.Pipe()
	p := &peer{t: t, framing: o.Framing, conn: rpc.NewConn(theirs, to, h, o), w: ours, in: make(chan message, 100_000), ran: make(chan error, 1)}
	go func() { p.ran <- p.conn.Run(t.Context()) }()
	go p.read(from)
	t.Cleanup(func() {
		_ = ours.Close()
		within(t, "the connection to end", p.conn.Done())
	})
	return p
}

func (p *peer) read(r io.Reader) {
	defer close(p.in)
	for body := range bodies(p.t, r, p.framing) {
		var m message
		if err := json.Unmarshal(body, &m); err != nil {
			p.t.Errorf("the connection sent %q: %v", body, err)
		}
		p.in <- m
	}
}

// send writes bytes as they are, from a goroutine of its own, so that a test can
// go on while the connection takes its time.
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

func TestAnswersCarryTheIDAsItWasSent(t *testing.T) {
	for _, id := range []string{`1`, `0`, `-7`, `9007199254740993`, `9223372036854775807`, `"a"`, `""`, `"1"`, `"é\n\"\\"`} {
		t.Run(id, func(t *testing.T) {
			p := connect(t, handler{}, rpc.Options{})
			p.sendAll(`{"jsonrpc":"2.0","id":` + id + `,"method":"echo","params":{"x":1}}`)
			p.want(id + ` result {"x":1}`)
		})
	}
}

func TestFailuresChooseTheirAnswer(t *testing.T) {
	work := func(result any, err error) func() (rpc.Work, error) {
		return func() (rpc.Work, error) {
			return func(context.Context) (any, error) { return result, err }, nil
		}
	}
	var typedNil *rpc.Error
	for _, tt := range []struct {
		name    string
		request func() (rpc.Work, error)
		want    string
	}{
		{name: "no work is null", request: func() (rpc.Work, error) { return nil, nil }, want: `1 result null`},
		{name: "a nil result is null", request: work(nil, nil), want: `1 result null`},
		{name: "a nil slice is empty", request: work([]string(nil), nil), want: `1 result []`},
		{name: "JSON passes as it is", request: work(json.RawMessage(`{"a": 1}`), nil), want: `1 result {"a": 1}`},
		{name: "an unknown method", request: func() (rpc.Work, error) { return nil, rpc.ErrMethodNotFound }, want: `1 error -32601`},
		{name: "a code of the handler's", request: work(nil, rpc.Errorf(rpc.ContentModified, "old")), want: `1 error -32801`},
		{name: "a wrapped code", request: work(nil, fmt.Errorf("prompt: %w", rpc.ErrRequestFailed)), want: `1 error -32803`},
		{name: "an error without a code", request: work(nil, errors.New("no")), want: `1 error -32603`},
		{name: "a deadline of its own is no cancel", request: work(nil, context.DeadlineExceeded), want: `1 error -32603`},
		{name: "a result that has no JSON", request: work(make(chan int), nil), want: `1 error -32603`},
		{name: "an error that is nil inside", request: work(nil, typedNil), want: `1 error -32603`},
		{name: "a panic while preparing", request: func() (rpc.Work, error) { panic("prepare") }, want: `1 error -32603`},
		{name: "a panic while working", request: func() (rpc.Work, error) {
			return func(context.Context) (any, error) { panic("work") }, nil
		}, want: `1 error -32603`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			h := handler{request: func(context.Context, string, json.RawMessage) (rpc.Work, error) { return tt.request() }}
			p := connect(t, h, rpc.Options{})
			p.sendAll(`{"jsonrpc":"2.0","id":1,"method":"x"}`)
			p.want(tt.want)
			p.wantEcho()
		})
	}
}

func TestErrorsCarryMessageAndData(t *testing.T) {
	h := handler{request: func(context.Context, string, json.RawMessage) (rpc.Work, error) {
		return nil, fmt.Errorf("open \xff: %w", &rpc.Error{Code: rpc.RequestFailed, Message: "no", Data: map[string]any{"code": "auth_required"}})
	}}
	p := connect(t, h, rpc.Options{})
	p.sendAll(`{"jsonrpc":"2.0","id":1,"method":"x"}`)
	got := p.next().Error
	if got == nil || got.Code != rpc.RequestFailed || got.Message != "open \uFFFD: no" || string(got.Data) != `{"code":"auth_required"}` {
		t.Errorf("got %+v", got)
	}
}

func TestNotificationsArriveInOrder(t *testing.T) {
	const many = 20_000
	var got []int
	all := make(chan struct{})
	h := handler{notification: func(_ context.Context, _ string, params json.RawMessage) error {
		var n []int
		if err := json.Unmarshal(params, &n); err != nil {
			return err
		}
		if got = append(got, n...); len(got) == many {
			close(all)
		}
		return nil
	}}
	p := connect(t, h, rpc.Options{})
	messages := make([]string, many)
	for i := range messages {
		messages[i] = fmt.Sprintf(`{"jsonrpc":"2.0","method":"n","params":[%d]}`, i)
	}
	p.sendAll(messages...)
	within(t, "all of them", all)
	for i, n := range got {
		if i != n {
			t.Fatalf("notification %d came as number %d", n, i)
		}
	}
}

// blocker is a handler whose requests run until they are cancelled. It tells of
// each that has begun and each that has ended.
func blocker(begun, ended chan<- string) handler {
	return handler{request: func(_ context.Context, method string, _ json.RawMessage) (rpc.Work, error) {
		return func(ctx context.Context) (any, error) {
			begun <- method
			<-ctx.Done()
			ended <- method
			return nil, ctx.Err()
		}, nil
	}}
}

func TestNoCancelIsMissed(t *testing.T) {
	const many = 2_000
	p := connect(t, blocker(make(chan string, many), make(chan string, many)), rpc.Options{})
	var messages, want []string
	for i := range many {
		messages = append(messages,
			fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"wait"}`, i),
			fmt.Sprintf(`{"jsonrpc":"2.0","method":"$/cancelRequest","params":{"id":%d}}`, i))
		want = append(want, fmt.Sprintf(`%d error -32800`, i))
	}
	p.sendAll(messages...)
	p.want(want...)
}

func TestACancelledRequestMayStillHaveAResult(t *testing.T) {
	cause := make(chan error, 1)
	h := handler{request: func(context.Context, string, json.RawMessage) (rpc.Work, error) {
		return func(ctx context.Context) (any, error) {
			<-ctx.Done()
			cause <- context.Cause(ctx)
			return map[string]string{"stopReason": "cancelled"}, nil
		}, nil
	}}
	p := connect(t, h, rpc.Options{})
	p.sendAll(`{"jsonrpc":"2.0","id":"p","method":"prompt"}`, `{"jsonrpc":"2.0","method":"$/cancelRequest","params":{"id":"p"}}`)
	p.want(`"p" result {"stopReason":"cancelled"}`)
	if err := <-cause; !errors.Is(err, rpc.ErrWithdrawn) {
		t.Errorf("the cause is %v, want %v", err, rpc.ErrWithdrawn)
	}
}

func TestRequestsUnderOneIDAreBothServedAndBothCancelled(t *testing.T) {
	begun, ended := make(chan string, 2), make(chan string, 2)
	p := connect(t, blocker(begun, ended), rpc.Options{})
	p.sendAll(`{"jsonrpc":"2.0","id":1,"method":"a"}`, `{"jsonrpc":"2.0","id":1,"method":"b"}`)
	<-begun
	<-begun
	p.sendAll(`{"jsonrpc":"2.0","method":"$/cancelRequest","params":{"id":1}}`)
	p.want(`1 error -32800`, `1 error -32800`)
	p.wantEcho()
}

func TestTooManyRequestsAreRefused(t *testing.T) {
	begun, ended := make(chan string, 2), make(chan string, 2)
	p := connect(t, blocker(begun, ended), rpc.Options{MaxRunning: 1})
	p.sendAll(`{"jsonrpc":"2.0","id":1,"method":"a"}`, `{"jsonrpc":"2.0","id":2,"method":"b"}`)
	p.want(`2 error -32803`)
	p.sendAll(`{"jsonrpc":"2.0","method":"$/cancelRequest","params":{"id":1}}`)
	p.want(`1 error -32800`)
}

func TestParamsAreTheHandlersToKeep(t *testing.T) {
	var mu sync.Mutex
	var kept []json.RawMessage
	h := handler{notification: func(_ context.Context, _ string, params json.RawMessage) error {
		mu.Lock()
		defer mu.Unlock()
		kept = append(kept, params)
		return nil
	}}
	p := connect(t, h, rpc.Options{})
	p.sendAll(`{"jsonrpc":"2.0","method":"n","params":{"a":1}}`, `{"jsonrpc":"2.0","method":"n","params":["bb"]}`,
		`{"jsonrpc":"2.0","method":"n","params":null}`, `{"jsonrpc":"2.0","method":"n"}`)
	p.wantEcho()
	mu.Lock()
	defer mu.Unlock()
	if got, want := fmt.Sprintf("%s", kept), `[{"a":1} ["bb"]  ]`; got != want {
		t.Errorf("got %s\nwant %s", got, want)
	}
	if kept[2] != nil || kept[3] != nil {
		t.Error("absent params are not nil")
	}
}
