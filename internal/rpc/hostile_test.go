package rpc_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/emendo-dev/emendo/internal/rpc"
)

// hostile lists invalid input that a peer can send, with the expected answers. The
// connection must keep working after each.
var hostile = []struct {
	name    string
	header  string // stands before the messages as it is; for Content-Length framing alone
	message string // framed
	want    string // the answer; none when empty
}{
	{name: "bad JSON", message: `{"jsonrpc":"2.0","id":1,"method":`, want: `null error -32700`},
	{name: "bad JSON in the params of a request", message: `{"jsonrpc":"2.0","id":1,"method":"echo","params":{"a":[}}`, want: `1 error -32700`},
	{name: "bad JSON in an answer", message: `{"jsonrpc":"2.0","id":1,"result":{"a":[}}`, want: `null error -32700`},
	{name: "two messages in one", message: `{"jsonrpc":"2.0","method":"n"} {"jsonrpc":"2.0","method":"n"}`, want: `null error -32700`},
	{name: "JSON nested too deep", message: `{"jsonrpc":"2.0","id":1,"method":"echo","params":` + strings.Repeat("[", 20_000) + strings.Repeat("]", 20_000) + `}`, want: `1 error -32700`},
	{name: "a number", message: `5`, want: `null error -32600`},
	{name: "null", message: `null`, want: `null error -32600`},
	{name: "an empty object", message: `{}`, want: `null error -32600`},
	{name: "no jsonrpc", message: `{"id":1,"method":"echo"}`, want: `1 error -32600`},
	{name: "another jsonrpc", message: `{"jsonrpc":"1.0","id":"a","method":"echo"}`, want: `"a" error -32600`},
	{name: "no method", message: `{"jsonrpc":"2.0","id":3}`, want: `3 error -32600`},
	{name: "a method that is no string", message: `{"jsonrpc":"2.0","id":3,"method":3}`, want: `3 error -32600`},
	{name: "a request that is an answer", message: `{"jsonrpc":"2.0","id":3,"method":"echo","result":3}`, want: `3 error -32600`},
	{name: "a fractional id", message: `{"jsonrpc":"2.0","id":1.5,"method":"echo"}`, want: `1.5 error -32600`},
	{name: "an id above 64 bits", message: `{"jsonrpc":"2.0","id":9223372036854775808,"method":"echo"}`, want: `9223372036854775808 error -32600`},
	{name: "an id that is an object", message: `{"jsonrpc":"2.0","id":{},"method":"echo"}`, want: `null error -32600`},
	{name: "an empty batch", message: `[]`, want: `null error -32600`},
	{name: "a batch", message: `[{"jsonrpc":"2.0","id":1,"method":"echo"},{"jsonrpc":"2.0","method":"n"}]`, want: `null error -32600`},
	{name: "an answer to nothing", message: `{"jsonrpc":"2.0","id":77,"result":null}`},
	{name: "an answer without an id", message: `{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"?"}}`},
	{name: "an answer under an id that is a string", message: `{"jsonrpc":"2.0","id":"1","result":1}`},
	{name: "an answer that is a result and an error", message: `{"jsonrpc":"2.0","id":78,"result":1,"error":{"code":1,"message":"?"}}`},
	{name: "invalid UTF-8 in the params", message: "{\"jsonrpc\":\"2.0\",\"method\":\"n\",\"params\":[\"\xff\xfe\"]}"},
	{name: "invalid UTF-8 in the method", message: "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"\xff\"}", want: `1 error -32601`},
	{name: "invalid UTF-8 outside a string", message: "\xff{}", want: `null error -32700`},
	{name: "NUL bytes", message: "\x00\x00", want: `null error -32700`},
	{name: "an unknown request", message: `{"jsonrpc":"2.0","id":1,"method":"$/x"}`, want: `1 error -32601`},
	{name: "an unknown notification", message: `{"jsonrpc":"2.0","method":"x/y"}`},
	{name: "an unknown notification of the protocol", message: `{"jsonrpc":"2.0","method":"$/x","params":1}`},
	{name: "a notification with bad params", message: `{"jsonrpc":"2.0","method":"strict","params":[]}`},
	{name: "a notification without params", message: `{"jsonrpc":"2.0","method":"strict"}`},
	{name: "a notification that panics", message: `{"jsonrpc":"2.0","method":"panic"}`},
	{name: "a request under the id null", message: `{"jsonrpc":"2.0","id":null,"method":"echo"}`},
	{name: "a cancel of null", message: `{"jsonrpc":"2.0","method":"$/cancelRequest","params":{"id":null}}`},
	{name: "a cancel of a fraction", message: `{"jsonrpc":"2.0","method":"$/cancelRequest","params":{"id":1.5}}`},
	{name: "a cancel above 31 bits", message: `{"jsonrpc":"2.0","method":"$/cancelRequest","params":{"id":2147483648}}`},
	{name: "a cancel above 64 bits", message: `{"jsonrpc":"2.0","method":"$/cancelRequest","params":{"id":99999999999999999999}}`},
	{name: "a cancel of a string", message: `{"jsonrpc":"2.0","method":"$/cancelRequest","params":{"id":"x"}}`},
	{name: "a cancel of a list", message: `{"jsonrpc":"2.0","method":"$/cancelRequest","params":{"id":[1]}}`},
	{name: "a cancel with a list for params", message: `{"jsonrpc":"2.0","method":"$/cancelRequest","params":[1]}`},
	{name: "a cancel without params", message: `{"jsonrpc":"2.0","method":"$/cancelRequest"}`},
	{name: "a message over the limit", message: `{"jsonrpc":"2.0","id":5,"method":"echo","params":"` + strings.Repeat("x", 200_000) + `"}`, want: `5 error -32600`},
	{name: "a message over the limit, its id at the end", message: `{"jsonrpc":"2.0","method":"echo","params":"` + strings.Repeat("x", 200_000) + `","id":5}`, want: `null error -32600`},
	{name: "a message over the limit of nothing", message: strings.Repeat(" x", 100_000), want: `null error -32600`},

	{name: "a blank line first", header: "\r\n"},
	{name: "many blank lines", header: "\n\r\n\n\n"},
	{name: "stray text on a line of its own", header: "Last login: today\r\nuser@host $ echo\n"},
	{name: "stray text on the line of the header", header: "a shell says hello "},
	{name: "a header without a length", header: "Content-Type: application/json\r\n\r\n"},
	{name: "length 0", header: "Content-Length: 0\r\n\r\n", want: `null error -32700`},
	{name: "length 0 and a body", header: "Content-Length: 0\r\n\r\n{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"echo\"}", want: `null error -32700`},
	{name: "a negative length", header: "Content-Length: -5\r\n\r\n", want: `null error -32700`},
	{name: "a negative length and a body", header: "Content-Length: -5\r\n\r\n{\"a\":1}", want: `null error -32700`},
	{name: "a length that is no number", header: "Content-Length: many\r\n\r\n", want: `null error -32700`},
	{name: "a length without a number", header: "Content-Length:\r\n\r\n", want: `null error -32700`},
	{name: "a length above 64 bits", header: "Content-Length: 99999999999999999999\r\n\r\n", want: `null error -32700`},
	{name: "an oversized header", header: "X-Long: " + strings.Repeat("x", 300_000) + "\r\n"},
	{name: "an oversized header without a name", header: strings.Repeat("x", 300_000) + "\r\n"},
	{name: "an oversized run of junk on the line of the header", header: strings.Repeat("{x", 150_000)},
	{name: "very many fields", header: strings.Repeat("X: y\r\n", 100_000)},
	{name: "another field first", header: "content-type: application/vscode-jsonrpc; charset=utf-8\r\n"},
	{name: "two lengths, the last one right", header: "Content-Length: 7\r\n"},
	{name: "the length in another field", header: "Content-Length: 40\r\nX-Note: Content-Length: 7\r\n\r\n{\"jsonrpc\":\"2.0\",\"id\":8,\"method\":\"echo\"}", want: `8 result null`},
	{name: "a header that begins where the read buffer ends", header: strings.Repeat("{", 4*64<<10-7)},
}

// touchy refuses notifications as handlers do.
var touchy = handler{notification: func(_ context.Context, method string, params json.RawMessage) error {
	switch method {
	case "panic":
		panic("notification")
	case "strict":
		var p struct{ A int }
		if err := json.Unmarshal(params, &p); err != nil {
			return fmt.Errorf("%w: %w", rpc.ErrInvalidParams, err)
		}
		return nil
	default:
		return rpc.ErrMethodNotFound
	}
}}

func TestBadInputAffectsNoOtherMessage(t *testing.T) {
	for _, framing := range []struct {
		name string
		rpc.Framing
	}{{"header", rpc.ContentLength}, {"newline", rpc.Newline}} {
		for _, tt := range hostile {
			if tt.header != "" && framing.Framing == rpc.Newline {
				continue
			}
			t.Run(framing.name+"/"+tt.name, func(t *testing.T) {
				p := connect(t, touchy, rpc.Options{Framing: framing.Framing, MaxMessage: 100_000})
				p.send(tt.header)
				if tt.message != "" {
					p.sendAll(tt.message)
				}
				if tt.want != "" {
					p.want(tt.want)
				}
				p.wantEcho()
				_ = p.w.Close()
				if err := p.end(); err != nil {
					t.Errorf("Run returned %v", err)
				}
			})
		}
	}
}

func TestAnUnfinishedMessageEndsTheConnection(t *testing.T) {
	for _, tt := range []struct {
		name    string
		framing rpc.Framing
		text    string
		want    string // part of what Run returns; nil when empty
	}{
		{name: "nothing at all"},
		{name: "only blank lines", text: "\r\n\r\n"},
		{name: "only stray text", text: "hello\r\n"},
		{name: "half a header", text: "Content-Le", want: "inside a message"},
		{name: "a header without its blank line", text: "Content-Length: 12\r\n", want: "inside a message"},
		{name: "a header without a message", text: "Content-Length: 12\r\n\r\n", want: "inside a message"},
		{name: "half a message", text: "Content-Length: 12\r\n\r\n{\"json", want: "inside a message"},
		{name: "the promise of a long message", text: "Content-Length: 60000000\r\n\r\n{", want: "inside a message"},
		{name: "half a message over the limit", text: "Content-Length: 99999999999\r\n\r\n{", want: "inside a message"},
		{name: "half a line", framing: rpc.Newline, text: `{"jsonrpc"`, want: "inside a message"},
		{name: "only blank lines of lines", framing: rpc.Newline, text: "\n \r\n\t"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			begun, ended := make(chan string, 1), make(chan string, 1)
			p := connect(t, blocker(begun, ended), rpc.Options{Framing: tt.framing})
			p.sendAll(`{"jsonrpc":"2.0","id":1,"method":"wait"}`)
			<-begun
			p.send(tt.text)
			_ = p.w.Close()
			err := p.end()
			if tt.want == "" && err != nil || tt.want != "" && (err == nil || !strings.Contains(err.Error(), tt.want)) {
				t.Errorf("Run returned %v, want %q", err, tt.want)
			}
			<-ended
			p.want(`1 error -32800`)
		})
	}
}

func TestReadErrorsEndTheConnection(t *testing.T) {
	p := connect(t, handler{}, rpc.Options{})
	broken := errors.New("the cable is out")
	_ = p.w.CloseWithError(broken)
	if err := p.end(); !errors.Is(err, broken) {
		t.Errorf("Run returned %v, want %v", err, broken)
	}
}
