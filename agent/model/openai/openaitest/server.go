// Package openaitest is a fake of OpenAI's API for tests, on loopback or in memory:
// the Responses API, Chat Completions, the list of models and the count of input
// tokens. It is written from the API's schema as openai-go 3.95.0 of November 2026
// has it. It rejects what OpenAI's servers reject, with error bodies like theirs,
// plays scripted answers, and misbehaves on request: it can throttle, hold, stall,
// cut, truncate, garble and drip. It knows no generator; any HTTP client can be tested
// against it.
//
// The request's path decides which API answers. Models whose names begin with "gpt-5",
// "gpt-6" or "o" reason, others do not.
package openaitest

import (
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/emendo-dev/emendo/agent/model/servertest"
)

// Key is the valid API key if Options names none.
const Key = "sk-test-0123456789abcdefghijklmnopqrstuv"

// models are the names that servers know if Options names none.
var models = []string{"gpt-6", "gpt-5.4", "gpt-5.4-mini", "o3", "gpt-4.1", "gpt-4.1-mini", "local-model"}

// maxBody is the largest request in bytes.
const maxBody = 50 << 20

// Options tune a server. The zero value knows a few models.
type Options struct {
	Key       string
	Open      bool // no key is needed
	Models    []string
	MaxTokens int // a request of more, at four bytes each, is too long; 0: 1,048,576

	// ListAs replaces the limit in what a compatible server lists of each model;
	// nil: max_model_len, as vLLM does.
	ListAs map[string]any

	// Compatible has the server behave like one of another vendor: it has the Chat
	// Completions API alone, without what is new in it, and shows its reasoning.
	Compatible bool

	// WantsReasoning has a compatible server reject calls without the reasoning that
	// led to them.
	WantsReasoning bool

	// Answer answers a request when no scripted reply is left. If it is nil the
	// request fails with status 500.
	Answer func(Request) Reply
}

// A Request is a request as a client sent it.
type Request struct {
	Model   string
	Path    string
	Header  http.Header
	Body    json.RawMessage
	said    string
	Refused string // why it was rejected; empty: it was answered
}

// Said returns the text of the last message or output.
func (r Request) Said() string { return r.said }

// Server is the fake API. It is safe for concurrent use.
type Server struct {
	*servertest.Server[Request, Reply]

	Key string // the valid key

	o Options

	mu        sync.Mutex
	encrypted map[string]string // issued reasoning by its item's ID
	reasoned  map[string]string // the item of reasoning that led to each call, by the call's ID
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
	s := &Server{o: o, Key: o.Key, encrypted: map[string]string{}, reasoned: map[string]string{}}
	s.Server = servertest.New("openaitest", s, o.Answer, replies)
	s.URL += "/v1"
	return s
}

// Start starts a server that plays the replies, one for each request, in the order in
// which requests arrive.
func Start(o Options, replies ...Reply) *Server {
	s := Unlisted(o, replies...)
	s.Listen()
	s.URL += "/v1"
	return s
}

// New starts a server that is closed at the end of the test.
func New(t testing.TB, replies ...Reply) *Server {
	s := Start(Options{}, replies...)
	t.Cleanup(s.Close)
	return s
}

// Forget makes all reasoning that was encrypted so far unreadable, as if the key had
// become that of another organization.
func (s *Server) Forget() {
	s.mu.Lock()
	defer s.mu.Unlock()
	clear(s.encrypted)
	clear(s.reasoned)
}

// ServeHTTP implements [http.Handler].
func (s *Server) ServeHTTP(w http.ResponseWriter, h *http.Request) {
	if s.describe(w, h) {
		return
	}
	req := Request{Path: h.URL.Path, Header: h.Header.Clone()}
	a, reply, refusal := s.accept(h, &req)
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
	a.n = n
	d := servertest.Delivery{Header: reply.Header, Type: "text/event-stream; charset=utf-8", Frame: reply.Frame, End: reply.End}
	events := a.render(reply.Events)
	d.Frame.Done = d.Frame.Done || a.chat && a.finished && !reply.NoDone
	s.Stream(w, h, d, events)
}

// accept checks a request and returns its reply, or an error response.
func (s *Server) accept(h *http.Request, req *Request) (*answer, Reply, *Refusal) {
	path, ok := strings.CutPrefix(h.URL.Path, "/v1/")
	chat := path == "chat/completions"
	if !ok || h.Method != http.MethodPost || !chat && (path != "responses" || s.o.Compatible) {
		return nil, Reply{}, unknownURL(h)
	}
	body, err := servertest.Read(h, maxBody)
	if err != nil {
		return nil, Reply{}, invalid("", "the body cannot be read: %v", err)
	}
	req.Body = body
	if r := s.admit(h); r != nil {
		return nil, Reply{}, r
	}
	if kind, _, _ := strings.Cut(h.Header.Get("Content-Type"), ";"); kind != "application/json" {
		return nil, Reply{}, invalid("", "Unsupported content type: '%s'. This API method only accepts 'application/json' requests.", kind)
	}
	if len(body) > maxBody {
		return nil, Reply{}, &Refusal{Status: http.StatusRequestEntityTooLarge, Message: "The request is too large."}
	}
	a := &answer{s: s, chat: chat}
	var refusal *Refusal
	if chat {
		refusal = s.checkChat(body, req, a)
	} else {
		refusal = s.checkResponses(body, req, a)
	}
	a.model = req.Model
	if refusal == nil {
		refusal = s.checkLength(body)
	}
	if refusal != nil {
		return nil, Reply{}, refusal
	}
	reply, ok := s.Next(*req)
	if !ok {
		refusal = &Refusal{Status: http.StatusInternalServerError, Message: "openaitest: no reply is left for this request"}
	}
	return a, reply, refusal
}

// checkLength rejects what exceeds the model's context.
func (s *Server) checkLength(body []byte) *Refusal {
	if tokens := len(body) / 4; tokens > s.o.MaxTokens {
		r := invalid("messages", "This model's maximum context length is %d tokens. However, your messages resulted in %d tokens. Please reduce the length of the messages.", s.o.MaxTokens, tokens)
		r.Code = "context_length_exceeded"
		return r
	}
	return nil
}

// admit checks the key.
func (s *Server) admit(h *http.Request) *Refusal {
	key := strings.TrimPrefix(h.Header.Get("Authorization"), "Bearer ")
	switch {
	case s.o.Open || key == s.o.Key:
		return nil
	case key == "":
		return &Refusal{Status: http.StatusUnauthorized, Message: "You didn't provide an API key. You need to provide your API key in an Authorization header using Bearer auth (i.e. Authorization: Bearer YOUR_KEY).", Type: "invalid_request_error"}
	}
	shown := key
	if len(key) > 12 {
		shown = key[:8] + strings.Repeat("*", 20) + key[len(key)-4:]
	}
	return &Refusal{Status: http.StatusUnauthorized, Message: "Incorrect API key provided: " + shown + ". You can find your API key at https://platform.openai.com/account/api-keys.", Type: "invalid_request_error", Code: "invalid_api_key"}
}

// checkModel rejects a model that the server does not have.
func (s *Server) checkModel(name string) *Refusal {
	switch {
	case name == "":
		return missing("model")
	case !slices.Contains(s.o.Models, name):
		return &Refusal{Status: http.StatusNotFound, Message: fmt.Sprintf("The model `%s` does not exist or you do not have access to it.", name), Type: "invalid_request_error", Code: "model_not_found"}
	}
	return nil
}

// reasons reports whether a model reasons.
func reasons(model string) bool {
	return strings.HasPrefix(model, "gpt-5") || strings.HasPrefix(model, "gpt-6") || strings.HasPrefix(model, "o")
}
