package bench

import (
	"bytes"
	"fmt"
	"io"
	"net"
	"net/http"
	"strconv"
	"testing"
	"time"
)

// A request to the model.
type request struct {
	read time.Time // when all of it had arrived
	body []byte    // nil unless bodies are kept
}

// modelServer is a fast Gemini API on loopback whose answers each figure sets.
type modelServer struct {
	url      string
	requests chan request
	answer   func(*answer) // to every request; set before it arrives
	keep     bool          // bodies
}

// manyRequests is more than any figure sends.
const manyRequests = 1 << 14

func newModel(tb testing.TB) *modelServer {
	tb.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		tb.Fatal(err)
	}
	m := &modelServer{url: "http://" + l.Addr().String(), requests: make(chan request, manyRequests), answer: (*answer).done}
	s := &http.Server{Handler: m, ReadHeaderTimeout: time.Minute}
	served := make(chan struct{})
	go func() { defer close(served); _ = s.Serve(l) }()
	tb.Cleanup(func() { s.Close(); <-served })
	return m
}

// ServeHTTP implements [http.Handler].
func (m *modelServer) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	into := io.Discard
	var body bytes.Buffer
	if m.keep {
		into = &body
	}
	if _, err := io.Copy(into, r.Body); err != nil {
		return
	}
	m.requests <- request{time.Now(), body.Bytes()}
	w.Header().Set("Content-Type", "text/event-stream")
	a := &answer{w: w, gone: r.Context().Done()}
	m.answer(a)
	a.flush()
}

// answer writes the answer to one request.
type answer struct {
	w    http.ResponseWriter
	gone <-chan struct{}
	buf  []byte
}

const (
	usage  = `"usageMetadata":{"promptTokenCount":10,"candidatesTokenCount":2,"totalTokenCount":12},"modelVersion":"gemini-2.5-pro","responseId":"r"`
	finish = `"finishReason":"STOP",`
)

// part sends an event of one part, as JSON.
func (a *answer) part(json, finish string) {
	a.buf = fmt.Appendf(a.buf, "data: {\"candidates\":[{\"content\":{\"parts\":[%s],\"role\":\"model\"},%s\"index\":0}],%s}\r\n\r\n", json, finish, usage)
	if len(a.buf) > 32<<10 {
		a.flush()
	}
}

// say sends text.
func (a *answer) say(text string) { a.part(`{"text":`+strconv.Quote(text)+`}`, "") }

// done ends the answer.
func (a *answer) done() { a.part(`{"text":"."}`, finish) }

// call calls a tool and ends the answer.
func (a *answer) call(name, args string) {
	a.part(`{"functionCall":{"name":"`+name+`","args":`+args+`}}`, finish)
}

func (a *answer) flush() {
	if len(a.buf) == 0 {
		return
	}
	_, _ = a.w.Write(a.buf) // other code notices a client that is gone
	a.buf = a.buf[:0]
	if f, ok := a.w.(http.Flusher); ok {
		f.Flush()
	}
}
