package local_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/emendo-dev/emendo/agent/model"
	"github.com/emendo-dev/emendo/agent/model/local"
	"github.com/emendo-dev/emendo/agent/model/openai"
	"github.com/emendo-dev/emendo/agent/model/transport"
)

// ollamaServer is a server with Ollama's API and one model, plain:latest. It refuses
// fields that it does not know, and loads the model with the context that a request asks
// for, but never with more than most.
type ollamaServer struct {
	url  string
	most int64

	mu       sync.Mutex
	loaded   int64
	requests []map[string]any
}

func startOllama(t *testing.T, made, most int64, lines ...string) *ollamaServer {
	t.Helper()
	s := &ollamaServer{most: most}
	h := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		s.mu.Lock()
		defer s.mu.Unlock()
		w.Header().Set("Content-Type", "application/json")
		switch r.URL.Path {
		case "/api/show":
			fmt.Fprintf(w, `{"capabilities":["completion","tools","vision"],"model_info":{"llama.context_length":%d}}`, made)
		case "/api/ps":
			if s.loaded == 0 {
				fmt.Fprint(w, `{"models":[]}`)
				return
			}
			fmt.Fprintf(w, `{"models":[{"name":"plain:latest","model":"plain:latest","context_length":%d}]}`, s.loaded)
		case "/api/chat":
			var strict struct {
				Model    string `json:"model"`
				Messages []struct {
					Role    string   `json:"role"`
					Content string   `json:"content"`
					Images  []string `json:"images"`
					Calls   []struct {
						ID       string `json:"id"`
						Function struct {
							Name      string         `json:"name"`
							Arguments map[string]any `json:"arguments"`
						} `json:"function"`
					} `json:"tool_calls"`
					Tool string `json:"tool_name"`
				} `json:"messages"`
				Tools    []json.RawMessage `json:"tools"`
				Stream   bool              `json:"stream"`
				Truncate bool              `json:"truncate"`
				Shift    bool              `json:"shift"`
				Options  struct {
					Context     int64    `json:"num_ctx"`
					Predict     int64    `json:"num_predict"`
					Temperature float64  `json:"temperature"`
					TopP        float64  `json:"top_p"`
					Stop        []string `json:"stop"`
				} `json:"options"`
			}
			body, _ := io.ReadAll(r.Body)
			dec := json.NewDecoder(strings.NewReader(string(body)))
			dec.DisallowUnknownFields()
			if err := dec.Decode(&strict); err != nil || strict.Truncate || strict.Shift {
				t.Errorf("a bad request: %v: %s", err, body)
			}
			var whole map[string]any
			_ = json.Unmarshal(body, &whole)
			s.requests = append(s.requests, whole)
			s.loaded = min(strict.Options.Context, s.most)
			w.Header().Set("Content-Type", "application/x-ndjson")
			for _, line := range lines {
				fmt.Fprintln(w, line)
			}
		default:
			http.NotFound(w, r)
		}
	}))
	t.Cleanup(h.Close)
	s.url = h.URL
	return s
}

// native returns the generator that emendo makes for an Ollama server.
func native(t *testing.T, s *ollamaServer, o local.Options) *local.Generator {
	t.Helper()
	o.Kind, o.Address, o.Bridge = local.Ollama, s.url, local.NewBridge(nil)
	chat, err := openai.New(openai.Options{API: openai.ChatCompletions, Compatible: true, BaseURL: s.url + "/v1", Way: transport.Options{HTTP: o.Bridge}})
	if err != nil {
		t.Fatal(err)
	}
	return local.New(chat, o)
}

func prompt(text string) model.Request {
	return model.Request{Model: "plain", System: "You help.", Messages: []model.Message{{Role: model.User, Parts: []model.Part{model.Text{Text: text}}}}}
}

const done = `{"model":"plain","message":{"role":"assistant","content":"fine"},"done":true,"done_reason":"stop","prompt_eval_count":7,"eval_count":2}`

func TestOllamaIsAskedForTheContextThatIsNeeded(t *testing.T) {
	for _, tt := range []struct {
		name       string
		made, most int64
		loaded     int64
		chosen     int64
		want       int64
	}{
		{"a model that was made for more", 131_072, 1 << 20, 0, 0, local.Window},
		{"one that was made for less", 8192, 1 << 20, 0, 0, 8192},
		{"one that is loaded with more", 131_072, 1 << 20, 65_536, 0, 65_536},
		{"one that is loaded with the default", 131_072, 1 << 20, 4096, 0, local.Window},
		{"the user's choice", 131_072, 1 << 20, 0, 16_384, 16_384},
	} {
		t.Run(tt.name, func(t *testing.T) {
			s := startOllama(t, tt.made, tt.most, done)
			s.loaded = tt.loaded
			g := native(t, s, local.Options{Catalogue: said(t, "plain", fmt.Sprintf(`{"context":%d}`, tt.chosen))})
			g.Prepare(t.Context(), "plain")
			if n := g.Known("plain").InputTokens; n != tt.want {
				t.Errorf("before the first request the limit is %d, want %d", n, tt.want)
			}
			for _, err := range g.Stream(t.Context(), prompt("hi")) {
				if err != nil {
					t.Fatal(err)
				}
			}
			if got := s.requests[0]["options"].(map[string]any)["num_ctx"]; got != float64(tt.want) {
				t.Errorf("it is asked for %v, want %d", got, tt.want)
			}
		})
	}
}

func TestWhatOllamaCannotTakeIsNotCutSilently(t *testing.T) {
	s := startOllama(t, 131_072, 4096, done)
	g := native(t, s, local.Options{})
	var failed error
	for _, err := range g.Stream(t.Context(), prompt(strings.Repeat("many words ", 2000))) {
		failed = err
	}
	e, ok := errors.AsType[*model.Error](failed)
	if !ok || e.Kind != model.Overflow || e.Limit != 4096 || e.Counted <= 4096 {
		t.Fatalf("a request that was cut ended with %v", failed)
	}
	g.Prepare(t.Context(), "plain")
	if n := g.Known("plain").InputTokens; n != 4096 {
		t.Errorf("the limit is now %d", n)
	}
	for _, err := range g.Stream(t.Context(), prompt("hi")) {
		if err != nil {
			t.Errorf("a short request: %v", err)
		}
	}
}

func TestAConversationWithOllama(t *testing.T) {
	s := startOllama(
		t, 8192, 8192,
		`{"model":"plain","message":{"role":"assistant","content":"","thinking":"Hm."},"done":false}`,
		`{"model":"plain","message":{"role":"assistant","content":"I look."},"done":false}`,
		`{"model":"plain","message":{"role":"assistant","content":"","tool_calls":[{"function":{"name":"read","arguments":{"path":"b","from":1}}},{"id":"own","function":{"name":"read","arguments":{"path":"c"}}}]},"done":false}`,
		`{"model":"plain","message":{"role":"assistant","content":""},"done":true,"done_reason":"stop","prompt_eval_count":30,"eval_count":9}`,
	)
	g := native(t, s, local.Options{})
	req := prompt("read")
	req.Tools = []model.Tool{{Name: "read", Description: "reads", Schema: json.RawMessage(`{"type":"object","properties":{"path":{"type":"string"}}}`)}}
	req.Messages = append(req.Messages,
		model.Message{Role: model.Model, Parts: []model.Part{model.Text{Text: "First a."}, model.Call{ID: "1", Name: "read", Args: json.RawMessage(`{"path":"a"}`)}}},
		model.Message{Role: model.User, Parts: []model.Part{model.Result{CallID: "1", Name: "read", Output: "one", Blobs: []model.Blob{{MIME: "image/png", Data: []byte("abc")}}}}})
	var text, thought string
	var calls []string
	var usage *model.Usage
	var finish model.Finish
	for c, err := range g.Stream(t.Context(), req) {
		if err != nil {
			t.Fatal(err)
		}
		for _, p := range c.Parts {
			switch p := p.(type) {
			case model.Text:
				text += p.Text
			case model.Thought:
				thought += p.Text
			case model.Call:
				calls = append(calls, p.Name+string(p.Args))
			case model.Blob, model.Result:
			}
		}
		if c.Usage != nil {
			usage = c.Usage
		}
		if c.Finish != "" {
			finish = c.Finish
		}
	}
	if text != "I look." || thought != "Hm." || finish != model.Stop || usage == nil || usage.Input != 30 {
		t.Errorf("got %q, %q, %s and %+v", text, thought, finish, usage)
	}
	if d := cmp.Diff([]string{`read{"path":"b","from":1}`, `read{"path":"c"}`}, calls); d != "" {
		t.Errorf("(-want +got):\n%s", d)
	}
	var roles []string
	for _, m := range s.requests[0]["messages"].([]any) {
		m := m.(map[string]any)
		roles = append(roles, fmt.Sprint(m["role"], " ", m["content"], " ", m["tool_name"], " ", m["images"]))
	}
	want := []string{"system You help. <nil> <nil>", "user read <nil> <nil>", "assistant First a. <nil> <nil>", "tool one read <nil>", "user Output of the tool read: <nil> [YWJj]"}
	if d := cmp.Diff(want, roles); d != "" {
		t.Errorf("(-want +got):\n%s", d)
	}
}

func TestAServerWithoutOllamasOwnRequestsIsAskedAsOpenAIs(t *testing.T) {
	var paths []string
	h := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		paths = append(paths, r.URL.Path)
		if r.URL.Path != "/v1/chat/completions" {
			if r.URL.Path == "/api/show" {
				w.Header().Set("Content-Type", "application/json")
				fmt.Fprint(w, `{"capabilities":["completion"]}`)
				return
			}
			http.NotFound(w, r)
			return
		}
		w.Header().Set("Content-Type", "text/event-stream")
		fmt.Fprint(w, "data: {\"choices\":[{\"index\":0,\"delta\":{\"content\":\"fine\"},\"finish_reason\":\"stop\"}]}\n\ndata: [DONE]\n\n")
	}))
	t.Cleanup(h.Close)
	g := native(t, &ollamaServer{url: h.URL}, local.Options{})
	for _, err := range g.Stream(t.Context(), prompt("hi")) {
		if err != nil {
			t.Error(err)
		}
	}
	if paths[len(paths)-1] != "/v1/chat/completions" {
		t.Errorf("the requests are %q", paths)
	}
}
