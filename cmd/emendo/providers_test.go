package main

import (
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/emendo-dev/emendo/agent/model/anthropic/anthropictest"
	"github.com/emendo-dev/emendo/agent/model/gemini/geminitest"
	"github.com/emendo-dev/emendo/agent/model/openai/openaitest"
)

// openAI starts a server that replaces OpenAI's or a compatible one.
func openAI(t *testing.T, o openaitest.Options, replies ...openaitest.Reply) *openaitest.Server {
	t.Helper()
	s := openaitest.Start(o, replies...)
	t.Cleanup(s.Close)
	return s
}

// set replaces environment variables.
func (w *world) set(variables ...string) { w.env = append(w.env, variables...) }

// only removes the credentials of Google.
func (w *world) only(variables ...string) {
	w.set("GEMINI_API_KEY=", "GOOGLE_GEMINI_BASE_URL=")
	w.set(variables...)
}

func (w *world) settings(text string) { w.put(filepath.Join(w.home, "config", "settings.json"), text) }

// Every provider can answer a conversation with a call and then text.
func TestProvidersAnswer(t *testing.T) {
	read := [2]string{"read_file", `{"file_path":"a.txt"}`}
	openAIReplies := func() []openaitest.Reply {
		return []openaitest.Reply{openaitest.Do(openaitest.Call(read[0], read[1])), openaitest.Say("It says one.")}
	}
	for _, tt := range []struct {
		name  string
		start func(t *testing.T, w *world) (paths func() []string) // of the requests for answers
		args  []string
		path  string
	}{
		{"OpenAI by its key alone", func(t *testing.T, w *world) func() []string {
			s := openAI(t, openaitest.Options{Models: []string{"gpt-6.2-astra"}}, openAIReplies()...)
			w.only("OPENAI_API_KEY=" + s.Key)
			w.settings(`{"model.providers": {"openai": {"baseUrl": "` + s.URL + `", "api": "responses"}}}`)
			return func() []string { return pathsOf(t, s) }
		}, nil, "/v1/responses"},
		{"OpenAI's language at a base URL", func(t *testing.T, w *world) func() []string {
			s := openAI(t, openaitest.Options{Compatible: true}, openAIReplies()...)
			w.set("OPENAI_API_KEY="+s.Key, "OPENAI_BASE_URL="+s.URL)
			return func() []string { return pathsOf(t, s) }
		}, []string{"-m", "openai/local-model"}, "/v1/chat/completions"},
		{"a server of the settings", func(t *testing.T, w *world) func() []string {
			s := openAI(t, openaitest.Options{Compatible: true, Key: "key-of-the-lab"}, openAIReplies()...)
			w.only("LAB_KEY=key-of-the-lab", "TEAM=blue")
			w.settings(`{"model.providers": {"lab": {"baseUrl": "` + s.URL + `", "keyVariable": "LAB_KEY", "headers": {"X-Team": "$TEAM"}}}}`)
			return func() []string {
				for _, r := range s.Requests() {
					if r.Header.Get("X-Team") != "blue" {
						t.Errorf("the headers are %v", r.Header)
					}
				}
				return pathsOf(t, s)
			}
		}, []string{"-m", "lab/local-model"}, "/v1/chat/completions"},
		{"Anthropic by its key alone", func(t *testing.T, w *world) func() []string {
			s := anthropictest.New(t, anthropictest.Do(anthropictest.Think("Hm."), anthropictest.Call(read[0], read[1])), anthropictest.Say("It says one."))
			w.only("ANTHROPIC_API_KEY="+s.Key, "ANTHROPIC_BASE_URL="+s.URL)
			return func() (l []string) {
				for _, r := range s.Requests() {
					if r.Refused != "" {
						t.Errorf("refused: %s", r.Refused)
					}
					l = append(l, r.Path)
				}
				return l
			}
		}, nil, "/v1/messages"},
		{"Ollama", func(t *testing.T, w *world) func() []string {
			s := openAI(t, openaitest.Options{Compatible: true, Open: true}, openAIReplies()...)
			w.only("OLLAMA_HOST=" + ollama(t, s, true))
			return func() []string { return pathsOf(t, s) }
		}, []string{"-m", "ollama/local-model"}, "/v1/chat/completions"},
		{"a model of Ollama that writes its calls", func(t *testing.T, w *world) func() []string {
			s := openAI(
				t, openaitest.Options{Compatible: true, Open: true},
				openaitest.Say("I look.\n<tool_call>\n{\"name\": \"", "read_file\", \"arguments\": ", read[1], "}\n</tool_call>"), openaitest.Say("It says one."),
			)
			w.only("OLLAMA_HOST=" + ollama(t, s, false))
			return func() []string { return pathsOf(t, s) }
		}, []string{"-m", "ollama/local-model"}, "/v1/chat/completions"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			w := newWorld(t)
			w.write("a.txt", "one\n")
			paths := tt.start(t, w)
			file := filepath.Join(t.TempDir(), "answers.jsonl")
			r := w.run(append(tt.args, "-p", "What does a.txt say?", "--record", file)...)
			r.wantCode(t, exitOK)
			if !strings.Contains(r.stdout, "It says one.") {
				t.Errorf("it says %q, and on standard error %q", r.stdout, r.stderr)
			}
			got := paths()
			if len(got) != 2 || got[0] != tt.path || got[1] != tt.path {
				t.Errorf("requests for answers: %q", got)
			}
			if n := len(w.model.Requests()); n != 0 {
				t.Errorf("Google was asked %d times", n)
			}
			again := w.run("-p", "What does a.txt say?", "-m", "replay:"+file)
			again.wantCode(t, exitOK)
			if again.stdout != r.stdout || len(paths()) != 2 {
				t.Errorf("the recording says %q, the model said %q", again.stdout, r.stdout)
			}
		})
	}
}

// pathsOf returns the paths of requests for answers, and fails if one was rejected.
func pathsOf(t *testing.T, s *openaitest.Server) (l []string) {
	t.Helper()
	for _, r := range s.Requests() {
		if r.Refused != "" {
			t.Errorf("refused: %s", r.Refused)
		}
		l = append(l, r.Path)
	}
	return l
}

// ollama starts a server with Ollama's own requests in addition to those of s, and
// returns its address.
func ollama(t *testing.T, s *openaitest.Server, tools bool) string {
	t.Helper()
	abilities := []string{"completion"}
	if tools {
		abilities = append(abilities, "tools")
	}
	h := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var answer any
		switch r.URL.Path {
		case "/api/tags":
			answer = map[string]any{"models": []any{map[string]any{"name": "local-model"}}}
		case "/api/show":
			answer = map[string]any{"capabilities": abilities, "model_info": map[string]any{"llama.context_length": 131072}}
		case "/api/ps":
			answer = map[string]any{"models": []any{}}
		case "/api/chat": // it is not Ollama itself
			http.NotFound(w, r)
			return
		default:
			s.ServeHTTP(w, r)
			return
		}
		w.Header().Set("Content-Type", "application/json")
		if err := json.NewEncoder(w).Encode(answer); err != nil {
			t.Error(err)
		}
	}))
	t.Cleanup(h.Close)
	return strings.TrimPrefix(h.URL, "http://")
}

// A session continues with another provider. Data that only one provider understands is
// not sent to the other, but is sent to the first again later.
func TestAnotherProviderResumesASession(t *testing.T) {
	w := newWorld(t, geminitest.Do(geminitest.Call("read_file", `{"file_path":"a.txt"}`)), geminitest.Say("By Google."), geminitest.Say("Google again."))
	w.write("a.txt", "one\n")
	s := anthropictest.New(t, anthropictest.Do(anthropictest.Think("Hm."), anthropictest.Call("read_file", `{"file_path":"a.txt"}`)), anthropictest.Say("By Anthropic."), anthropictest.Say("Anthropic again."))
	w.set("ANTHROPIC_API_KEY="+s.Key, "ANTHROPIC_BASE_URL="+s.URL)
	for i, turn := range [][2]string{{"gemini-3.1-pro-preview", "By Google."}, {"anthropic/claude-opus-5-5", "By Anthropic."}, {"gemini-3.1-pro-preview", "Google again."}, {"anthropic/claude-opus-5-5", "Anthropic again."}} {
		args := []string{"-p", "Read a.txt", "-m", turn[0]}
		if i > 0 {
			args = append(args, "--resume", "latest")
		}
		r := w.run(args...)
		r.wantCode(t, exitOK)
		if !strings.Contains(r.stdout, turn[1]) {
			t.Errorf("%s says %q, %q", turn[0], r.stdout, r.stderr)
		}
	}
	for _, r := range s.Requests() {
		if r.Refused != "" {
			t.Errorf("Anthropic refused: %s", r.Refused)
		}
	}
	for _, r := range w.model.Requests() {
		if r.Refused != "" {
			t.Errorf("Google refused: %s", r.Refused)
		}
	}
}

// The hint names no model that the server lacks, as far as it lists its models.
func TestNearestModelIsNamed(t *testing.T) {
	for lists, want := range map[string]string{`{"data":[{"id":"gpt-6.2-soil"},{"id":"mine"}]}`: "gpt-6.2-soil", `{"data":[]}`: "gpt-6.2-sol"} {
		lab := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Content-Type", "application/json")
			if r.URL.Path == "/v1/models" {
				_, _ = io.WriteString(w, lists)
				return
			}
			w.WriteHeader(http.StatusNotFound)
			_, _ = io.WriteString(w, `{"error":{"message":"no such model","code":"model_not_found"}}`)
		}))
		t.Cleanup(lab.Close)
		for _, api := range []string{"chat", "responses"} {
			w := newWorld(t)
			w.set("OPENAI_API_KEY=x")
			w.settings(`{"model.providers": {"openai": {"baseUrl": "` + lab.URL + `/v1", "api": "` + api + `"}}}`)
			r := w.run("-p", "hi", "-m", "openai/gpt-6.2-sole")
			r.wantCode(t, exitConfig)
			r.wantLine(t, "emendo: ", `did you mean "`+want+`"?`)
		}
	}
}

// A project cannot configure where conversations are sent.
func TestProjectsConfigureNoProvider(t *testing.T) {
	w := newWorld(t, geminitest.Say("ok"))
	w.write(".emendo/settings.json", `{"model.providers": {"gemini": {"baseUrl": "http://127.0.0.1:1"}}, "model.catalogue": {"`+newest(t, "auto")+`": {"remove": true}}, "model.logText": true}`)
	w.exec("trust", "add").wantCode(t, exitOK)
	r := w.run("-p", "hi")
	r.wantCode(t, exitOK)
	for _, key := range []string{"model.providers", "model.catalogue", "model.logText"} {
		if !strings.Contains(r.stderr, key) {
			t.Errorf("no warning about %s: %s", key, r.stderr)
		}
	}
	if reqs := w.model.Requests(); len(reqs) != 1 || reqs[0].Model != newest(t, "auto") {
		t.Errorf("%d requests", len(reqs))
	}
}

// The log has sizes and times of each request, and texts only if enabled.
func TestRequestsAreLogged(t *testing.T) {
	for name, c := range map[string]struct {
		settings string
		text     bool
	}{"by default": {`{}`, false}, "with texts": {`{"model.logText": true}`, true}} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t, geminitest.Say("a secret answer"))
			w.settings(c.settings)
			r := w.run("-p", "a secret question", "--debug")
			r.wantCode(t, exitOK)
			if !strings.Contains(r.stderr, "model request") || !strings.Contains(r.stderr, "provider=gemini") || !strings.Contains(r.stderr, "finish=stop") {
				t.Errorf("standard error is %s", r.stderr)
			}
			if strings.Contains(r.stderr, "a secret answer") != c.text {
				t.Errorf("the text is in the log: %v", !c.text)
			}
			if _, err := os.Stat(w.home); err != nil {
				t.Error(err)
			}
		})
	}
}
