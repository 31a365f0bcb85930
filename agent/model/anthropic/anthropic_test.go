package anthropic_test

import (
	"context"
	"encoding/json"
	"net/http"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"go.uber.org/goleak"

	"github.com/emendo-dev/emendo/agent/model"
	"github.com/emendo-dev/emendo/agent/model/anthropic"
	"github.com/emendo-dev/emendo/agent/model/anthropic/anthropictest"
	"github.com/emendo-dev/emendo/agent/model/catalogue"
	"github.com/emendo-dev/emendo/agent/model/transport"
)

// The client library must not read these: all tests run with them.
var environment = map[string]string{
	"ANTHROPIC_API_KEY": "sk-ant-wrong", "ANTHROPIC_AUTH_TOKEN": "wrong", "ANTHROPIC_BASE_URL": "http://192.0.2.1/", "ANTHROPIC_PROFILE": "wrong",
	"ANTHROPIC_CUSTOM_HEADERS": "X-Wrong: yes", "ANTHROPIC_CONFIG_DIR": "/nonexistent", "ANTHROPIC_OPEN_TELEMETRY": "true",
}

func TestMain(m *testing.M) {
	for name, value := range environment {
		if err := os.Setenv(name, value); err != nil {
			panic(err)
		}
	}
	// opencensus, which another client library links, starts a worker at init.
	goleak.VerifyTestMain(m, goleak.IgnoreTopFunction("go.opencensus.io/stats/view.(*worker).start"))
}

// The models of the test server, one of each kind.
const (
	adaptive    = "claude-opus-5-5"
	always      = "claude-mythos-5-1"
	budgets     = "claude-haiku-4-5"
	thoughtless = "claude-thoughtless"
)

var efforts = []string{"low", "medium", "high", "xhigh", "max"}

// traits are those of the models above.
var traits = map[string]catalogue.Model{
	adaptive:    {ID: adaptive, Output: 128_000, Abilities: catalogue.Abilities{Thinking: catalogue.Adaptive, Efforts: efforts, Sampling: new(false)}},
	always:      {ID: always, Output: 128_000, Abilities: catalogue.Abilities{Thinking: catalogue.Adaptive, AlwaysThinks: new(true), Efforts: efforts, Sampling: new(false)}},
	budgets:     {ID: budgets, Output: 64_000, Abilities: catalogue.Abilities{Thinking: catalogue.Budgets}},
	thoughtless: {ID: thoughtless, Output: 8192},
}

// client returns a generator for the server, with connections that end with the test.
func client(t testing.TB, s *anthropictest.Server, change func(*anthropic.Options)) *anthropic.Generator {
	t.Helper()
	way := http.DefaultTransport.(*http.Transport).Clone()
	t.Cleanup(way.CloseIdleConnections)
	o := anthropic.Options{
		APIKey: s.Key, BaseURL: s.URL,
		Traits: func(name string) (catalogue.Model, bool) { tr, ok := traits[name]; return tr, ok }, Way: transport.Options{HTTP: way, UserAgent: "emendo/test"},
	}
	if change != nil {
		change(&o)
	}
	g, err := anthropic.New(o)
	if err != nil {
		t.Fatal(err)
	}
	return g
}

// says returns a message of the user's.
func says(parts ...model.Part) model.Message { return model.Message{Role: model.User, Parts: parts} }

// ask returns a request with one question.
func ask(name, text string) model.Request {
	return model.Request{Model: name, Messages: []model.Message{says(model.Text{Text: text})}}
}

// answer is everything that a stream yielded.
type answer struct {
	Parts     []model.Part
	Finish    model.Finish
	Word      string
	Usage     model.Usage
	Citations []model.Citation
	Grounding *model.Grounding
	ID        string
}

// text returns the text without thoughts.
func (a answer) text() string {
	var b strings.Builder
	for _, p := range a.Parts {
		if t, ok := p.(model.Text); ok {
			b.WriteString(t.Text)
		}
	}
	return b.String()
}

// collect reads a stream to its end.
func collect(ctx context.Context, g model.Generator, req model.Request) (answer, error) {
	var a answer
	for c, err := range g.Stream(ctx, req) {
		if err != nil {
			return a, err
		}
		a.Parts = append(a.Parts, c.Parts...)
		if c.Finish != "" {
			a.Finish, a.Word = c.Finish, c.FinishWord
		}
		if c.Usage != nil {
			a.Usage = *c.Usage
		}
		if c.Grounding != nil {
			a.Grounding = c.Grounding
		}
		a.Citations = append(a.Citations, c.Citations...)
		if c.ResponseID != "" {
			a.ID = c.ResponseID
		}
	}
	return a, nil
}

// anonymous returns the parts with "id" in place of the IDs of calls, which are
// random, and without the rest of signatures.
func (a answer) anonymous() answer {
	parts := a.Parts
	a.Parts = nil
	for _, p := range parts {
		switch v := p.(type) { //nolint:gochecksumtype // the others have neither
		case model.Call:
			v.ID = "id"
			p = v
		case model.Text:
			if v.Signature != nil {
				var block struct{ Type, Thinking, Data string }
				if json.Unmarshal([]byte(strings.TrimPrefix(string(v.Signature), "anthropic:")), &block) == nil {
					v.Signature = []byte(block.Type + " " + block.Thinking + block.Data)
				}
			}
			p = v
		}
		a.Parts = append(a.Parts, p)
	}
	return a
}

func TestStreamTranslatesAnswers(t *testing.T) {
	const stop = "end_turn"
	one := model.Usage{Input: 10, Output: 1, Total: 11}
	two := model.Usage{Input: 10, Output: 2, Total: 12}
	three := model.Usage{Input: 10, Output: 3, Total: 13}
	counts := anthropictest.Say("x")
	counts.Events[0].Usage = &anthropictest.Usage{Input: 100, Created: 20, Read: 60, Output: 12, Thoughts: 5}
	for _, tt := range []struct {
		name   string
		model  string
		reply  anthropictest.Reply
		search bool
		want   answer
	}{
		{
			name: "pieces of text", reply: anthropictest.Say("a", "b"),
			want: answer{Parts: []model.Part{model.Text{Text: "a"}, model.Text{Text: "b"}}, Finish: model.Stop, Word: stop, Usage: two},
		},
		{
			name: "thinking, which is signed when it is complete", model: adaptive,
			reply: anthropictest.Do(anthropictest.Think("h"), anthropictest.Think("m"), anthropictest.Text("a")),
			want: answer{Parts: []model.Part{
				model.Thought{Text: "h"}, model.Thought{Text: "m"}, model.Text{Signature: []byte("thinking hm")}, model.Text{Text: "a"},
			}, Finish: model.Stop, Word: stop, Usage: three},
		},
		{
			name: "redacted thinking", model: budgets, reply: anthropictest.Do(anthropictest.Redact("secret"), anthropictest.Text("a")),
			want: answer{Parts: []model.Part{model.Text{Signature: []byte("redacted_thinking secret")}, model.Text{Text: "a"}}, Finish: model.Stop, Word: stop, Usage: two},
		},
		{
			name: "calls with the model's bytes",
			reply: anthropictest.Do(
				anthropictest.Text("now"), anthropictest.Call("read", `{"b": 9007199254740993, "a":"ä\u00e4"}`),
				anthropictest.Event{Parts: []anthropictest.Part{{Call: &anthropictest.ToolUse{ID: "toolu_own", Name: "list"}}}},
			),
			want: answer{Parts: []model.Part{
				model.Text{Text: "now"},
				model.Call{ID: "id", ProviderID: "toolu_1_1", Name: "read", Args: json.RawMessage(`{"b": 9007199254740993, "a":"ä\u00e4"}`)},
				model.Call{ID: "id", ProviderID: "toolu_own", Name: "list", Args: json.RawMessage(`{}`)},
			}, Finish: model.Stop, Word: "tool_use", Usage: three},
		},
		{
			name: "a call that the limit cut short", reply: anthropictest.Reply{Events: []anthropictest.Event{anthropictest.Text("a"), anthropictest.Call("read", `{"path":"a`)}}.Stop("max_tokens"),
			want: answer{Parts: []model.Part{model.Text{Text: "a"}, brokenCall("toolu_1_1", `{"path":"a`)}, Finish: model.MaxTokens, Word: "max_tokens", Usage: two},
		},
		{
			name: "a call with arguments that are not JSON", reply: anthropictest.Do(anthropictest.Call("read", `{"path":}`)),
			want: answer{Parts: []model.Part{brokenCall("toolu_1_0", `{"path":}`)}, Finish: model.Stop, Word: "tool_use", Usage: one},
		},
		{name: "a stop sequence", reply: anthropictest.Say("a").Stop("stop_sequence"), want: answer{Parts: []model.Part{model.Text{Text: "a"}}, Finish: model.Stop, Word: "stop_sequence", Usage: one}},
		{name: "a refusal", reply: anthropictest.Reply{}.Stop("refusal"), want: answer{Finish: model.Safety, Word: "refusal", Usage: model.Usage{Input: 10, Total: 10}}},
		{name: "a refusal that says by which policy", reply: anthropictest.Reply{Events: []anthropictest.Event{{Finish: "refusal", Policy: "cyber"}}}, want: answer{Finish: model.Safety, Word: "refusal: cyber", Usage: model.Usage{Input: 10, Total: 10}}},
		{name: "a full context", reply: anthropictest.Say("a").Stop("model_context_window_exceeded"), want: answer{Parts: []model.Part{model.Text{Text: "a"}}, Finish: model.MaxTokens, Word: "model_context_window_exceeded", Usage: one}},
		{name: "a pause", reply: anthropictest.Say("a").Stop("pause_turn"), want: answer{Parts: []model.Part{model.Text{Text: "a"}}, Finish: model.Other, Word: "pause_turn", Usage: one}},
		{name: "a reason that is new", reply: anthropictest.Say("a").Stop("bored"), want: answer{Parts: []model.Part{model.Text{Text: "a"}}, Finish: model.Other, Word: "bored", Usage: one}},
		{
			name: "counts", reply: counts,
			want: answer{Parts: []model.Part{model.Text{Text: "x"}}, Finish: model.Stop, Word: stop, Usage: model.Usage{Input: 180, Cached: 60, Output: 7, Thought: 5, Total: 192}},
		},
		{
			name: "a search", search: true,
			reply: anthropictest.Do(
				anthropictest.Event{Parts: []anthropictest.Part{{Search: &anthropictest.Search{Query: "go", Results: []anthropictest.Citation{{Title: "Go", URI: "https://go.dev"}, {Title: "Other", URI: "https://example.com"}}}}}},
				anthropictest.Text("Look: "),
				anthropictest.Event{Parts: []anthropictest.Part{{Text: "Go is ä.", Break: true, Citations: []anthropictest.Citation{{Title: "Go", URI: "https://go.dev"}}}}},
			),
			want: answer{
				Parts: []model.Part{model.Text{Text: "Look: "}, model.Text{Text: "Go is ä."}}, Finish: model.Stop, Word: stop, Usage: three,
				Citations: []model.Citation{{Title: "Go", URI: "https://go.dev"}},
				Grounding: &model.Grounding{Sources: []model.Citation{{Title: "Go", URI: "https://go.dev"}}, Passages: []model.Passage{{End: 15, Text: "Go is ä.", Sources: []int{0}}}},
			},
		},
		{
			name: "a search whose results the answer does not cite", search: true,
			reply: anthropictest.Do(
				anthropictest.Event{Parts: []anthropictest.Part{{Search: &anthropictest.Search{Query: "go", Results: []anthropictest.Citation{{Title: "Go", URI: "https://go.dev"}}}}}},
				anthropictest.Text("Nothing."),
			),
			want: answer{
				Parts: []model.Part{model.Text{Text: "Nothing."}}, Finish: model.Stop, Word: stop, Usage: two,
				Grounding: &model.Grounding{Sources: []model.Citation{{Title: "Go", URI: "https://go.dev"}}},
			},
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			s := anthropictest.New(t, tt.reply)
			req := ask(thoughtless, "hi")
			if tt.model != "" {
				req.Model = tt.model
			}
			req.Search = tt.search
			got, err := collect(t.Context(), client(t, s, nil), req)
			if err != nil {
				t.Fatal(err)
			}
			tt.want.ID = "msg_1"
			if diff := cmp.Diff(tt.want, got.anonymous()); diff != "" {
				t.Errorf("(-want +got)\n%s", diff)
			}
		})
	}
}

func TestNewRejectsOptionsThatCannotWork(t *testing.T) {
	for _, tt := range []struct {
		name string
		o    anthropic.Options
		want model.ErrorKind // empty: accepted
	}{
		{name: "no key", want: model.Auth},
		{name: "a key of white space", o: anthropic.Options{APIKey: " \n"}, want: model.Auth},
		{name: "a key", o: anthropic.Options{APIKey: "k"}},
		{name: "a token", o: anthropic.Options{Token: "k"}},
		{name: "a gateway without a key", o: anthropic.Options{BaseURL: "http://localhost:1/x"}},
		{name: "an address that is not one", o: anthropic.Options{APIKey: "k", BaseURL: "localhost"}, want: model.Invalid},
	} {
		t.Run(tt.name, func(t *testing.T) {
			_, err := anthropic.New(tt.o)
			if tt.want == "" && err == nil {
				return
			}
			wantError(t, err, tt.want)
		})
	}
}

func TestNothingIsTakenFromTheEnvironment(t *testing.T) {
	s := anthropictest.New(t, anthropictest.Say("a"))
	if _, err := collect(t.Context(), client(t, s, nil), ask(adaptive, "hi")); err != nil {
		t.Fatal(err)
	}
	h := s.Requests()[0].Header
	got := map[string]string{"x-api-key": h.Get("X-Api-Key"), "authorization": h.Get("Authorization"), "x-wrong": h.Get("X-Wrong"), "user-agent": h.Get("User-Agent"), "traceparent": h.Get("Traceparent")}
	want := map[string]string{"x-api-key": s.Key, "authorization": "", "x-wrong": "", "user-agent": "emendo/test", "traceparent": ""}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
	for name := range h {
		if strings.HasPrefix(name, "X-Stainless-") {
			t.Errorf("the header %s describes the machine", name)
		}
	}
}

func TestTokenReplacesTheKey(t *testing.T) {
	s := anthropictest.Start(anthropictest.Options{Token: "secret-token"}, anthropictest.Say("a"))
	t.Cleanup(s.Close)
	g := client(t, s, func(o *anthropic.Options) { o.APIKey, o.Token = "", "secret-token" })
	if got, err := collect(t.Context(), g, ask(adaptive, "hi")); err != nil || got.text() != "a" {
		t.Errorf("%q, %v", got.text(), err)
	}
}

// brokenCall returns a call of the tool read with these arguments.
func brokenCall(id, args string) model.Call {
	c := model.NewCall(id, "read", []byte(args))
	c.ID = "id"
	return c
}
