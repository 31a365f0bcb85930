package rpc_test

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/emendo-dev/emendo/internal/rpc"
)

const goodRequest = `{"jsonrpc":"2.0","id":"good","method":"echo","params":["\u00e9"]}`

// FuzzStream sends anything behind a good request. The good one must be answered,
// the connection must end with the stream, and all it sends must be messages.
func FuzzStream(f *testing.F) {
	for _, tt := range hostile {
		if len(tt.header)+len(tt.message) > 10_000 {
			continue
		}
		body := tt.header
		if tt.message != "" {
			body += frame(rpc.ContentLength, tt.message)
		}
		f.Add(body)
	}
	f.Add("Content-Length: 12\r\n\r\n{\"json")
	f.Fuzz(func(t *testing.T, junk string) {
		sent := converse(t, rpc.ContentLength, frame(rpc.ContentLength, goodRequest)+junk)
		wantAnswers(t, sent, 1)
	})
}

// FuzzLines does the same where a line is a message. There a good request behind
// the junk must be answered too.
func FuzzLines(f *testing.F) {
	for _, tt := range hostile {
		if tt.header == "" && len(tt.message) < 10_000 {
			f.Add(tt.message)
		}
	}
	good := frame(rpc.Newline, goodRequest)
	f.Fuzz(func(t *testing.T, junk string) {
		sent := converse(t, rpc.Newline, good+junk+"\n"+good)
		wantAnswers(t, sent, 2)
	})
}

// converse returns what a connection sends that is sent all of input.
func converse(t *testing.T, f rpc.Framing, input string) []message {
	t.Helper()
	var out bytes.Buffer
	c := rpc.NewConn(strings.NewReader(input), &out, touchy, rpc.Options{Framing: f, MaxMessage: 100_000, Grace: time.Minute}.WithLineBuffer(1_000))
	_ = c.Run(t.Context()) // input may well end inside a message
	var sent []message
	for body := range bodies(t, &out, f) {
		var m message
		if err := json.Unmarshal(body, &m); err != nil {
			t.Errorf("the connection sent %q: %v", body, err)
		}
		sent = append(sent, m)
	}
	return sent
}

// wantAnswers checks that the good request was answered at least so many times:
// the junk may be one, too.
func wantAnswers(t *testing.T, sent []message, least int) {
	t.Helper()
	n := 0
	for _, m := range sent {
		if m.Method != "" {
			t.Errorf("the connection sent %s", m)
		}
		if string(m.ID) == `"good"` && m.Error == nil {
			n++
		}
	}
	if n < least {
		t.Errorf("%d good answers in %v, want %d", n, sent, least)
	}
}
