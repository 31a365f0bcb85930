// Package anthropictest is a fake Messages API of Anthropic's for tests, on loopback
// or in memory. It was written from the API as version 2023-06-01 of it is published
// with version 1.84.0 of Anthropic's client library for Go. It rejects what
// Anthropic's servers reject, and some of what they only repair, with error bodies
// like theirs, plays scripted answers, and misbehaves on request: it can throttle,
// overload, hold, stall, cut, truncate, garble and drip. It knows no generator; any
// HTTP client can be tested against it.
package anthropictest

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"testing"

	"github.com/emendo-dev/emendo/agent/model/servertest"
)

// Key is the valid API key if Options names none.
const Key = "sk-ant-test03-0123456789-abcdefghijklmnopqrs"

// version is the version of the API.
const version = "2023-06-01"

// maxBody is the largest request in bytes.
const maxBody = 32 << 20

// Options tune a server. The zero value knows the usual models.
type Options struct {
	Key       string
	Token     string // a bearer token that replaces the key; empty: none
	Models    []Model
	MaxTokens int // a request of more, at four bytes each, is too long; 0: the model's limit

	// Bound has the server reject thinking if anything before it is not as it was.
	Bound bool

	// Answer answers a request when no scripted reply is left. If it is nil the
	// request fails with status 500.
	Answer func(Request) Reply
}

// A Request is a request as a client sent it.
type Request struct {
	Model    string
	Path     string
	Header   http.Header
	Body     json.RawMessage
	Messages []Message // empty if the body is invalid
	Refused  string    // why it was rejected; empty: it was answered
}

// Said returns the text of the last message.
func (r Request) Said() string {
	var b strings.Builder
	if n := len(r.Messages); n > 0 {
		for _, block := range r.Messages[n-1].Content {
			b.WriteString(block.Text)
		}
	}
	return b.String()
}

// Server is the fake API. It is safe for concurrent use.
type Server struct {
	*servertest.Server[Request, Reply]

	Key string // the valid key

	o Options

	mu     sync.Mutex
	issued issued
}

// issued is what the server has sent and expects back.
type issued struct {
	signatures map[string]string   // the thinking of each signature
	redacted   map[string]bool     // data of redacted thinking
	prefixes   map[string]string   // what came before each thinking
	before     map[string][]string // the signatures and data before each call, by its ID
}

// Unlisted returns a server that does not listen: its RoundTrip is the only way to
// it. Without a network it works in testing/synctest bubbles, if it is made there.
func Unlisted(o Options, replies ...Reply) *Server {
	if o.Key == "" {
		o.Key = Key
	}
	if o.Models == nil {
		o.Models = models
	}
	s := &Server{
		o: o, Key: o.Key, issued: issued{signatures: map[string]string{}, redacted: map[string]bool{}, prefixes: map[string]string{}, before: map[string][]string{}},
	}
	s.Server = servertest.New("anthropictest", s, o.Answer, replies)
	return s
}

// Start starts a server that plays the replies, one for each request, in the order
// in which requests arrive.
func Start(o Options, replies ...Reply) *Server {
	s := Unlisted(o, replies...)
	s.Listen()
	return s
}

// New starts a server that is closed at the end of the test.
func New(t testing.TB, replies ...Reply) *Server {
	s := Start(Options{}, replies...)
	t.Cleanup(s.Close)
	return s
}

// ServeHTTP implements [http.Handler].
func (s *Server) ServeHTTP(w http.ResponseWriter, h *http.Request) {
	if s.describe(w, h) {
		return
	}
	req := Request{Path: h.URL.Path, Header: h.Header.Clone()}
	in, refusal := s.accept(h, &req)
	var reply Reply
	counting := strings.HasSuffix(h.URL.Path, "/count_tokens")
	if refusal == nil && !counting {
		var ok bool
		if reply, ok = s.Next(req); !ok {
			refusal = refuse(http.StatusInternalServerError, "anthropictest: no reply is left for this request")
		}
	}
	if refusal != nil {
		req.Refused = refusal.Message
	}
	n := s.Record(req)
	switch {
	case refusal != nil:
		refusal.write(w)
	case counting:
		servertest.Answer(w, map[string]any{"input_tokens": len(req.Body) / 4})
	default:
		if !s.Wait(h, reply.Hold) {
			return
		}
		if reply.Refusal != nil {
			reply.Refusal.write(w)
			return
		}
		a := answer{s: s, in: in, id: fmt.Sprintf("msg_%d", n)}
		d := servertest.Delivery{Header: reply.Header, Type: "text/event-stream; charset=utf-8", Frame: reply.Frame, End: reply.End}
		s.Stream(w, h, d, a.render(reply.Events))
	}
}

// accept checks a request, or returns an error response.
func (s *Server) accept(h *http.Request, req *Request) (*request, *Refusal) {
	path := strings.TrimSuffix(h.URL.Path, "/count_tokens")
	if !strings.HasSuffix(path, "/v1/messages") || h.Method != http.MethodPost {
		return nil, refuse(http.StatusNotFound, "Not found")
	}
	body, err := servertest.Read(h, maxBody)
	if err != nil {
		return nil, invalid("the body cannot be read: %v", err)
	}
	req.Body = body
	if r := s.admit(h); r != nil {
		return nil, r
	}
	if kind, _, _ := strings.Cut(h.Header.Get("Content-Type"), ";"); kind != "application/json" {
		return nil, invalid("Invalid content type %q; it must be application/json.", kind)
	}
	if len(body) > maxBody {
		return nil, refuse(http.StatusRequestEntityTooLarge, "Request exceeds the maximum size")
	}
	in, refusal := parse(body, path != h.URL.Path)
	if refusal != nil {
		return nil, refusal
	}
	req.Model, req.Messages = in.Model, in.Messages
	m, ok := s.model(in.Model)
	if !ok {
		return nil, refuse(http.StatusNotFound, "model: %s", in.Model)
	}
	limit := m.Input
	if s.o.MaxTokens > 0 {
		limit = s.o.MaxTokens
	}
	if tokens := len(body) / 4; tokens > limit {
		return nil, invalid("prompt is too long: %d tokens > %d maximum", tokens, limit)
	}
	c := checker{s: s, m: m, in: in, counting: path != h.URL.Path}
	return in, c.check()
}

// admit checks the key and the version.
func (s *Server) admit(h *http.Request) *Refusal {
	key := h.Header.Get("X-Api-Key")
	if s.o.Token != "" && h.Header.Get("Authorization") == "Bearer "+s.o.Token {
		key = s.o.Key
	}
	switch {
	case key == "":
		return refuse(http.StatusUnauthorized, "x-api-key header is required")
	case key != s.o.Key:
		return refuse(http.StatusUnauthorized, "invalid x-api-key")
	case h.Header.Get("Anthropic-Version") == "":
		return invalid("anthropic-version: header is required")
	case h.Header.Get("Anthropic-Version") != version:
		return invalid("anthropic-version: %q is not a valid version", h.Header.Get("Anthropic-Version"))
	}
	return nil
}
