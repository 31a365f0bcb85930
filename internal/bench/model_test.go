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
	read time.Time // when all of it had come
	body []byte    // nil unless bodies are kept
}

// modelServer is a Gemini API on loopback that costs as little as possible and
// answers as the figure at hand wants.
type modelServer struct {
	url      string
	requests chan request
	answer   func(*answer) // of every request; set before it comes
	keep     bool          // bodies
}

// manyRequests is more than any figure makes.
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

// answer is what the model says to one request.
type answer struct {
	w    http.ResponseWriter
	gone <-chan struct{}
	buf  []byte
}

const (
	usage  = `"usageMetadata":{"promptTokenCount":10,"candidatesTokenCount":2,"totalTokenCount":12},"modelVersion":"gemini-2.5-pro","responseId":"r"`
	finish = `"finishReason":"STOP",`
)

// part puts an event of one part, JSON, on its way.
func (a *answer) part(json, finish string) {
	a.buf = fmt.Appendf(a.buf, "data: {\"candidates\":[{\"content\":{\"parts\":[%s],\"role\":\"model\"},%s\"index\":0}],%s}\r\n\r\n", json, finish, usage)
	if len(a.buf) > 32<<10 {
		a.flush()
	}
}

// say says a text.
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
	_, _ = a.w.Write(a.buf) // a client that is gone shows elsewhere
	a.buf = a.buf[:0]
	if f, ok := a.w.(http.Flusher); ok {
		f.Flush()
	}
}
