package local_test

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"io"
	"iter"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/emendo-dev/emendo/agent/model"
	"github.com/emendo-dev/emendo/agent/model/catalogue"
	"github.com/emendo-dev/emendo/agent/model/local"
)

// chat is a model that records what it is asked.
type chat struct{ asked []model.Request }

func (c *chat) Stream(_ context.Context, req model.Request) iter.Seq2[model.Chunk, error] {
	return func(yield func(model.Chunk, error) bool) {
		c.asked = append(c.asked, req)
		yield(model.Chunk{Parts: []model.Part{model.Text{Text: "ok"}}, Finish: model.Stop}, nil)
	}
}

// server answers requests by their method, path and body.
type server struct {
	mu    sync.Mutex
	asked []string
	says  map[string]string
	url   string
}

func serve(t *testing.T, says map[string]string) *server {
	t.Helper()
	s := &server{says: says}
	h := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		key := strings.TrimSpace(r.Method + " " + r.URL.Path + " " + string(body))
		s.mu.Lock()
		s.asked = append(s.asked, key)
		s.mu.Unlock()
		answer, ok := s.says[key]
		if !ok {
			w.WriteHeader(http.StatusNotFound)
			answer = `{"error":"not found"}`
		}
		w.Header().Set("Content-Type", "application/json")
		_, _ = io.WriteString(w, answer)
	}))
	t.Cleanup(h.Close)
	s.url = h.URL
	return s
}

// ollama is a server with two models.
var ollama = map[string]string{
	"GET /api/tags":                       `{"models":[{"name":"qwen3:8b","model":"qwen3:8b","size":5},{"name":"gemma:2b"},{"name":"old"}]}`,
	`POST /api/show {"model":"qwen3:8b"}`: `{"capabilities":["completion","tools","thinking"],"model_info":{"general.architecture":"qwen3","qwen3.context_length":40960},"parameters":"temperature 0.6\nnum_ctx 16384\n"}`,
	`POST /api/show {"model":"gemma:2b"}`: `{"capabilities":["completion","vision"],"model_info":{"gemma.context_length":8192}}`,
	`POST /api/show {"model":"old"}`:      `{"model_info":{"llama.context_length":2048}}`,
	"GET /api/ps":                         `{"models":[{"name":"gemma:2b","context_length":4096}]}`,
}

func TestModels(t *testing.T) {
	yes, no := new(true), new(false)
	for _, tt := range []struct {
		name string
		kind local.Kind
		says map[string]string
		want []model.Offered
	}{
		{"Ollama", local.Ollama, ollama, []model.Offered{
			{ID: "qwen3:8b", InputTokens: 16384, Tools: yes, Images: no},
			{ID: "gemma:2b", InputTokens: 4096, Tools: no, Images: yes},
			{ID: "old", InputTokens: 2048},
		}},
		{"LM Studio", local.LMStudio, map[string]string{
			"GET /api/v1/models": `{"models":[
				{"type":"llm","key":"qwen","display_name":"Qwen","max_context_length":131072,"loaded_instances":[{"id":"qwen","config":{"context_length":8192}}],"capabilities":{"vision":false,"trained_for_tool_use":true}},
				{"type":"llm","key":"llava","max_context_length":4096,"loaded_instances":[],"capabilities":{"vision":true,"trained_for_tool_use":false}},
				{"type":"embedding","key":"embed","max_context_length":2048,"loaded_instances":[]}]}`,
		}, []model.Offered{{ID: "qwen", Name: "Qwen", InputTokens: 8192, Tools: yes, Images: no}, {ID: "llava", InputTokens: 4096, Tools: no, Images: yes}}},
		{"LM Studio before 0.4", local.LMStudio, map[string]string{
			"GET /api/v1/models": `{"error":"Unexpected endpoint or method. (GET /api/v1/models). Returning 200 anyway"}`,
			"GET /api/v0/models": `{"object":"list","data":[{"id":"qwen","type":"llm","state":"loaded","max_context_length":131072,"loaded_context_length":8192,"capabilities":["tool_use"]},{"id":"llava","type":"vlm","max_context_length":4096,"capabilities":[]},{"id":"embed","type":"embeddings"}]}`,
		}, []model.Offered{{ID: "qwen", InputTokens: 8192, Tools: yes, Images: no}, {ID: "llava", InputTokens: 4096, Tools: no, Images: yes}}},
		{"llama.cpp", local.LlamaCpp, map[string]string{
			"GET /v1/models": `{"data":[{"id":"model.gguf"}]}`,
			"GET /props":     `{"default_generation_settings":{"n_ctx":65536},"chat_template":"x","chat_template_caps":{"supports_tools":false},"modalities":{"vision":true}}`,
		}, []model.Offered{{ID: "model.gguf", InputTokens: 65536, Tools: no, Images: yes}}},
		{"an old llama.cpp", local.LlamaCpp, map[string]string{
			"GET /v1/models": `{"data":[{"id":"model.gguf"}]}`,
			"GET /props":     `{"default_generation_settings":{"n_ctx":4096},"chat_template":"{{ tools }}"}`,
		}, []model.Offered{{ID: "model.gguf", InputTokens: 4096, Tools: yes}}},
		{"vLLM", local.VLLM, map[string]string{"GET /v1/models": `{"data":[{"id":"Qwen/Qwen3-32B","max_model_len":40960}]}`}, []model.Offered{{ID: "Qwen/Qwen3-32B", InputTokens: 40960}}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			s := serve(t, tt.says)
			g := local.New(&chat{}, local.Options{Kind: tt.kind, Address: s.url})
			if len(s.asked) > 0 {
				t.Error("the server was asked before it was chosen")
			}
			got, err := g.Models(t.Context())
			if d := cmp.Diff(tt.want, got); d != "" || err != nil {
				t.Errorf("%v (-want +got):\n%s", err, d)
			}
			if n := g.Known(tt.want[0].ID).InputTokens; n != tt.want[0].InputTokens {
				t.Errorf("the context is %d", n)
			}
		})
	}
}

// stream asks for an answer.
func stream(t *testing.T, g model.Generator, name string) error {
	t.Helper()
	req := model.Request{
		Model: name, Tools: []model.Tool{{Name: "read", Schema: []byte(`{"type":"object"}`)}},
		Messages: []model.Message{{Role: model.User, Parts: []model.Part{model.Text{Text: "hi"}}}},
	}
	for _, err := range g.Stream(t.Context(), req) {
		if err != nil {
			return err
		}
	}
	return nil
}

// said returns the catalogue with what the user says of a model of Ollama.
func said(t *testing.T, name, entry string) *catalogue.Catalogue {
	t.Helper()
	entry = strings.Replace(entry, "{", `{"provider":"ollama",`, 1)
	c, err := catalogue.BuiltIn().Merge(map[string]json.RawMessage{name: []byte(strings.Replace(entry, ",}", "}", 1))})
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func TestModelsThatCannotCallAreGivenText(t *testing.T) {
	for _, tt := range []struct {
		name, model string
		user        string // what the user says in the catalogue
		native      bool
	}{
		{"it calls tools", "qwen3:8b", `{}`, true},
		{"it cannot", "gemma:2b", `{}`, false},
		{"the server does not say", "old", `{}`, true},
		{"the user says that it cannot", "qwen3:8b", `{"tools":false}`, false},
		{"the user says nothing of it", "gemma:2b", `{"context":4096}`, false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			s, c := serve(t, ollama), &chat{}
			g := local.New(c, local.Options{Kind: local.Ollama, Address: s.url, Catalogue: said(t, tt.model, tt.user)})
			for range 2 {
				if err := stream(t, g, tt.model); err != nil {
					t.Fatal(err)
				}
			}
			if native := len(c.asked[1].Tools) == 1; native != tt.native || native == strings.Contains(c.asked[1].System, "<tools>") {
				t.Errorf("tools were sent natively: %v, with the system prompt %q", native, c.asked[1].System)
			}
			if n := len(s.asked); n > 2 { // show and ps, once
				t.Errorf("the server was asked %q", s.asked)
			}
		})
	}
}

func TestFailures(t *testing.T) {
	gone := httptest.NewServer(http.NotFoundHandler())
	gone.Close()
	page := serve(t, map[string]string{"GET /v1/models": "hello"})
	for _, tt := range []struct {
		name    string
		kind    local.Kind
		address string
		model   string
		want    model.ErrorKind
		says    string
	}{
		{"another name", local.Ollama, serve(t, ollama).url, "qwen3", model.NotFound, `has no model "qwen3"; it has qwen3:8b, gemma:2b, old`},
		{"a server without models", local.Ollama, serve(t, map[string]string{"GET /api/tags": `{"models":[]}`}).url, "x", model.NotFound, "it has none"},
		{"no server", local.LMStudio, gone.URL, "x", model.Unavailable, "no lmstudio server answers at 127.0.0.1:"},
		{"another server", local.VLLM, page.url, "x", model.Invalid, "does not answer like vllm"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			c := &chat{}
			err := stream(t, local.New(c, local.Options{Kind: tt.kind, Address: tt.address}), tt.model)
			e, ok := errors.AsType[*model.Error](err)
			if !ok || e.Kind != tt.want || !strings.Contains(e.Message, tt.says) || len(c.asked) > 0 {
				t.Errorf("got %v, after %d requests for answers", err, len(c.asked))
			}
		})
	}
}

func TestLlamaHasOneModelUnderAnyName(t *testing.T) {
	s := serve(t, map[string]string{"GET /v1/models": `{"data":[{"id":"/models/a.gguf"}]}`, "GET /props": `{"default_generation_settings":{"n_ctx":4096}}`})
	if err := stream(t, local.New(&chat{}, local.Options{Kind: local.LlamaCpp, Address: s.url}), "anything"); err != nil {
		t.Error(err)
	}
}

func TestModelsThatCannotSeeGetNotes(t *testing.T) {
	props := func(vision string) map[string]string {
		return map[string]string{"GET /v1/models": `{"data":[{"id":"model.gguf"}]}`, "GET /props": `{"modalities":{"vision":` + vision + `}}`}
	}
	for _, tt := range []struct {
		name, model string
		kind        local.Kind
		says        map[string]string
		user        *bool // what the catalogue says
		sees        bool
	}{
		{"Ollama says that it sees", "gemma:2b", local.Ollama, ollama, nil, true},
		{"Ollama says that it does not", "qwen3:8b", local.Ollama, ollama, nil, false},
		{"Ollama does not say", "old", local.Ollama, ollama, nil, true},
		{"the user says otherwise", "qwen3:8b", local.Ollama, ollama, new(true), true},
		{"the user says that it does not", "gemma:2b", local.Ollama, ollama, new(false), false},
		{"llama.cpp with a projector, under another name", "any", local.LlamaCpp, props("true"), nil, true},
		{"llama.cpp without one", "any", local.LlamaCpp, props("false"), nil, false},
		{"vLLM, which never says", "m", local.VLLM, map[string]string{"GET /v1/models": `{"data":[{"id":"m"}]}`}, nil, true},
	} {
		t.Run(tt.name, func(t *testing.T) {
			s := serve(t, tt.says)
			c := &chat{}
			g := model.Seeing(local.New(c, local.Options{Kind: tt.kind, Address: s.url}), func(string) *bool { return tt.user })
			pixel, err := base64.StdEncoding.DecodeString("iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAAAAAA6fptVAAAACklEQVR4nGNgAAAAAgABSK+kcQAAAABJRU5ErkJggg==")
			if err != nil {
				t.Fatal(err)
			}
			picture := model.Blob{MIME: "image/png", Data: pixel}
			req := model.Request{Model: tt.model, Messages: []model.Message{{Role: model.User, Parts: []model.Part{picture}}}}
			unseen := 0
			for c, err := range g.Stream(t.Context(), req) {
				if err != nil {
					t.Fatal(err)
				}
				if c.Unsent != nil {
					unseen += c.Unsent.Pictures
				}
			}
			want := model.Parts{picture}
			if !tt.sees {
				want = model.Parts{model.Text{Text: "[a picture of the type image/png is left out: this model cannot see pictures]", Given: true}}
			}
			if d := cmp.Diff(want, c.asked[0].Messages[0].Parts); d != "" || (unseen == 0) != tt.sees {
				t.Errorf("%d are unseen (-want +got):\n%s", unseen, d)
			}
		})
	}
}
