// Package e2e_test talks to an OpenAI-compatible server of others, which install.sh
// installs. make test does that.
package e2e_test

import (
	"bufio"
	"context"
	"encoding/json"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"go.uber.org/goleak"

	"github.com/emendo-dev/emendo/agent/model"
	"github.com/emendo-dev/emendo/agent/model/catalogue"
	"github.com/emendo-dev/emendo/agent/model/openai"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

var listening = regexp.MustCompile(`listening on (http://127\.0\.0\.1:[0-9]+)`)

// serve starts the server and returns its base URL.
func serve(t *testing.T) string {
	t.Helper()
	if testing.Short() {
		t.Skip("needs Node and a server of others")
	}
	program, err := filepath.Abs(filepath.Join("node_modules", "@copilotkit", "aimock", "dist", "cli.js"))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(program); err != nil {
		t.Fatalf("%v: run agent/model/openai/e2e/install.sh, as make test does", err)
	}
	node := exec.CommandContext(t.Context(), "node", program, "--port", "0", "--strict", "--fixtures", filepath.Join("testdata", "replies.json"))
	node.Stderr = os.Stderr
	out, err := node.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := node.Start(); err != nil {
		t.Fatal(err)
	}
	read := make(chan struct{})
	url := make(chan string, 1)
	go func() {
		defer close(read)
		for lines := bufio.NewScanner(out); lines.Scan(); {
			if m := listening.FindStringSubmatch(lines.Text()); m != nil {
				url <- m[1]
			}
		}
	}()
	t.Cleanup(func() {
		node.Process.Kill() //nolint:errcheck // it may have ended
		<-read
		node.Wait() //nolint:errcheck // it was killed
	})
	select {
	case u := <-url:
		return u + "/v1"
	case <-read:
		t.Fatal("the server ended before it listened")
	case <-time.After(time.Minute):
		t.Fatal("the server does not listen")
	}
	return ""
}

// answer collects the content of a stream.
type answer struct {
	Thought, Text string
	Calls         []model.Call
	Finish        model.Finish
	Counted       bool
}

func ask(ctx context.Context, g model.Generator, req model.Request) (answer, error) {
	var a answer
	for c, err := range g.Stream(ctx, req) {
		if err != nil {
			return a, err
		}
		for _, p := range c.Parts {
			switch p := p.(type) {
			case model.Thought:
				a.Thought += p.Text
			case model.Text:
				a.Text += p.Text
			case model.Call:
				a.Calls = append(a.Calls, p)
			case model.Blob, model.Result:
			}
		}
		if c.Finish != "" {
			a.Finish = c.Finish
		}
		a.Counted = a.Counted || c.Usage != nil && c.Usage.Input > 0 && c.Usage.Output > 0
	}
	return a, nil
}

func user(parts ...model.Part) model.Message {
	return model.Message{Role: model.User, Parts: parts}
}

func TestServerOfOthers(t *testing.T) {
	base := serve(t)
	for _, api := range []struct {
		name string
		o    openai.Options
		poor bool // the server neither counts tokens nor says why an answer ended
	}{
		{"chat completions", openai.Options{API: openai.ChatCompletions, Compatible: true}, false},
		{"chat completions in OpenAI's dialect", openai.Options{API: openai.ChatCompletions}, false},
		{"responses", openai.Options{API: openai.Responses, Traits: func(string) (catalogue.Model, bool) {
			return catalogue.Model{Abilities: catalogue.Abilities{Thinking: catalogue.Efforts}}, true
		}}, true},
	} {
		t.Run(api.name, func(t *testing.T) {
			way := http.DefaultTransport.(*http.Transport).Clone()
			t.Cleanup(way.CloseIdleConnections)
			o := api.o
			o.BaseURL, o.Way.HTTP = base, way
			g, err := openai.New(o)
			if err != nil {
				t.Fatal(err)
			}
			t.Run("answers", func(t *testing.T) { answers(t, g, api.poor) })
			t.Run("tools", func(t *testing.T) { tools(t, g) })
			t.Run("failures", func(t *testing.T) { failures(t, g) })
			t.Run("models", func(t *testing.T) {
				if all, err := g.Models(t.Context()); err != nil || len(all) == 0 {
					t.Errorf("%v %v", all, err)
				}
			})
		})
	}
}

func answers(t *testing.T, g model.Generator, poor bool) {
	for _, tt := range []struct {
		says string
		more []model.Part
		want answer
	}{
		{"say hello", nil, answer{Thought: "**Greeting** They want a greeting.", Text: `Hello, "you" <there>! Größe: ✓`, Finish: model.Stop, Counted: true}},
		{"what is in the picture", []model.Part{model.Blob{MIME: "image/png", Data: []byte("\x89PNG")}}, answer{Text: "A dot.", Finish: model.Stop, Counted: true}},
		{"run out of tokens", nil, answer{Text: "This is not the", Finish: model.MaxTokens, Counted: true}},
		{"be filtered", nil, answer{Text: "This is", Finish: model.Safety, Counted: true}},
	} {
		t.Run(tt.says, func(t *testing.T) {
			req := model.Request{Model: "gpt-5.4", System: "be brief", Messages: []model.Message{user(append([]model.Part{model.Text{Text: tt.says}}, tt.more...)...)}}
			got, err := ask(t.Context(), g, req)
			if err != nil {
				t.Fatal(err)
			}
			if poor {
				tt.want.Counted, tt.want.Finish = got.Counted, got.Finish
			}
			if d := cmp.Diff(tt.want, got); d != "" || got.Finish == "" {
				t.Errorf("(-want +got):\n%s", d)
			}
		})
	}
}

// The results of two calls go back, and the server finds them by its own IDs.
func tools(t *testing.T, g model.Generator) {
	req := model.Request{
		Model: "gpt-5.4", Messages: []model.Message{user(model.Text{Text: "read both"})},
		Tools: []model.Tool{{Name: "read_file", Schema: json.RawMessage(`{"type":"object","properties":{"path":{"type":"string"}}}`)}},
	}
	first, err := ask(t.Context(), g, req)
	if err != nil {
		t.Fatal(err)
	}
	parts := []model.Part{model.Text{Text: first.Text}}
	var results []model.Part
	var args []string
	for i, c := range first.Calls {
		if c.ProviderID == "" || c.Name != "read_file" {
			t.Errorf("it calls %q by the id %q", c.Name, c.ProviderID)
		}
		parts, args = append(parts, c), append(args, string(c.Args))
		results = append(results, model.Result{CallID: c.ID, ProviderID: c.ProviderID, Name: c.Name, Output: "contents of " + string(rune('a'+i))})
	}
	if d := cmp.Diff([]string{`{"path": "a", "big": 9007199254740993}`, `{"path":"b"}`}, args); d != "" || first.Text != "I read both." || first.Finish != model.Stop {
		t.Fatalf("%+v (-want +got):\n%s", first, d)
	}
	req.Messages = append(req.Messages, model.Message{Role: model.Model, Parts: parts}, user(results...))
	second, err := ask(t.Context(), g, req)
	if err != nil {
		t.Fatal(err)
	}
	if second.Text != "Both are read." {
		t.Errorf("it says %q", second.Text)
	}
}

func failures(t *testing.T, g model.Generator) {
	for _, tt := range []struct {
		says string
		want model.Error // Message is a part of it
	}{
		{"be limited", model.Error{Kind: model.RateLimited, Status: 429, Message: "Rate limited", RetryAfter: 7 * time.Second}},
		{"have no quota", model.Error{Kind: model.Quota, Status: 429, Message: "exceeded your current quota"}},
		{"be too long", model.Error{Kind: model.Overflow, Status: 400, Message: "maximum context length", Counted: 5000, Limit: 4096}},
		{"crash", model.Error{Kind: model.Unavailable, Status: 500, Message: "out of memory"}},
		{"break off", model.Error{Kind: model.Cut, Status: 200, Message: "the response"}},
	} {
		t.Run(tt.says, func(t *testing.T) {
			_, err := ask(t.Context(), g, model.Request{Model: "gpt-5.4", Messages: []model.Message{user(model.Text{Text: tt.says})}})
			e, ok := err.(*model.Error) //nolint:errorlint // what a generator yields
			if !ok {
				t.Fatalf("%T %v", err, err)
			}
			got := *e
			if !strings.Contains(got.Message, tt.want.Message) {
				t.Errorf("says %q, want %q", got.Message, tt.want.Message)
			}
			got.Message, got.Err = tt.want.Message, nil
			if got != tt.want {
				t.Errorf("got %+v, want %+v", got, tt.want)
			}
		})
	}
}
