package rpc_test

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"strings"
	"testing"

	"github.com/emendo-dev/emendo/internal/rpc"
)

// Errors in parameters use the parameters' names.
func TestInvalidParameters(t *testing.T) {
	type params struct {
		Decisions []struct {
			Text *string `json:"text"`
		} `json:"decisions"`
		Comment string `json:"comment"`
	}
	for raw, want := range map[string]string{
		`[1]`:                           "invalid params: unexpected JSON array, want an object",
		`{"decisions":[{"text":7}]}`:    "invalid params: decisions.text: unexpected JSON number",
		`{"decisions":[],"comment":{}}`: "invalid params: comment: unexpected JSON object",
	} {
		if _, err := rpc.Decode[params]([]byte(raw)); err == nil || err.Error() != want {
			t.Errorf("%s: got %v, want %s", raw, err, want)
		}
	}
}

// TestTasks: a task that panics ends alone, and none starts after the end.
func TestTasks(t *testing.T) {
	bug := errors.New("a bug")
	x := rpc.NewConn(strings.NewReader(""), io.Discard, handler{}, rpc.Options{Bug: bug})
	if err := x.Contain(func() error { panic("oh") }); !errors.Is(err, bug) {
		t.Errorf("a panic is %v", err)
	}
	ran := make(chan struct{})
	if !x.Go(func() { close(ran); panic("oh") }) {
		t.Error("a task did not start")
	}
	<-ran
	_ = x.Close()
	x.Wait()
	if x.Go(func() { t.Error("a task started after the end") }) || x.Life().Err() == nil {
		t.Error("the tasks have not ended")
	}
}

// What follows an answer is sent after it, and a peer may cancel by another method.
func TestAnotherCancelAndWhatFollowsAnAnswer(t *testing.T) {
	var p *peer
	h := handler{request: func(context.Context, string, json.RawMessage) (rpc.Work, error) {
		return func(ctx context.Context) (any, error) {
			<-ctx.Done()
			return rpc.Then{Result: "stopped", Do: func() { _ = p.conn.Notify(context.Background(), "after", nil) }}, nil
		}, nil
	}}
	p = connectDeaf(t, h, rpc.Options{Framing: rpc.Newline, Cancel: rpc.Cancel{Method: "$/cancel_request", Param: "requestId"}})
	go p.listen()
	p.sendAll(`{"jsonrpc":"2.0","id":1,"method":"wait"}`, `{"jsonrpc":"2.0","method":"$/cancel_request","params":{"requestId":1}}`)
	p.want(`1 result "stopped"`, `after `)
}
