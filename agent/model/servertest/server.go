// Package servertest has what the fake servers of all providers share: the script of
// replies, the record of requests, a network in memory, and streams of events in good
// and in bad framing. It knows no provider: what requests must be like and what events
// contain is the matter of the packages that use it.
package servertest

import (
	"net/http"
	"net/http/httptest"
	"slices"
	"sync"
)

// Server plays replies to requests, on loopback or in memory. Q is what it records of
// a request. It is safe for concurrent use.
type Server[Q, R any] struct {
	URL string // where it listens, for a client's base URL

	handler http.Handler
	answer  func(Q) R        // nil: a request without a reply fails
	http    *httptest.Server // nil: it does not listen
	answers sync.WaitGroup   // answers in memory
	quit    chan struct{}    // closed by Close; ends holds and stalls

	mu       sync.Mutex
	script   []R
	requests []Q
}

// New returns a server that does not listen: its RoundTrip is the only way to it.
// Without a network it works in testing/synctest bubbles, if it is made there. The
// handler serves the requests: it plays replies, one for each request, in the order in
// which requests arrive, and then those that answer returns. host is the name in URL.
func New[Q, R any](host string, handler http.Handler, answer func(Q) R, replies []R) *Server[Q, R] {
	return &Server[Q, R]{URL: "http://" + host + ".invalid", handler: handler, answer: answer, script: replies, quit: make(chan struct{})}
}

// Listen makes the server listen on loopback.
func (s *Server[Q, R]) Listen() {
	s.http = httptest.NewServer(s.handler)
	s.URL = s.http.URL
}

// Close ends every answer, waits for those in memory, and stops listening.
func (s *Server[Q, R]) Close() {
	close(s.quit)
	if s.http != nil {
		s.http.CloseClientConnections()
		s.http.Close()
	}
	s.answers.Wait()
}

// Add appends replies to the script.
func (s *Server[Q, R]) Add(replies ...R) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.script = append(s.script, replies...)
}

// Requests returns the requests for answers so far, including rejected ones.
func (s *Server[Q, R]) Requests() []Q {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.requests)
}

// Record adds a request to those that Requests returns, and returns how many there
// are.
func (s *Server[Q, R]) Record(q Q) int {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.requests = append(s.requests, q)
	return len(s.requests)
}

// Next returns the reply to a valid request. It reports false if none is left.
func (s *Server[Q, R]) Next(q Q) (R, bool) {
	s.mu.Lock()
	if len(s.script) > 0 {
		defer s.mu.Unlock()
		r := s.script[0]
		s.script = s.script[1:]
		return r, true
	}
	s.mu.Unlock() // the answer may use the server
	if s.answer == nil {
		var none R
		return none, false
	}
	return s.answer(q), true
}

// Wait waits for hold, and reports whether the client of h is still there.
func (s *Server[Q, R]) Wait(h *http.Request, hold <-chan struct{}) bool {
	if hold == nil {
		return true
	}
	select {
	case <-hold:
		return true
	case <-h.Context().Done():
	case <-s.quit:
	}
	return false
}
