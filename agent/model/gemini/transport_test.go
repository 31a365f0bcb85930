package gemini_test

import (
	"context"
	"io"
	"net/http"
	"testing"
	"testing/synctest"
	"time"

	"github.com/emendo-dev/emendo/agent/model"
	"github.com/emendo-dev/emendo/agent/model/gemini"
	"github.com/emendo-dev/emendo/agent/model/transport"
)

// wire is a server inside the bubble: it plays steps onto a pipe.
type wire []step

// step waits, then sends.
type step struct {
	wait time.Duration
	send string
}

const (
	word  = `data: {"candidates":[{"content":{"parts":[{"text":"a"}]}}]}` + "\n\n"
	final = `data: {"candidates":[{"finishReason":"STOP"}]}` + "\n\n"
)

// RoundTrip answers after the first step's wait, and never if there are no steps.
func (w wire) RoundTrip(req *http.Request) (*http.Response, error) {
	ctx := req.Context()
	if len(w) == 0 {
		<-ctx.Done()
		return nil, ctx.Err()
	}
	r, out := io.Pipe()
	context.AfterFunc(ctx, func() { out.CloseWithError(ctx.Err()) })
	go func() {
		for _, s := range w {
			select {
			case <-time.After(s.wait):
			case <-ctx.Done():
				return
			}
			if _, err := io.WriteString(out, s.send); err != nil {
				return
			}
		}
		<-ctx.Done() // the connection stays
	}()
	return &http.Response{StatusCode: 200, Header: http.Header{"Content-Type": {"text/event-stream"}}, Body: r, Request: req}, nil
}

func TestSilenceEndsAStream(t *testing.T) {
	comment := ": still here\n"
	for _, tt := range []struct {
		name  string
		wire  wire
		took  time.Duration
		says  string // empty: the answer is whole
		think time.Duration
	}{
		{name: "no headers", wire: nil, took: 300 * time.Second, says: "no response within 5m0s"},
		{name: "headers, and no event", wire: wire{{0, ""}}, took: 300 * time.Second, says: "no response within 5m0s"},
		{name: "comments are not an answer", wire: wire{{100 * time.Second, comment}, {150 * time.Second, comment}, {100 * time.Second, word}}, took: 300 * time.Second, says: "no response within 5m0s"},
		{name: "a first word just in time", wire: wire{{299 * time.Second, word}, {119 * time.Second, word}, {119 * time.Second, final}}, took: (299 + 119 + 119 + 5) * time.Second},
		{name: "a stall after a word", wire: wire{{time.Second, word}}, took: 121 * time.Second, says: "the response stalled for 2m0s"},
		{name: "a stall kept up by comments", wire: wire{{time.Second, word}, {100 * time.Second, comment}, {100 * time.Second, word}}, took: 121 * time.Second, says: "the response stalled for 2m0s"},
		{name: "a long event in pieces", wire: wire{{time.Second, word[:20]}, {119 * time.Second, word[20:40]}, {119 * time.Second, word[40:]}, {119 * time.Second, final}}, took: (1 + 3*119 + 5) * time.Second},
		{name: "a reader that takes its time", wire: wire{{time.Second, word}, {time.Second, word}, {time.Second, final}}, think: time.Hour, took: 2*time.Hour + 6*time.Second},
	} {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				g, err := gemini.New(gemini.Options{APIKey: "k", Way: transport.Options{HTTP: tt.wire}})
				if err != nil {
					t.Fatal(err)
				}
				started := time.Now()
				var last error
				for c, err := range g.Stream(t.Context(), ask("gemini-2.5-pro", "hi")) {
					last = err
					if len(c.Parts) > 0 && tt.think > 0 {
						<-time.After(tt.think)
					}
				}
				if took := time.Since(started); took != tt.took {
					t.Errorf("took %v, want %v", took, tt.took)
				}
				if tt.says == "" {
					if last != nil {
						t.Errorf("ended with %v", last)
					}
					return
				}
				if e := wantError(t, last, model.Cut); e.Message != tt.says {
					t.Errorf("says %q, want %q", e.Message, tt.says)
				}
			})
		})
	}
}
