package main

import (
	"encoding/json"
	"net"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/emendo-dev/emendo/acp/acptest"
	"github.com/emendo-dev/emendo/agent/model/openai/openaitest"
	"github.com/emendo-dev/emendo/cmd/emendo/models"
)

// nobody returns an address at which no server listens.
func nobody(t *testing.T) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	return "http://" + l.Addr().String()
}

func TestModelsAreListedWithoutACloudKey(t *testing.T) {
	lists := func(path, body string) string {
		h := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if r.URL.Path != path {
				http.NotFound(w, r)
				return
			}
			w.Header().Set("Content-Type", "application/json")
			_, _ = w.Write([]byte(body))
		}))
		t.Cleanup(h.Close)
		return h.URL
	}
	vllm := lists("/v1/models", `{"data":[{"id":"Qwen/Qwen3-32B","max_model_len":40960}]}`)
	lab := lists("/v1/models", `{"data":[{"id":"mine","meta":{"n_ctx":8192}}]}`)
	w := newWorld(t)
	w.only("OLLAMA_HOST=" + nobody(t))
	w.settings(`{"model.providers": {"lmstudio": {"baseUrl": "` + nobody(t) + `"}, "llamacpp": {"baseUrl": "` + nobody(t) + `"}, "vllm": {"baseUrl": "` + vllm + `"}, "lab": {"baseUrl": "` + lab + `/v1"}}}`)
	r := w.exec("models", "--json")
	r.wantCode(t, exitOK)
	var got struct{ Providers []models.Provider }
	if err := json.Unmarshal([]byte(r.stdout), &got); err != nil {
		t.Fatalf("%v: %s", err, r.stdout)
	}
	by := map[string]models.Provider{}
	for _, p := range got.Providers {
		by[p.Name] = p
	}
	if p := by["vllm"]; p.From != "server" || len(p.Models) != 1 || p.Models[0].ID != "vllm/Qwen/Qwen3-32B" || p.Models[0].ContextLimit != 40960 {
		t.Errorf("vllm: %+v", p)
	}
	if p := by["lab"]; p.From != "server" || len(p.Models) != 1 || p.Models[0].ID != "lab/mine" || p.Models[0].ContextLimit != 8192 {
		t.Errorf("lab: %+v", p)
	}
	for name, says := range map[string]string{"ollama": "no ollama server answers", "llamacpp": "no llamacpp server answers", "openai": "OPENAI_API_KEY", "gemini": "GEMINI_API_KEY", "anthropic": "ANTHROPIC_API_KEY"} {
		if p := by[name]; p.From != "" || len(p.Models) > 0 || !strings.Contains(p.Error, says) {
			t.Errorf("%s: %+v, want an error with %q", name, p, says)
		}
	}
	r = w.exec("models")
	r.wantCode(t, exitOK)
	for _, says := range []string{"vllm: listed by the server\n", "  vllm/Qwen/Qwen3-32B  40960 tokens", "ollama: no ollama server answers"} {
		if !strings.Contains(r.stdout, says) {
			t.Errorf("it does not say %q:\n%s", says, r.stdout)
		}
	}
}

func TestModelsAreAskedForOnceADay(t *testing.T) {
	var asked atomic.Int32
	s := openAI(t, openaitest.Options{Models: []string{"gpt-6"}})
	h := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		asked.Add(1)
		s.ServeHTTP(w, r)
	}))
	t.Cleanup(h.Close)
	w := newWorld(t)
	w.only("OPENAI_API_KEY="+openaitest.Key, "OPENAI_BASE_URL="+h.URL+"/v1", "OLLAMA_HOST="+nobody(t))
	w.settings(`{"model.providers": {"lmstudio": {"baseUrl": "` + nobody(t) + `"}, "llamacpp": {"baseUrl": "` + nobody(t) + `"}, "vllm": {"baseUrl": "` + nobody(t) + `"}}}`)
	for i, want := range []struct {
		args  []string
		says  string
		asked int32
	}{
		{[]string{"models"}, "openai: listed by the server\n", 1},
		{[]string{"models"}, "--refresh asks again", 1},
		{[]string{"models", "--refresh"}, "openai: listed by the server\n", 2},
	} {
		r := w.exec(want.args...)
		r.wantCode(t, exitOK)
		if !strings.Contains(r.stdout, want.says) || !strings.Contains(r.stdout, "  openai/gpt-6 ") || asked.Load() != want.asked {
			t.Errorf("%d: after %d requests it says\n%s", i, asked.Load(), r.stdout)
		}
	}
}

// Without a key, a client that speaks ACP lists the models of servers here.
func TestACPOffersLocalModelsWithoutAKey(t *testing.T) {
	lab := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		_, _ = w.Write([]byte(`{"data":[{"id":"mine"}]}`))
	}))
	t.Cleanup(lab.Close)
	w := newWorld(t)
	w.only("OLLAMA_HOST=" + nobody(t))
	w.settings(`{"model.providers": {"lmstudio": {"baseUrl": "` + nobody(t) + `"}, "llamacpp": {"baseUrl": "` + nobody(t) + `"}, "vllm": {"baseUrl": "` + nobody(t) + `"}, "lab": {"baseUrl": "` + lab.URL + `/v1"}}}`)
	c := w.acp()
	c.Initialize()
	id := w.acpSession(c)
	u := c.AwaitUpdate("the models", func(u acptest.Update) bool { return u.Update.SessionUpdate == "config_option_update" })
	var offered []string
	for _, o := range u.Update.ConfigOptions {
		for _, v := range o.Options {
			if o.ID == "model" {
				offered = append(offered, v.Value)
			}
		}
	}
	if !slices.Contains(offered, "lab/mine") || slices.ContainsFunc(offered, func(m string) bool { return strings.HasPrefix(m, "gemini") }) {
		t.Errorf("it offers %v", offered)
	}
	c.Must("session/set_config_option", map[string]any{"sessionId": id, "configId": "model", "value": "lab/mine"}, nil)
}
