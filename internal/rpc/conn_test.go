package rpc_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"sync"
	"testing"

	"go.lsp.dev/jsonrpc2"

	"github.com/emendo-dev/emendo/internal/rpc"
)

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
		{name: "a wrapped code", request: work(nil, fmt.Errorf("prompt: %w", rpc.Errorf(rpc.RequestFailed, "the request failed"))), want: `1 error -32803`},
		{name: "an error without a code", request: work(nil, errors.New("no")), want: `1 error -32603`},
		{name: "a deadline of its own is no cancel", request: work(nil, context.DeadlineExceeded), want: `1 error -32603`},
		{name: "a result that has no JSON", request: work(make(chan int), nil), want: `1 error -32603`},
		{name: "an error that is nil inside", request: work(nil, typedNil), want: `1 error -32603`},
		{name: "an error of the library's", request: work(nil, fmt.Errorf("decode: %w", jsonrpc2.ErrInvalidParams)), want: `1 error -32602`},
		{name: "data that has no JSON", request: work(nil, &rpc.Error{Code: rpc.RequestFailed, Data: make(chan int)}), want: `1 error -32803`},
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
