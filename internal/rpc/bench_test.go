package rpc_test

import (
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"testing"

	"github.com/emendo-dev/emendo/internal/rpc"
)

// update is a message of about 100 bytes, such as a turn has thousands of.
type update struct {
	Token string `json:"token"`
	Value struct {
		Kind    string `json:"kind"`
		Message string `json:"message"`
	} `json:"value"`
}

func newUpdate() update {
	u := update{Token: "a-token"}
	u.Value.Kind, u.Value.Message = "report", "reading main.go"
	return u
}

// BenchmarkRelay sends updates to a peer that reads as fast as it can.
func BenchmarkRelay(b *testing.B) {
	for _, bb := range []struct {
		name   string
		params any
	}{
		{"typed", newUpdate()},
		{"raw", json.RawMessage(`{"token":"a-token","value":{"kind":"report","message":"reading main.go"}}`)},
	} {
		b.Run(bb.name, func(b *testing.B) {
			in, out := io.Pipe()
			from, to := io.Pipe()
			c := rpc.NewConn(in, to, handler{}, rpc.Options{})
			go func() { _, _ = io.Copy(io.Discard, from) }()
			go func() { _ = c.Run(b.Context()) }()
			b.ReportAllocs()
			for b.Loop() {
				if err := c.Notify(b.Context(), "$/progress", bb.params); err != nil {
					b.Fatal(err)
				}
			}
			if err := c.Drain(b.Context()); err != nil {
				b.Fatal(err)
			}
			_ = out.Close()
			<-c.Done()
		})
	}
}

// BenchmarkFloor is BenchmarkRelay done by hand: one encode and one write each.
func BenchmarkFloor(b *testing.B) {
	from, to := io.Pipe()
	go func() { _, _ = io.Copy(io.Discard, from) }()
	type envelope struct {
		JSONRPC string `json:"jsonrpc"`
		Method  string `json:"method"`
		Params  update `json:"params"`
	}
	b.ReportAllocs()
	for b.Loop() {
		body, err := json.Marshal(envelope{"2.0", "$/progress", newUpdate()})
		if err != nil {
			b.Fatal(err)
		}
		if _, err := fmt.Fprintf(to, "Content-Length: %d\r\n\r\n%s", len(body), body); err != nil {
			b.Fatal(err)
		}
	}
	_ = to.Close()
}

// BenchmarkCall asks the peer and waits for its answer.
func BenchmarkCall(b *testing.B) {
	from, ours := io.Pipe()
	theirs, to := io.Pipe()
	a := rpc.NewConn(from, to, handler{}, rpc.Options{})
	z := rpc.NewConn(theirs, ours, handler{}, rpc.Options{})
	go func() { _ = a.Run(b.Context()) }()
	go func() { _ = z.Run(b.Context()) }()
	b.ReportAllocs()
	for b.Loop() {
		if err := a.Call(b.Context(), "echo", newUpdate(), nil); err != nil {
			b.Fatal(err)
		}
	}
	_ = a.Close()
	<-a.Done()
	<-z.Done()
}

// BenchmarkReceive takes in a file of 1 MB, as an editor sends it that knows no
// incremental changes.
func BenchmarkReceive(b *testing.B) {
	text, err := json.Marshal(strings.Repeat("\tif err != nil {\n\t\treturn \"no\", err\n\t}\n", 25_000))
	if err != nil {
		b.Fatal(err)
	}
	request := frame(rpc.ContentLength, `{"jsonrpc":"2.0","id":1,"method":"size","params":[`+string(text)+`]}`)
	in, out := io.Pipe()
	from, to := io.Pipe()
	c := rpc.NewConn(in, to, handler{}, rpc.Options{})
	go func() { _ = c.Run(b.Context()) }()
	answer := make([]byte, 1_000)
	b.SetBytes(int64(len(request)))
	for b.Loop() {
		if _, err := io.WriteString(out, request); err != nil {
			b.Fatal(err)
		}
		if _, err := from.Read(answer); err != nil {
			b.Fatal(err)
		}
	}
	_ = out.Close()
	<-c.Done()
}
