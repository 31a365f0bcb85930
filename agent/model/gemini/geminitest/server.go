// Package geminitest is a fake Gemini API for tests, on loopback or in memory. It
// rejects what Google's servers reject, with error bodies like theirs, plays scripted
// answers, and misbehaves on request: it can throttle, hold, stall, cut, truncate,
// garble and drip. It knows no generator; any HTTP client can be tested against it.
package geminitest

import (
	"encoding/json"
	"fmt"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/emendo-dev/emendo/agent/model/servertest"
)

// Key is the valid API key if Options names none.
const Key = "AIzaTest-0123456789-abcdefghijklmnopqrs"

// models are the names that servers know if Options names none.
var models = []string{
	"gemini-2.0-flash", "gemini-2.5-pro", "gemini-2.5-flash", "gemini-2.5-flash-lite",
	"gemini-3-pro-preview", "gemini-3-flash-preview", "gemini-3.1-pro-preview", "gemini-3.1-flash-lite",
	"gemini-3.5-flash", "gemini-3.5-flash-lite", "gemini-3.8-flash",
	"gemma-4-31b-it", "gemma-4-26b-a4b-it",
}

// maxBody is the largest request in bytes: Google's limit for requests with inline
// data.
const maxBody = 20 << 20

// Options tune a server. The zero value knows the usual models.
type Options struct {
	Key       string
	Token     string // a bearer token that replaces the key, as on Vertex AI; empty: none
	Models    []string
	Aliases   map[string]string // names that stand for one of Models
	MaxTokens int               // a request of more, at four bytes each, is too long; 0: 1,048,576

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
	Contents []Content // empty if the body is invalid
	Refused  string    // why it was rejected; empty: it was answered
}

// Said returns the text of the last content.
func (r Request) Said() string {
	var b strings.Builder
	if n := len(r.Contents); n > 0 {
		for _, p := range r.Contents[n-1].Parts {
			if p.Text != nil {
				b.WriteString(*p.Text)
			}
		}
	}
	return b.String()
}

// Server is the fake API. It is safe for concurrent use.
type Server struct {
	*servertest.Server[Request, Reply]

	Key string // the valid key

	o Options

	mu         sync.Mutex
	signatures map[string]string // issued signatures, with the function of each
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
	if o.MaxTokens == 0 {
		o.MaxTokens = 1_048_576
	}
	s := &Server{o: o, Key: o.Key, signatures: map[string]string{}}
	s.Server = servertest.New("geminitest", s, o.Answer, replies)
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

// route matches a model's method in the paths of both backends, after any prefix.
var route = regexp.MustCompile(`/v1(?:beta|alpha|beta1)?/(?:projects/[^/]+/locations/[^/]+/)?(?:publishers/google/)?models/([^/:]+):(\w+)$`)

// ServeHTTP implements [http.Handler].
func (s *Server) ServeHTTP(w http.ResponseWriter, h *http.Request) {
	if s.describe(w, h) || s.measure(w, h) {
		return
	}
	req := Request{Path: h.URL.Path, Header: h.Header.Clone()}
	reply, refusal := s.accept(h, &req)
	if refusal != nil {
		req.Refused = refusal.Message
	}
	n := s.Record(req)
	if refusal != nil {
		refusal.write(w)
		return
	}
	if !s.Wait(h, reply.Hold) {
		return
	}
	if reply.Refusal != nil {
		reply.Refusal.write(w)
		return
	}
	a := answer{s: s, model: s.real(req.Model), vertex: strings.Contains(h.URL.Path, "/publishers/"), id: fmt.Sprintf("response-%d", n)}
	s.Stream(w, h, servertest.Delivery{Header: reply.Header, EOL: "\r\n", Frame: reply.Frame, End: reply.End}, a.render(reply.Events))
}

// accept checks a request and returns its reply, or an error response.
func (s *Server) accept(h *http.Request, req *Request) (Reply, *Refusal) {
	m := route.FindStringSubmatch(h.URL.Path)
	if m == nil || h.Method != http.MethodPost {
		return Reply{}, refuse(http.StatusNotFound, "The requested URL %s was not found on this server.", h.URL.Path)
	}
	req.Model = m[1]
	body, err := servertest.Read(h, maxBody)
	if err != nil {
		return Reply{}, invalid("the body cannot be read: %v", err)
	}
	req.Body = body
	if r := s.admit(h); r != nil {
		return Reply{}, r
	}
	if !slices.Contains(s.o.Models, s.real(req.Model)) || m[2] != "streamGenerateContent" {
		return Reply{}, refuse(http.StatusNotFound, "models/%s is not found for API version v1beta, or is not supported for %s. Call ListModels to see the list of available models and their supported methods.", req.Model, m[2])
	}
	if h.URL.Query().Get("alt") != "sse" {
		return Reply{}, invalid("this server streams events only: alt=sse is missing")
	}
	switch tokens := len(body) / 4; {
	case len(body) > maxBody:
		return Reply{}, invalid("Request payload size exceeds the limit: %d bytes.", maxBody)
	case tokens > s.o.MaxTokens:
		return Reply{}, invalid("The input token count (%d) exceeds the maximum number of tokens allowed (%d).", tokens, s.o.MaxTokens)
	}
	in, refusal := parse(body)
	if refusal != nil {
		return Reply{}, refusal
	}
	req.Contents = in.Contents
	if refusal := s.check(s.real(req.Model), in); refusal != nil {
		return Reply{}, refusal
	}
	reply, ok := s.Next(*req)
	if !ok {
		return Reply{}, refuse(http.StatusInternalServerError, "geminitest: no reply is left for this request")
	}
	return reply, nil
}

// admit checks the key.
func (s *Server) admit(h *http.Request) *Refusal {
	key := h.Header.Get("X-Goog-Api-Key")
	if key == "" {
		key = h.URL.Query().Get("key")
	}
	if s.o.Token != "" && h.Header.Get("Authorization") == "Bearer "+s.o.Token {
		key = s.o.Key
	}
	switch key {
	case s.o.Key:
		if kind, _, _ := strings.Cut(h.Header.Get("Content-Type"), ";"); kind != "application/json" {
			return invalid("Invalid content type %q; it must be application/json.", kind)
		}
		return nil
	case "":
		return refuse(http.StatusForbidden, "Method doesn't allow unregistered callers (callers without established identity). Please use API Key or other form of API consumer identity to call this API.")
	}
	r := invalid("API key not valid. Please pass a valid API key.")
	r.Details = []any{errorInfo("API_KEY_INVALID", nil)}
	return r
}
