package openai_test

import (
	"context"
	"encoding/json"
	"net/http"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"go.uber.org/goleak"

	"github.com/emendo-dev/emendo/agent/model"
	"github.com/emendo-dev/emendo/agent/model/catalogue"
	"github.com/emendo-dev/emendo/agent/model/openai"
	"github.com/emendo-dev/emendo/agent/model/openai/openaitest"
	"github.com/emendo-dev/emendo/agent/model/servertest"
	"github.com/emendo-dev/emendo/agent/model/transport"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// traits are those of the models that the server knows.
func traits(name string) (catalogue.Model, bool) {
	if strings.HasPrefix(name, "gpt-5") || strings.HasPrefix(name, "gpt-6") || strings.HasPrefix(name, "o") {
		return catalogue.Model{Abilities: catalogue.Abilities{Thinking: catalogue.Efforts, Efforts: []string{"minimal", "low", "medium", "high"}, Sampling: new(false)}}, true
	}
	return catalogue.Model{}, false
}

// client returns a generator for the server, with connections that end with the test.
func client(t testing.TB, s *openaitest.Server, change func(*openai.Options)) *openai.Generator {
	t.Helper()
	way := http.DefaultTransport.(*http.Transport).Clone()
	t.Cleanup(way.CloseIdleConnections)
	o := openai.Options{APIKey: s.Key, BaseURL: s.URL, Traits: traits, Way: transport.Options{HTTP: way}}
	if change != nil {
		change(&o)
	}
	g, err := openai.New(o)
	if err != nil {
		t.Fatal(err)
	}
	return g
}

func chat(o *openai.Options) { o.API = openai.ChatCompletions }

func compatible(o *openai.Options) { o.API, o.Compatible = openai.ChatCompletions, true }

// apis are the ways to ask, and the servers that answer each.
var apis = []struct {
	name   string
	change func(*openai.Options)
	server openaitest.Options
	model  string
}{
	{"responses", nil, openaitest.Options{}, "gpt-5.4"},
	{"responses of a model that does not reason", nil, openaitest.Options{}, "gpt-4.1"},
	{"chat completions", chat, openaitest.Options{}, "gpt-5.4"},
	{"a compatible server", compatible, openaitest.Options{Compatible: true}, "local-model"},
}

func start(t testing.TB, o openaitest.Options, replies ...openaitest.Reply) *openaitest.Server {
	t.Helper()
	s := openaitest.Start(o, replies...)
	t.Cleanup(s.Close)
	return s
}

// ask returns a request with one question.
func ask(name, text string) model.Request {
	return model.Request{Model: name, Messages: []model.Message{user(model.Text{Text: text})}}
}

func user(parts ...model.Part) model.Message {
	return model.Message{ID: "u", Role: model.User, Parts: parts}
}

func said(parts ...model.Part) model.Message {
	return model.Message{ID: "m", Role: model.Model, Parts: parts}
}

// answer is everything that a stream yielded. Adjoining texts and thoughts are joined.
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
		for _, p := range c.Parts {
			a.add(p)
		}
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

// add adds a part, as a conversation keeps it: pieces of texts and thoughts are joined.
func (a *answer) add(p model.Part) {
	if n := len(a.Parts); n > 0 {
		switch before := a.Parts[n-1].(type) {
		case model.Text:
			if t, ok := p.(model.Text); ok && t.Signature == nil && before.Signature == nil {
				a.Parts[n-1] = model.Text{Text: before.Text + t.Text}
				return
			}
		case model.Thought:
			if t, ok := p.(model.Thought); ok && before.Signature == nil {
				a.Parts[n-1] = model.Thought{Text: before.Text + t.Text, Signature: t.Signature, Issuer: t.Issuer}
				return
			}
		case model.Blob, model.Call, model.Result:
		}
	}
	a.Parts = append(a.Parts, p)
}

// plain returns parts without signatures and without the ids of calls, which are
// random.
func plain(in []model.Part) []model.Part {
	var out []model.Part
	for _, p := range in {
		switch p := p.(type) {
		case model.Text:
			if p.Text != "" {
				out = append(out, model.Text{Text: p.Text})
			}
		case model.Thought:
			if p.Text != "" {
				out = append(out, model.Thought{Text: p.Text})
			}
		case model.Call:
			p.ID = "id"
			out = append(out, p)
		case model.Blob, model.Result:
			out = append(out, p)
		}
	}
	return out
}

func TestStreamTranslatesAnswers(t *testing.T) {
	withID := func(e openaitest.Event, id string) openaitest.Event {
		e.Parts[0].Call.ID = id
		return e
	}
	counts := openaitest.Text("x")
	counts.Usage = &openaitest.Usage{Prompt: 100, Cached: 60, Answer: 12, Thoughts: 5}
	cited := openaitest.Text("x")
	cited.Citations = []openaitest.Citation{{Title: "Go", URI: "https://go.dev", End: 1}, {Title: "Go", URI: "https://go.dev", End: 1}}
	for _, tt := range []struct {
		name     string
		reply    openaitest.Reply
		want     answer
		thoughts bool // they are shown where the API shows them
	}{
		{
			name: "text in pieces", reply: openaitest.Say("Hel", "lo"),
			want: answer{Parts: []model.Part{model.Text{Text: "Hello"}}},
		},
		{
			name: "thoughts before the text", reply: openaitest.Do(openaitest.Think("**Plan**"), openaitest.Think(" look"), openaitest.Text("ok")), thoughts: true,
			want: answer{Parts: []model.Part{model.Thought{Text: "**Plan** look"}, model.Text{Text: "ok"}}},
		},
		{
			name: "parallel calls keep their order, bytes and ids",
			reply: openaitest.Do(
				openaitest.Join(withID(openaitest.Call("f", `{"n":9007199254740993, "z":1,"a":1.50}`), "one"), withID(openaitest.Call("f", `{"n":2,"s":"ä\n\"\u2028"}`), "two")),
				withID(openaitest.Call("glob", `{"pattern":"*.go"}`), "three")),
			want: answer{Parts: []model.Part{
				model.Call{ID: "id", ProviderID: "one", Name: "f", Args: json.RawMessage(`{"n":9007199254740993, "z":1,"a":1.50}`)},
				model.Call{ID: "id", ProviderID: "two", Name: "f", Args: json.RawMessage(`{"n":2,"s":"ä\n\"\u2028"}`)},
				model.Call{ID: "id", ProviderID: "three", Name: "glob", Args: json.RawMessage(`{"pattern":"*.go"}`)},
			}},
		},
		{
			name:  "parallel calls whose pieces come in turn",
			reply: openaitest.Do(openaitest.Event{Mixed: true, Parts: openaitest.Join(withID(openaitest.Call("f", `{"n":1}`), "one"), withID(openaitest.Call("g", `{"n":2}`), "two"), withID(openaitest.Call("f", `{}`), "three")).Parts}),
			want: answer{Parts: []model.Part{
				model.Call{ID: "id", ProviderID: "one", Name: "f", Args: json.RawMessage(`{"n":1}`)},
				model.Call{ID: "id", ProviderID: "two", Name: "g", Args: json.RawMessage(`{"n":2}`)},
				model.Call{ID: "id", ProviderID: "three", Name: "f", Args: json.RawMessage(`{}`)},
			}},
		},
		{
			name: "a text before a call without arguments", reply: openaitest.Do(openaitest.Text("look"), withID(openaitest.Call("f", ``), "one")),
			want: answer{Parts: []model.Part{model.Text{Text: "look"}, model.Call{ID: "id", ProviderID: "one", Name: "f", Args: json.RawMessage(`{}`)}}},
		},
		{
			name: "counts", reply: openaitest.Do(counts),
			want: answer{Parts: []model.Part{model.Text{Text: "x"}}, Usage: model.Usage{Input: 100, Output: 7, Cached: 60, Thought: 5, Total: 112}},
		},
		{
			name: "each source once", reply: openaitest.Do(cited),
			want: answer{Parts: []model.Part{model.Text{Text: "x"}}, Citations: []model.Citation{{Title: "Go", URI: "https://go.dev"}}},
		},
		{
			name: "the connection breaks after the last word", reply: openaitest.Reply{Events: openaitest.Say("whole").Events, End: servertest.Cut},
			want: answer{Parts: []model.Part{model.Text{Text: "whole"}}},
		},
		{
			name: "odd framing", reply: openaitest.Reply{Events: openaitest.Say("a", "b").Events, Frame: servertest.Frame{CRLF: true, Comments: true, Lines: true, Split: 7}, NoDone: true},
			want: answer{Parts: []model.Part{model.Text{Text: "ab"}}},
		},
		{
			name: "out of tokens", reply: openaitest.Reply{Events: []openaitest.Event{openaitest.Text("a")}}.Stop(openaitest.Length),
			want: answer{Parts: []model.Part{model.Text{Text: "a"}}, Finish: model.MaxTokens},
		},
		{
			name: "filtered", reply: openaitest.Reply{Events: []openaitest.Event{openaitest.Text("a")}}.Stop(openaitest.Filtered),
			want: answer{Parts: []model.Part{model.Text{Text: "a"}}, Finish: model.Safety},
		},
		{
			name: "refused", reply: openaitest.Do(openaitest.Refuse("I can"), openaitest.Refuse("not")),
			want: answer{Parts: []model.Part{model.Text{Text: "I cannot"}}, Finish: model.Safety},
		},
		{
			name: "an unknown reason", reply: openaitest.Reply{Events: []openaitest.Event{openaitest.Text("a")}}.Stop("tired"),
			want: answer{Parts: []model.Part{model.Text{Text: "a"}}, Finish: model.Other},
		},
	} {
		for _, api := range apis {
			t.Run(tt.name+"/"+api.name, func(t *testing.T) {
				s := start(t, api.server, tt.reply)
				got, err := collect(t.Context(), client(t, s, api.change), ask(api.model, "hi"))
				if err != nil {
					t.Fatal(err)
				}
				want := tt.want
				if want.Finish == "" {
					want.Finish = model.Stop
				}
				if want.Usage == (model.Usage{}) {
					got.Usage = model.Usage{}
				}
				if tt.thoughts && (api.name == "chat completions" || api.model == "gpt-4.1") {
					want.Parts = want.Parts[1:] // the API keeps them to itself, or nobody asked for them
				}
				if got.ID == "" || got.Word == "" {
					t.Errorf("the answer has the id %q and the finish word %q", got.ID, got.Word)
				}
				got.ID, got.Word, got.Parts = "", "", plain(got.Parts)
				if d := cmp.Diff(want, got); d != "" {
					t.Errorf("the answer differs (-want +got):\n%s", d)
				}
			})
		}
	}
}

// Summaries of reasoning have several parts, which are shown as paragraphs.
func TestPartsOfSummariesAreParagraphs(t *testing.T) {
	s := openaitest.New(t, openaitest.Do(openaitest.Think("**One**\n\na"), openaitest.Think("**Two**\n\nb"), openaitest.Text("ok")))
	got, err := collect(t.Context(), client(t, s, nil), ask("gpt-5.4", "hi"))
	if err != nil {
		t.Fatal(err)
	}
	want := []model.Part{model.Thought{Text: "**One**\n\na\n\n**Two**\n\nb"}, model.Text{Text: "ok"}}
	if d := cmp.Diff(want, plain(got.Parts)); d != "" {
		t.Errorf("(-want +got):\n%s", d)
	}
}

func TestSearchIsGrounded(t *testing.T) {
	e := openaitest.Text("größer (go.dev), kleiner (a.b)")
	e.Citations = []openaitest.Citation{{Title: "Go", URI: "https://go.dev", Start: 7, End: 15}, {Title: "A", URI: "https://a.b", Start: 25, End: 30}, {Title: "Go", URI: "https://go.dev", Start: 0, End: 6}}
	s := openaitest.New(t, openaitest.Do(e))
	g := client(t, s, nil)
	if !g.Searches() || client(t, s, chat).Searches() {
		t.Error("only the Responses API searches")
	}
	req := ask("gpt-5.4", "hi")
	req.Search, req.Tools, req.Config.ThinkingLevel = true, []model.Tool{{Name: "f"}}, "MINIMAL"
	got, err := collect(t.Context(), g, req)
	if err != nil {
		t.Fatal(err)
	}
	text := got.text()
	want := &model.Grounding{
		Sources: []model.Citation{{Title: "Go", URI: "https://go.dev"}, {Title: "A", URI: "https://a.b"}},
		Passages: []model.Passage{
			{End: strings.Index(text, ","), Text: "(go.dev)", Sources: []int{0}},
			{End: len(text), Text: "(a.b)", Sources: []int{1}},
			{End: len("größer"), Text: "größer", Sources: []int{0}},
		},
	}
	if d := cmp.Diff(want, got.Grounding); d != "" {
		t.Errorf("(-want +got):\n%s", d)
	}
	if d := cmp.Diff(want.Sources, got.Citations); d != "" {
		t.Errorf("citations (-want +got):\n%s", d)
	}
	var body struct {
		Tools     []map[string]any
		Reasoning map[string]any
	}
	if err := json.Unmarshal(s.Requests()[0].Body, &body); err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff([]map[string]any{{"type": "web_search"}}, body.Tools); d != "" {
		t.Errorf("tools (-want +got):\n%s", d)
	}
	if body.Reasoning["effort"] != "low" {
		t.Errorf("the effort is %v, with which a model does not search", body.Reasoning["effort"])
	}
}
