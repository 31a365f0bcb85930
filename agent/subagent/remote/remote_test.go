package remote_test

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/emendo-dev/emendo/agent/frontend"
	"github.com/emendo-dev/emendo/agent/subagent/remote"
	"github.com/emendo-dev/emendo/internal/network"
	"github.com/emendo-dev/emendo/internal/network/networktest"
)

// server is an agent that answers a method with what its script says, as JSON-RPC
// over HTTP. Each answer to message/stream is a list of events.
type server struct {
	*httptest.Server

	card    string // with URL for its address; empty: one that works
	events  func(body string, send func(event string))
	task    string // of tasks/get
	posts   chan string
	headers chan http.Header
	gone    chan struct{} // closed when the test ends
}

func newServer(t *testing.T) *server {
	t.Helper()
	s := &server{posts: make(chan string, 100), headers: make(chan http.Header, 100), gone: make(chan struct{})}
	s.Server = httptest.NewServer(s)
	t.Cleanup(s.Close)
	t.Cleanup(func() { close(s.gone) })
	return s
}

func (s *server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	s.headers <- r.Header
	if r.Method == http.MethodGet {
		card := s.card
		if card == "" {
			card = `{"name":"x","url":"URL/rpc","capabilities":{"streaming":true}}`
		}
		_, _ = io.WriteString(w, strings.ReplaceAll(card, "URL", s.URL))
		return
	}
	b, err := io.ReadAll(r.Body)
	if err != nil {
		return
	}
	body := string(b)
	s.posts <- body
	result := func(text string) string { return `{"jsonrpc":"2.0","id":"1","result":` + text + `}` }
	switch {
	case strings.Contains(body, `"method":"message/stream"`):
		w.Header().Set("Content-Type", "text/event-stream")
		w.(http.Flusher).Flush()
		s.events(body, func(event string) {
			_, _ = fmt.Fprintf(w, "data: %s\n\n", result(event))
			w.(http.Flusher).Flush()
		})
	case strings.Contains(body, `"method":"tasks/get"`) && s.task != "", strings.Contains(body, `"method":"tasks/cancel"`):
		_, _ = io.WriteString(w, result(s.task))
	default:
		http.Error(w, "no", http.StatusInternalServerError)
	}
}

const (
	begun  = `{"kind":"task","id":"t1","contextId":"c1","status":{"state":"submitted"}}`
	ended  = `{"kind":"status-update","taskId":"t1","contextId":"c1","final":true,"status":{"state":"completed"}}`
	asking = `{"kind":"status-update","taskId":"t1","contextId":"c1","final":true,"status":{"state":"input-required","message":{"kind":"message","messageId":"m","role":"agent","parts":[%s]}}}`
)

// says returns an update that adds a text to an artifact.
func says(id, text string, adds bool) string {
	return fmt.Sprintf(`{"kind":"artifact-update","taskId":"t1","contextId":"c1","append":%t,"artifact":{"artifactId":%q,"parts":[{"kind":"text","text":%q}]}}`, adds, id, text)
}

func (s *server) agent() remote.Agent {
	return remote.Agent{Name: "helper", Card: s.URL + "/card.json", Own: true, Timeout: time.Minute}
}

// host answers questions with what answer returns; nil: nobody does.
func host(answer func(remote.Question) remote.Answer) remote.Host {
	return remote.Host{
		Options: remote.Options{Env: func(string) string { return "" }, Learn: func(string) {}}, Show: func(string) {}, Contexts: &remote.Contexts{},
		Ask: func(_ context.Context, q remote.Question) remote.Answer {
			if answer == nil {
				return remote.Answer{}
			}
			return answer(q)
		},
	}
}

func TestAnswers(t *testing.T) {
	for _, tt := range []struct {
		name   string
		events []string
		want   string
	}{
		{"an artifact in pieces", []string{begun, says("a", "one ", false), says("a", "two", true), ended}, "one two"},
		{"an artifact that is replaced", []string{begun, says("a", "wrong", false), says("a", "right", false), says("b", "more", false), ended}, "right\n\nmore"},
		{"a message without a task", []string{`{"kind":"message","messageId":"m","role":"agent","parts":[{"kind":"text","text":"hello"},{"kind":"data","data":{"n":1}},{"kind":"file","file":{"name":"a.txt","uri":"https://x.test/a.txt"}}]}`}, "hello\nData: {\"n\":1}\nFile: https://x.test/a.txt"},
		{"messages, of which one repeats", []string{
			begun,
			`{"kind":"status-update","taskId":"t1","contextId":"c1","status":{"state":"working","message":{"kind":"message","messageId":"1","role":"agent","parts":[{"kind":"text","text":"step"}]}}}`,
			`{"kind":"status-update","taskId":"t1","contextId":"c1","status":{"state":"working","message":{"kind":"message","messageId":"2","role":"agent","parts":[{"kind":"text","text":"step"}]}}}`,
			says("a", "done", false), ended,
		}, "step\n\ndone"},
		{"only a history", []string{`{"kind":"task","id":"t1","contextId":"c1","status":{"state":"completed"},"history":[{"kind":"message","messageId":"1","role":"user","parts":[{"kind":"text","text":"me"}]},{"kind":"message","messageId":"2","role":"agent","parts":[{"kind":"text","text":"you"}]}]}`}, "you"},
		{"how emendo ends", []string{begun, says("a", "done", false), `{"kind":"status-update","taskId":"t1","contextId":"c1","final":true,"status":{"state":"completed","message":{"kind":"message","messageId":"1","role":"agent","parts":[{"kind":"data","data":{"kind":"end"}}]}}}`}, "done"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			s := newServer(t)
			s.events = func(_ string, send func(string)) {
				for _, e := range tt.events {
					send(e)
				}
			}
			r, err := s.agent().Run(t.Context(), "the task", host(nil))
			if err != nil || r.Text != tt.want || r.State != "completed" {
				t.Errorf("got %q, %s, %v", r.Text, r.State, err)
			}
			if body := <-s.posts; !strings.Contains(body, "the task") {
				t.Errorf("sent %s", body)
			}
		})
	}
}

// A card that the file has is used as it is: nothing is fetched.
func TestCardInAFile(t *testing.T) {
	s := newServer(t)
	s.card = "not asked for"
	s.events = func(_ string, send func(string)) {
		for _, e := range []string{begun, says("a", "done", false), ended} {
			send(e)
		}
	}
	a := s.agent()
	a.JSON = `{"name":"x","url":"` + s.URL + `/rpc","capabilities":{"streaming":true}}`
	a.Card, _ = remote.ReadCard(a.JSON)
	if a.Card != s.URL+"/rpc" {
		t.Errorf("its address is %q", a.Card)
	}
	if r, err := a.Run(t.Context(), "the task", host(nil)); err != nil || r.Text != "done" {
		t.Errorf("got %q, %v", r.Text, err)
	}
	a.JSON = strings.Replace(a.JSON, s.URL, "https://elsewhere.test", 1)
	if _, err := a.Run(t.Context(), "the task", host(nil)); err == nil || !strings.Contains(err.Error(), "names another server") {
		t.Errorf("a card for another server: %v", err)
	}
}

func TestQuestions(t *testing.T) {
	approval := `{"kind":"text","text":"long"},{"kind":"data","data":{"kind":"approval","callId":"k1","question":"Run rm?","options":[{"optionId":"yes","name":"Yes","kind":"allow_once"},{"optionId":"ever","name":"Ever","kind":"allow_always"},{"optionId":"no","name":"No","kind":"reject_once"}]}}`
	choose := func(id string) func(remote.Question) remote.Answer {
		return func(q remote.Question) remote.Answer {
			if q.Text != "Run rm?" || len(q.Options) != 2 {
				return remote.Answer{}
			}
			return remote.Answer{Approval: frontend.Answer{OptionID: id}}
		}
	}
	values := func(want string, l ...[]string) func(remote.Question) remote.Answer {
		return func(q remote.Question) remote.Answer {
			if len(q.Questions) != len(l) || !strings.Contains(q.Questions[0].Question, "The remote agent helper asks: "+want) {
				return remote.Answer{}
			}
			return remote.Answer{Values: l}
		}
	}
	for _, tt := range []struct {
		name, asked string
		answer      func(remote.Question) remote.Answer
		want        string // part of the second message; may be empty
	}{
		{"allowed", approval, choose("yes"), `"outcome":"yes"`},
		{"allowed for ever, which is not offered", approval, choose("ever"), `"outcome":"no"`},
		{"nobody there", approval, nil, `"outcome":"no"`},
		{"a text", `{"kind":"text","text":"Which one?"}`, values("Which one?", []string{"the first"}), `"text":"the first"`},
		{"a text that nobody answers", `{"kind":"text","text":"Which one?"}`, nil, ""},
		{"questions", `{"kind":"data","data":{"kind":"elicitation","questions":[{"header":"h","question":"A?","type":"text"},{"header":"h","question":"B?","type":"odd"}]}}`, values("A?", []string{"1"}, []string{"2"}), `"values":[["1"],["2"]]`},
		{"questions that nobody answers", `{"kind":"data","data":{"kind":"elicitation","questions":[{"header":"h","question":"A?","type":"text"}]}}`, nil, `"declined":true`},
		{"an approval that cannot be refused", `{"kind":"data","data":{"kind":"approval","question":"Run rm?","options":[{"optionId":"yes","name":"Yes","kind":"allow_once"}]}}`, nil, ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			s := newServer(t)
			s.task = begun
			rounds := 0
			s.events = func(_ string, send func(string)) {
				if rounds++; rounds == 1 {
					send(begun)
					send(fmt.Sprintf(asking, tt.asked))
					return
				}
				send(says("a", "done", false))
				send(ended)
			}
			r, err := s.agent().Run(t.Context(), "x", host(tt.answer))
			<-s.posts
			second := <-s.posts
			switch {
			case tt.want == "":
				if err == nil || !strings.Contains(second, "tasks/cancel") {
					t.Errorf("got %v, then %s", err, second)
				}
			case err != nil || r.Text != "done" || !strings.Contains(second, tt.want) || !strings.Contains(second, `"taskId":"t1"`):
				t.Errorf("got %q, %v after %s", r.Text, err, second)
			}
		})
	}
}

func TestFailures(t *testing.T) {
	big := strings.Repeat("0123456789", 1<<20)
	for _, tt := range []struct {
		name   string
		set    func(s *server, a *remote.Agent)
		events func(body string, send func(string))
		says   string // in the error; may be empty
		text   string // at the beginning of the answer
	}{
		{name: "no card", set: func(s *server, _ *remote.Agent) { s.card = "<html>" }, says: "not an agent card"},
		{name: "a card of another server", set: func(s *server, _ *remote.Agent) { s.card = `{"url":"https://evil.test/rpc"}` }, says: "its card names another server, https://evil.test/rpc"},
		{name: "a card without JSON-RPC", set: func(s *server, _ *remote.Agent) { s.card = `{"url":"URL/rpc","preferredTransport":"GRPC"}` }, says: "no JSON-RPC"},
		{name: "a later version", set: func(s *server, _ *remote.Agent) { s.card = `{"url":"URL/rpc","protocolVersion":"1.0"}` }, says: "version 1.0"},
		{name: "a card that is too large", set: func(s *server, _ *remote.Agent) { s.card = `{"url":"URL/rpc","name":"` + big + `"}` }, says: "larger than 1 MiB"},
		{name: "nobody there", set: func(s *server, _ *remote.Agent) { s.Close() }, says: "refused"},
		{name: "not in the public network", set: func(_ *server, a *remote.Agent) { a.Own = false }, says: "not in the public network"},
		{name: "no variable", set: func(_ *server, a *remote.Agent) {
			a.Auth = remote.Auth{Header: "Authorization", Prefix: "Bearer ", Value: "$NONE"}
		}, says: "the variable NONE, which is not set"},
		{name: "a stream that hangs", set: func(s *server, a *remote.Agent) {
			a.Timeout = 100 * time.Millisecond
			s.events = func(_ string, send func(string)) {
				send(begun)
				send(says("a", "half", false))
				<-s.gone
			}
		}, says: "time limit of 100ms", text: "half"},
		{name: "an answer of 10 MB in one event", set: func(s *server, _ *remote.Agent) {
			s.task = `{"kind":"task","id":"t1","contextId":"c1","status":{"state":"completed"},"artifacts":[{"artifactId":"a","parts":[{"kind":"text","text":"` + big + `"}]}]}`
		}, events: func(_ string, send func(string)) {
			send(begun)
			send(says("a", big, false))
			send(ended)
		}, text: big[:1<<20] + "\n\n(9437184 bytes are left out"},
		{name: "an answer of 10 MB in pieces", events: func(_ string, send func(string)) {
			send(begun)
			for i := 0; i < len(big); i += 32 << 10 {
				send(says("a", big[i:i+32<<10], true))
			}
			send(ended)
		}, text: big[:1<<20] + "\n\n(9437184 bytes are left out"},
		{name: "an event that is none", events: func(_ string, send func(string)) { send(`{"kind":"odd"}`) }, says: "unknown event kind"},
		{name: "no events", events: func(string, func(string)) {}, says: "neither a task nor a message"},
		{name: "a stream that ends early, and a task that goes on", set: func(s *server, _ *remote.Agent) {
			s.task = `{"kind":"task","id":"t1","contextId":"c1","status":{"state":"completed"},"artifacts":[{"artifactId":"a","parts":[{"kind":"text","text":"whole"}]}]}`
		}, events: func(_ string, send func(string)) {
			send(begun)
			send(says("a", "half", false))
		}, text: "whole"},
		{name: "signing in", events: func(_ string, send func(string)) {
			send(begun)
			send(`{"kind":"status-update","taskId":"t1","contextId":"c1","final":true,"status":{"state":"auth-required","message":{"kind":"message","messageId":"m","role":"agent","parts":[{"kind":"text","text":"Go to https://x.test"}]}}}`)
		}, says: "sign in, which is not supported: Go to https://x.test"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			s := newServer(t)
			s.events = tt.events
			a := s.agent()
			if tt.set != nil {
				tt.set(s, &a)
			}
			r, err := a.Run(t.Context(), "x", host(nil))
			if (err != nil) != (tt.says != "") || err != nil && !strings.Contains(err.Error(), tt.says) {
				t.Errorf("the error is %v, want %q", err, tt.says)
			}
			if !strings.HasPrefix(r.Text, tt.text) || len(r.Text) > 1<<20+200 {
				t.Errorf("the answer of %d bytes begins with %.100q", len(r.Text), r.Text)
			}
		})
	}
}

// The authority of an agent's certificate may be one of the user's.
func TestAgentsWithCertificates(t *testing.T) {
	lab := networktest.New(t, "Lab CA")
	var url string
	web := lab.Serve(networktest.Host(), nil, http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		fmt.Fprintf(w, `{"name": "far", "url": "%s/rpc", "protocolVersion": "0.3.0", "preferredTransport": "JSONRPC"}`, url)
	}))
	url = web.URL
	a := remote.Agent{Name: "far", Card: url + "/card", Own: true}
	if err := a.Check(t.Context(), remote.Options{}); err == nil || !strings.Contains(err.Error(), "issued by Lab CA, is not trusted") || !strings.Contains(err.Error(), "network.caFile") {
		t.Errorf("by the system's authorities: %v", err)
	}
	if err := a.Check(t.Context(), remote.Options{Network: network.New(network.Config{CAFile: lab.File()})}); err != nil {
		t.Errorf("by the user's: %v", err)
	}
}

func TestDeadAgent(t *testing.T) {
	s := newServer(t)
	s.events = func(_ string, send func(string)) {
		send(begun)
		send(says("a", "half", false))
		s.Listener.Close()
		panic(http.ErrAbortHandler) // the connection ends in the middle
	}
	r, err := s.agent().Run(t.Context(), "x", host(nil))
	if err == nil || !strings.Contains(err.Error(), "connection") || r.Text != "half" {
		t.Errorf("got %q, %v", r.Text, err)
	}
}

func TestCancel(t *testing.T) {
	s := newServer(t)
	s.task = begun
	ctx, cancel := context.WithCancel(t.Context())
	s.events = func(_ string, send func(string)) {
		send(begun)
		<-s.gone
	}
	h := host(nil)
	h.Show = func(string) { cancel() } // the task is known now
	if _, err := s.agent().Run(ctx, "x", h); err == nil {
		t.Error("no error")
	}
	<-s.posts
	if body := <-s.posts; !strings.Contains(body, `"method":"tasks/cancel"`) || !strings.Contains(body, `"id":"t1"`) {
		t.Errorf("after the cancellation it was sent %s", body)
	}
}

func TestCredentials(t *testing.T) {
	for _, tt := range []struct {
		name   string
		auth   remote.Auth
		tokens func(url string) map[string]string
		want   string // headers
	}{
		{"none", remote.Auth{}, func(string) map[string]string { return nil }, " "},
		{"of the file", remote.Auth{Header: "X-API-Key", Value: "$KEY"}, func(string) map[string]string { return nil }, " secret-key"},
		{"of the settings", remote.Auth{Header: "X-API-Key", Value: "$KEY"}, func(url string) map[string]string { return map[string]string{url: "$KEY"} }, "Bearer secret-key "},
		{"of another server", remote.Auth{}, func(url string) map[string]string { return map[string]string{url + "0": "$KEY"} }, " "},
	} {
		t.Run(tt.name, func(t *testing.T) {
			s := newServer(t)
			s.events = func(_ string, send func(string)) { send(begun); send(ended) }
			a, h := s.agent(), host(nil)
			a.Auth = tt.auth
			learned := ""
			h.Tokens, h.Env, h.Learn = tt.tokens(s.URL), func(name string) string { return map[string]string{"KEY": "secret-key"}[name] }, func(secret string) { learned = secret }
			if _, err := a.Run(t.Context(), "x", h); err != nil {
				t.Fatal(err)
			}
			for range 2 { // the card and the task
				got := <-s.headers
				if said := got.Get("Authorization") + " " + got.Get("X-Api-Key"); said != tt.want {
					t.Errorf("sent %q, want %q", said, tt.want)
				}
			}
			if (learned == "secret-key") != (tt.want != " ") {
				t.Errorf("what must appear nowhere is %q", learned)
			}
		})
	}
}

func TestCredentialsStayWithTheirServer(t *testing.T) {
	other := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		t.Errorf("another server was sent %s with %q", r.URL, r.Header.Get("Authorization"))
	}))
	defer other.Close()
	s := httptest.NewServer(http.RedirectHandler(other.URL, http.StatusTemporaryRedirect))
	defer s.Close()
	a := remote.Agent{Name: "a", Card: s.URL, Own: true, Timeout: time.Minute, Auth: remote.Auth{Header: "Authorization", Prefix: "Bearer ", Value: "secret"}}
	if err := a.Check(t.Context(), host(nil).Options); err == nil || !strings.Contains(err.Error(), "another server") {
		t.Errorf("the error is %v", err)
	}
}

func TestRefusedToken(t *testing.T) {
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusUnauthorized) }))
	defer s.Close()
	err := remote.Agent{Name: "a", Card: s.URL, Own: true, Timeout: time.Minute}.Check(t.Context(), host(nil).Options)
	if err == nil || !strings.Contains(err.Error(), "401") || !strings.Contains(err.Error(), "set it for "+s.URL) {
		t.Errorf("the error is %v", err)
	}
}

func TestContexts(t *testing.T) {
	s := newServer(t)
	s.events = func(_ string, send func(string)) { send(begun); send(ended) }
	h := host(nil)
	for _, want := range []bool{false, true} {
		if _, err := s.agent().Run(t.Context(), "x", h); err != nil {
			t.Fatal(err)
		}
		if body := <-s.posts; strings.Contains(body, `"contextId":"c1"`) != want {
			t.Errorf("sent %s", body)
		}
	}
}

func TestParseCard(t *testing.T) {
	for address, good := range map[string]bool{
		"https://a.test/card.json": true, "http://localhost:1/x": true, "http://127.0.0.1/x": true, "http://[::1]:9/x": true, "https://10.0.0.1/x": true,
		"http://a.test/x": false, "ftp://a.test/x": false, "https://me:pw@a.test/x": false, "": false, "https://": false, "http://127.0.0.1.evil.test/": false, "%": false,
	} {
		if _, err := remote.ParseCard(address); (err == nil) != good {
			t.Errorf("%q: %v", address, err)
		}
	}
}
