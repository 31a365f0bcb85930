// Package e2e_test talks to a real llama.cpp server, which .tools/llama-server/install.sh
// installs. make test does that. The model is one of llamatest's.
package e2e_test

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/emendo-dev/emendo/agent/model"
	"github.com/emendo-dev/emendo/agent/model/local"
	"github.com/emendo-dev/emendo/agent/model/local/llamatest"
	"github.com/emendo-dev/emendo/agent/model/openai"
	"github.com/emendo-dev/emendo/agent/model/transport"
)

// words are the answers of the model.
var words = []llamatest.Answer{
	{Word: llamatest.User, Pieces: []string{"I know ", "no ", "such word."}},
	{Word: llamatest.Tool, Pieces: []string{"The call ", "is done."}},
	{Word: "ZEBRA", Pieces: []string{"A zebra ", "has ", "stripes."}},
	{Word: "WRITE", Pieces: []string{"<tool_call>\n{\"name\": \"write_file\", \"arguments\": {\"file\": \"z.txt\"", ", \"text\": \"one\"}}\n</tool_call>"}},
	{Word: "BOTH", Pieces: []string{
		"<tool_call>\n{\"name\": \"write_file\", \"arguments\": {\"file\": \"first.txt\"", ", \"text\": \"1\"}}\n</tool_call>",
		"\n<tool_call>\n{\"name\": \"write_file\", \"arguments\": {\"file\": \"second.txt\"", ", \"text\": \"2\"}}\n</tool_call>",
	}},
	{Word: "ENDLESS", Pieces: []string{"on ", "and "}, Forever: true},
}

// serve writes a model and prepares a server for it.
func serve(t *testing.T, heavy bool) *llamatest.Server {
	t.Helper()
	if testing.Short() {
		t.Skip("needs a llama.cpp server")
	}
	program := llamatest.Program(t, filepath.Join("..", "..", "..", ".."))
	file := filepath.Join(t.TempDir(), "words.gguf")
	text, err := os.ReadFile("llama_test.go")
	if err != nil {
		t.Fatal(err)
	}
	if err := llamatest.Write(file, llamatest.Options{Answers: words, Text: string(text), Heavy: heavy}); err != nil {
		t.Fatal(err)
	}
	return llamatest.New(t, program, file)
}

// client returns the generator that emendo makes for a llama.cpp server.
func client(t *testing.T, s *llamatest.Server) *local.Generator {
	t.Helper()
	way := http.DefaultTransport.(*http.Transport).Clone()
	t.Cleanup(way.CloseIdleConnections)
	chat, err := openai.New(openai.Options{API: openai.ChatCompletions, Compatible: true, BaseURL: s.URL + "/v1", Way: transport.Options{HTTP: way}})
	if err != nil {
		t.Fatal(err)
	}
	return local.New(chat, local.Options{Kind: local.LlamaCpp, Address: s.URL, Way: transport.Options{HTTP: way}})
}

// write is a tool. The server has the model write parameters in their declared order.
var write = model.Tool{Name: "write_file", Description: "writes", Schema: json.RawMessage(
	`{"type":"object","properties":{"file":{"type":"string"},"text":{"type":"string"}},"required":["file","text"]}`,
)}

func ask(text string, tools ...model.Tool) model.Request {
	return model.Request{Model: "words", System: "You help.", Tools: tools, Messages: []model.Message{{Role: model.User, Parts: []model.Part{model.Text{Text: text}}}}}
}

// answer collects a stream.
type answer struct {
	Texts   []string
	Calls   []string // with their arguments as the model wrote them
	Finish  model.Finish
	Loading bool
	Input   int64
}

func stream(ctx context.Context, g model.Generator, req model.Request) (a answer, err error) {
	for c, err := range g.Stream(ctx, req) {
		if err != nil {
			return a, err
		}
		for _, p := range c.Parts {
			switch p := p.(type) {
			case model.Text:
				a.Texts = append(a.Texts, p.Text)
			case model.Call:
				a.Calls = append(a.Calls, p.Name+" "+string(p.Args))
			case model.Thought, model.Blob, model.Result:
			}
		}
		if c.Finish != "" {
			a.Finish = c.Finish
		}
		if c.Usage != nil {
			a.Input = c.Usage.Input
		}
		a.Loading = a.Loading || c.Retry != nil && c.Retry.Loading
	}
	return a, nil
}

func TestLlamaServer(t *testing.T) {
	s := serve(t, false)
	s.Start(t, 8192)
	s.Ready(t)
	g := client(t, s)
	repeated := model.FallingBack(g, model.FallbackOptions{Retry: model.RetryOptions{}}) // as sessions ask: the server closes connections as they are used again

	t.Run("lists its model with its context", func(t *testing.T) {
		got, err := g.Models(t.Context())
		if err != nil || len(got) != 1 || got[0].InputTokens != 8192 || got[0].Tools == nil || !*got[0].Tools {
			t.Errorf("%+v, %v", got, err)
		}
	})
	t.Run("streams a text", func(t *testing.T) {
		got, err := stream(t.Context(), repeated, ask("What of a ZEBRA?"))
		if err != nil || strings.Join(got.Texts, "") != "A zebra has stripes." || len(got.Texts) < 2 || got.Finish != model.Stop || got.Input < 5 {
			t.Errorf("%+v, %v", got, err)
		}
	})
	t.Run("calls a tool in the declared order of parameters", func(t *testing.T) {
		got, err := stream(t.Context(), repeated, ask("WRITE it", write))
		if d := cmp.Diff([]string{`write_file {"file":"z.txt","text":"one"}`}, squeeze(got.Calls)); d != "" || err != nil {
			t.Errorf("%v (-want +got):\n%s", err, d)
		}
	})
	t.Run("calls two at once", func(t *testing.T) {
		got, err := stream(t.Context(), repeated, ask("BOTH of them", write))
		if d := cmp.Diff([]string{`write_file {"file":"first.txt","text":"1"}`, `write_file {"file":"second.txt","text":"2"}`}, squeeze(got.Calls)); d != "" || err != nil {
			t.Errorf("%v (-want +got):\n%s", err, d)
		}
	})
	t.Run("reads the result of a call", func(t *testing.T) {
		req := ask("WRITE it", write)
		req.Messages = append(req.Messages,
			model.Message{Role: model.Model, Parts: []model.Part{model.Call{ID: "1", Name: "write_file", Args: json.RawMessage(`{"file":"z.txt","text":"one"}`)}}},
			model.Message{Role: model.User, Parts: []model.Part{model.Result{CallID: "1", Name: "write_file", Output: "written"}}})
		if got, err := stream(t.Context(), repeated, req); err != nil || strings.Join(got.Texts, "") != "The call is done." {
			t.Errorf("%+v, %v", got, err)
		}
	})
	t.Run("is free again when an answer is cancelled", func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		n := 0
		for c, err := range g.Stream(ctx, ask("ENDLESS")) {
			if err != nil {
				break
			}
			if n += len(c.Parts); n >= 20 {
				cancel()
			}
		}
		begun := time.Now()
		got, err := stream(t.Context(), repeated, ask("ZEBRA"))
		if err != nil || strings.Join(got.Texts, "") != "A zebra has stripes." || time.Since(begun) > 20*time.Second {
			t.Errorf("after %s: %+v, %v", time.Since(begun), got, err)
		}
	})
	t.Run("says how long a request may be", func(t *testing.T) {
		_, err := stream(t.Context(), g, ask(strings.Repeat("{7}", 8192)))
		e, ok := errors.AsType[*model.Error](err)
		if !ok || e.Kind != model.Overflow || e.Limit != 8192 || e.Counted <= 8192 {
			t.Errorf("%#v", err)
		}
		if got, err := stream(t.Context(), repeated, ask("ZEBRA")); err != nil || len(got.Texts) == 0 {
			t.Errorf("afterwards: %+v, %v", got, err)
		}
	})
	t.Run("is asked again for its context after a restart", func(t *testing.T) {
		s.Stop()
		_, err := stream(t.Context(), g, ask("ZEBRA"))
		if e, ok := errors.AsType[*model.Error](err); !ok || e.Kind != model.Unavailable {
			t.Fatalf("without a server: %v", err)
		}
		s.Start(t, 4096)
		s.Ready(t)
		g.Prepare(t.Context(), "words")
		if got, err := stream(t.Context(), g, ask("ZEBRA")); err != nil || strings.Join(got.Texts, "") != "A zebra has stripes." {
			t.Errorf("%+v, %v", got, err)
		}
		if n := g.Known("words").InputTokens; n != 4096 {
			t.Errorf("the context is %d", n)
		}
	})
}

// squeeze returns calls without the spaces between the tokens of their arguments, in the
// order in which they were written.
func squeeze(calls []string) []string {
	calls = slices.Clone(calls)
	for i, c := range calls {
		calls[i] = strings.NewReplacer(`": "`, `":"`, `", "`, `","`).Replace(c)
	}
	return calls
}

func TestALlamaServerThatIsLoadingIsWaitedFor(t *testing.T) {
	s := serve(t, true)
	s.Start(t, 8192)
	if status := s.Status(t); status != http.StatusServiceUnavailable {
		t.Fatalf("its first answer has the status %d: the model has to take longer to load", status)
	}
	got, err := stream(t.Context(), model.FallingBack(client(t, s), model.FallbackOptions{Retry: model.RetryOptions{Attempts: 1}}), ask("ZEBRA"))
	if err != nil || !got.Loading || strings.Join(got.Texts, "") != "A zebra has stripes." {
		t.Errorf("%+v, %v", got, err)
	}
}
