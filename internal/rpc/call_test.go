package rpc_test

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/emendo-dev/emendo/internal/rpc"
)

func TestCallsGetTheirAnswers(t *testing.T) {
	for _, tt := range []struct {
		name   string
		answer string // without its envelope
		want   string
	}{
		{name: "a result", answer: `"result":{"applied":true}`, want: `{"applied":true}`},
		{name: "null", answer: `"result":null`, want: `null`},
		{name: "a result and an empty error", answer: `"result":[1],"error":null`, want: `[1]`},
		{name: "an error", answer: `"error":{"code":-32803,"message":"no","data":{"a":1}}`, want: `error -32803 no {"a":1}`},
		{name: "an error and an empty result", answer: `"result":null,"error":{"code":5,"message":"no"}`, want: `error 5 no`},
		{name: "an error that is a string", answer: `"error":"no"`, want: `error -32603 the peer answered with an error without a message`},
		{name: "an error with an odd code", answer: `"error":{"code":1e300,"message":"no"}`, want: `error -32603 no`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			p := connect(t, handler{}, rpc.Options{})
			got := make(chan string, 1)
			go func() {
				var result json.RawMessage
				err := p.conn.Call(t.Context(), "ask", []int{1}, &result)
				if no := (*rpc.Error)(nil); errors.As(err, &no) {
					data, _ := no.Data.(json.RawMessage)
					got <- strings.TrimSpace("error " + strconv.FormatInt(no.Code, 10) + " " + no.Message + " " + string(data))
					return
				}
				if err != nil {
					t.Errorf("the call failed: %v", err)
				}
				got <- string(result)
			}()
			q := p.next()
			if q.Method != "ask" || string(q.Params) != `[1]` {
				t.Errorf("the peer was asked %s", q)
			}
			p.sendAll(`{"jsonrpc":"2.0","id":` + string(q.ID) + `,` + tt.answer + `}`)
			if got := <-got; got != tt.want {
				t.Errorf("got %s\nwant %s", got, tt.want)
			}
		})
	}
}

func TestWorkMayCallThePeer(t *testing.T) {
	var p *peer
	h := handler{request: func(context.Context, string, json.RawMessage) (rpc.Work, error) {
		return func(ctx context.Context) (any, error) {
			var answer string
			err := p.conn.Call(ctx, "ask", nil, &answer)
			return answer, err
		}, nil
	}}
	p = connect(t, h, rpc.Options{})
	p.sendAll(`{"jsonrpc":"2.0","id":1,"method":"x"}`)
	q := p.next()
	if q.Params != nil {
		t.Errorf("nil params were sent as %s", q.Params)
	}
	p.sendAll(`{"jsonrpc":"2.0","id":` + string(q.ID) + `,"result":"yes"}`)
	p.want(`1 result "yes"`)
}

func TestACallThatIsGivenUpIsWithdrawn(t *testing.T) {
	p := connect(t, handler{}, rpc.Options{})
	ctx, cancel := context.WithCancelCause(t.Context())
	failed := make(chan error, 1)
	go func() { failed <- p.conn.Call(ctx, "ask", nil, nil) }()
	q := p.next()
	why := errors.New("decided elsewhere")
	cancel(why)
	if err := <-failed; !errors.Is(err, why) {
		t.Errorf("the call returned %v, want %v", err, why)
	}
	p.want(`$/cancelRequest {"id":` + string(q.ID) + `}`)
	p.sendAll(`{"jsonrpc":"2.0","id":` + string(q.ID) + `,"result":"too late"}`)
	p.wantEcho()
	if err := p.conn.Call(ctx, "ask", nil, nil); !errors.Is(err, why) {
		t.Errorf("a call that nobody waits for returned %v, want %v", err, why)
	}
	p.wantEcho()
}

func TestAnAnswerOfAnotherTypeIsAnError(t *testing.T) {
	p := connect(t, handler{}, rpc.Options{})
	failed := make(chan error, 1)
	go func() {
		var n int
		failed <- p.conn.Call(t.Context(), "ask", nil, &n)
	}()
	p.sendAll(`{"jsonrpc":"2.0","id":` + string(p.next().ID) + `,"result":"text"}`)
	if err := <-failed; err == nil || !strings.HasPrefix(err.Error(), "call ask: ") {
		t.Errorf("the call returned %v", err)
	}
}

func TestParamsThatHaveNoJSONAreAnError(t *testing.T) {
	p := connect(t, handler{}, rpc.Options{Framing: rpc.Newline})
	if err := p.conn.Notify(t.Context(), "n", make(chan int)); err == nil {
		t.Error("Notify took a channel for params")
	}
	if err := p.conn.Call(t.Context(), "c", json.RawMessage("{\n"), nil); err == nil {
		t.Error("Call took half an object for params")
	}
	p.wantEcho()
}

func TestALineBreakInParamsDoesNotBreakTheFraming(t *testing.T) {
	p := connect(t, handler{}, rpc.Options{Framing: rpc.Newline})
	pretty := json.RawMessage("{\n  \"a\": \"b\\n\"\n}")
	for _, params := range []any{pretty, map[string]json.RawMessage{"x": pretty}} {
		if err := p.conn.Notify(t.Context(), "n", params); err != nil {
			t.Fatal(err)
		}
	}
	p.want(`n {"a":"b\n"}`, `n {"x":{"a":"b\n"}}`)
}

// ends returns two connections that talk to each other. Each answers "twice" with
// twice what it was given, which it asks the other end for: "once".
func ends(t *testing.T, o rpc.Options) (a, b *rpc.Conn) {
	t.Helper()
	ar, bw := io.Pipe()
	br, aw := io.Pipe()
	var running sync.WaitGroup
	h := func(c **rpc.Conn) handler {
		return handler{request: func(_ context.Context, method string, params json.RawMessage) (rpc.Work, error) {
			var n []int
			if err := json.Unmarshal(params, &n); err != nil {
				return nil, rpc.ErrInvalidParams
			}
			if method == "once" {
				return func(context.Context) (any, error) { return n[0], nil }, nil
			}
			return func(ctx context.Context) (any, error) {
				var got int
				err := (*c).Call(ctx, "once", n, &got)
				return 2 * got, err
			}, nil
		}}
	}
	a, b = rpc.NewConn(ar, aw, h(&a), o), rpc.NewConn(br, bw, h(&b), o)
	for _, c := range []*rpc.Conn{a, b} {
		running.Go(func() {
			// That context ends before clean-up. Of calls that were cancelled an answer may
			// be on its way to the end that closed.
			if err := c.Run(context.WithoutCancel(t.Context())); err != nil && !errors.Is(err, io.ErrClosedPipe) {
				t.Errorf("Run returned %v", err)
			}
		})
	}
	t.Cleanup(func() {
		_ = a.Close()
		running.Wait()
	})
	return a, b
}

func TestManyCallsAtOnceInBothDirections(t *testing.T) {
	for _, framing := range []rpc.Framing{rpc.ContentLength, rpc.Newline} {
		a, b := ends(t, rpc.Options{Framing: framing})
		var callers sync.WaitGroup
		for i, c := range []*rpc.Conn{a, b, a, b} {
			callers.Go(func() {
				for n := range 200 {
					ctx, cancel := context.WithCancel(t.Context())
					if n%5 == i {
						callers.Go(cancel) // whether it comes in time or not
					}
					var got int
					err := c.Call(ctx, "twice", []int{n}, &got)
					if (err != nil || got != 2*n) && !errors.Is(err, context.Canceled) {
						t.Errorf("twice %d is %d, %v", n, got, err)
					}
					cancel()
				}
			})
		}
		callers.Wait()
		if err := a.Call(t.Context(), "twice", []int{1}, nil); err != nil {
			t.Errorf("a call for nothing failed: %v", err)
		}
	}
}
