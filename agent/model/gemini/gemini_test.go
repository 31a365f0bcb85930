package gemini_test

import (
	"context"
	"encoding/json"
	"io"
	"log"
	"net/http"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"go.uber.org/goleak"

	"github.com/emendo-dev/emendo/agent/model"
	"github.com/emendo-dev/emendo/agent/model/gemini"
	"github.com/emendo-dev/emendo/agent/model/gemini/geminitest"
	"github.com/emendo-dev/emendo/agent/model/servertest"
	"github.com/emendo-dev/emendo/agent/model/transport"
)

func TestMain(m *testing.M) {
	log.SetOutput(io.Discard) // the client library's
	// opencensus, which the client library links, starts a worker at init.
	goleak.VerifyTestMain(m, goleak.IgnoreTopFunction("go.opencensus.io/stats/view.(*worker).start"))
}

// client returns a generator for the server, with connections that end with the test.
func client(t testing.TB, s *geminitest.Server, change func(*gemini.Options)) *gemini.Generator {
	t.Helper()
	way := http.DefaultTransport.(*http.Transport).Clone()
	t.Cleanup(way.CloseIdleConnections)
	o := gemini.Options{APIKey: s.Key, BaseURL: s.URL, Way: transport.Options{HTTP: way}}
	if change != nil {
		change(&o)
	}
	g, err := gemini.New(o)
	if err != nil {
		t.Fatal(err)
	}
	return g
}

// ask returns a request with one question.
func ask(name, text string) model.Request {
	return model.Request{Model: name, Messages: []model.Message{{ID: "1", Role: model.User, Parts: []model.Part{model.Text{Text: text}}}}}
}

// answer is everything that a stream yielded.
type answer struct {
	Parts     []model.Part
	Finish    model.Finish
	Word      string
	Usage     model.Usage
	Citations []model.Citation
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

// collect reads a stream to its end. Ids of calls, which are random, become "id".
func collect(ctx context.Context, g model.Generator, req model.Request) (answer, error) {
	var a answer
	for c, err := range g.Stream(ctx, req) {
		if err != nil {
			return a, err
		}
		for _, p := range c.Parts {
			if call, ok := p.(model.Call); ok {
				call.ID = "id"
				p = call
			}
			a.Parts = append(a.Parts, p)
		}
		if c.Finish != "" {
			a.Finish, a.Word = c.Finish, c.FinishWord
		}
		if c.Usage != nil {
			a.Usage = *c.Usage
		}
		a.Citations = append(a.Citations, c.Citations...)
		if c.ResponseID != "" {
			a.ID = c.ResponseID
		}
	}
	return a, nil
}

func TestStreamTranslatesAnswers(t *testing.T) {
	signed := func(e geminitest.Event, sig string) geminitest.Event {
		e.Parts[0].ThoughtSignature = sig
		return e
	}
	withID := geminitest.Call("glob", `{"pattern":"*.go"}`)
	withID.Parts[0].FunctionCall.ID = "theirs"
	counts := geminitest.Text("x")
	counts.Usage = &geminitest.Usage{Prompt: 100, Answer: 7, Cached: 60, Thoughts: 5, Tools: 11, Total: 123}
	cited := geminitest.Text("x")
	cited.Citations = []geminitest.Citation{{Title: "Go", URI: "https://go.dev"}, {Title: "Go", URI: "https://go.dev"}, {Title: "no address"}}

	for _, tt := range []struct {
		name  string
		reply geminitest.Reply
		want  answer
	}{
		{
			name: "text in pieces", reply: geminitest.Say("Hel", "lo"),
			want: answer{Parts: []model.Part{model.Text{Text: "Hel"}, model.Text{Text: "lo"}}},
		},
		{
			name: "a thought before the text", reply: geminitest.Do(geminitest.Think("**Plan** look"), geminitest.Text("ok")),
			want: answer{Parts: []model.Part{model.Thought{Text: "**Plan** look"}, model.Text{Text: "ok"}}},
		},
		{
			name: "signatures on text, on nothing and on a call", reply: geminitest.Do(
				signed(geminitest.Text("a"), "AAEC"), signed(geminitest.Text(""), "/wA="), signed(geminitest.Call("f", `{}`), "AAEC")),
			want: answer{Parts: []model.Part{
				model.Text{Text: "a", Signature: []byte{0, 1, 2}},
				model.Text{Signature: []byte{255, 0}},
				model.Call{ID: "id", Name: "f", Args: json.RawMessage(`{}`), Signature: []byte{0, 1, 2}},
			}},
		},
		{
			name: "calls in one event and in two keep their order, bytes and ids",
			reply: geminitest.Do(
				geminitest.Join(geminitest.Call("f", `{"n":9007199254740993,"z":1,"a":1.50}`), geminitest.Call("f", `{"n":2}`)),
				withID),
			want: answer{Parts: []model.Part{
				model.Call{ID: "id", Name: "f", Args: json.RawMessage(`{"n":9007199254740993,"z":1,"a":1.50}`)},
				model.Call{ID: "id", Name: "f", Args: json.RawMessage(`{"n":2}`)},
				model.Call{ID: "id", ProviderID: "theirs", Name: "glob", Args: json.RawMessage(`{"pattern":"*.go"}`)},
			}},
		},
		{
			name: "a call without arguments", reply: geminitest.Do(geminitest.Event{Raw: `{"candidates":[{"content":{"parts":[{"functionCall":{"name":"f"}}]},"finishReason":"STOP"}]}`}),
			want: answer{Parts: []model.Part{model.Call{ID: "id", Name: "f", Args: json.RawMessage(`{}`)}}},
		},
		{
			name: "counts", reply: geminitest.Do(counts),
			want: answer{Parts: []model.Part{model.Text{Text: "x"}}, Usage: model.Usage{Input: 111, Output: 7, Cached: 60, Thought: 5, Tool: 11, Total: 123}},
		},
		{
			name: "each source once", reply: geminitest.Do(cited, cited),
			want: answer{Parts: []model.Part{model.Text{Text: "x"}, model.Text{Text: "x"}}, Citations: []model.Citation{{Title: "Go", URI: "https://go.dev"}}},
		},
		{
			name: "a part of an unknown kind is left out", reply: geminitest.Do(geminitest.Event{Raw: `{"candidates":[{"content":{"parts":[{"hologram":{}},{"text":"x"}]},"finishReason":"STOP"}]}`}),
			want: answer{Parts: []model.Part{model.Text{Text: "x"}}},
		},
		{
			name: "a finish reason before the last event", reply: geminitest.Reply{Events: []geminitest.Event{{Finish: "STOP"}, geminitest.Text("late")}},
			want: answer{Parts: []model.Part{model.Text{Text: "late"}}},
		},
		{
			name: "the connection breaks after the last word", reply: geminitest.Reply{Events: geminitest.Say("whole").Events, End: servertest.Cut},
			want: answer{Parts: []model.Part{model.Text{Text: "whole"}}},
		},
		{name: "out of tokens", reply: geminitest.Reply{}.Stop("MAX_TOKENS"), want: answer{Finish: model.MaxTokens, Word: "MAX_TOKENS"}},
		{name: "unsafe", reply: geminitest.Reply{}.Stop("SAFETY"), want: answer{Finish: model.Safety, Word: "SAFETY"}},
		{name: "recited", reply: geminitest.Reply{}.Stop("RECITATION"), want: answer{Finish: model.Safety, Word: "RECITATION"}},
		{name: "a malformed call", reply: geminitest.Reply{}.Stop("MALFORMED_FUNCTION_CALL"), want: answer{Finish: model.MalformedCall, Word: "MALFORMED_FUNCTION_CALL"}},
		{name: "an unexpected call", reply: geminitest.Reply{}.Stop("UNEXPECTED_TOOL_CALL"), want: answer{Finish: model.MalformedCall, Word: "UNEXPECTED_TOOL_CALL"}},
		{name: "an unknown reason", reply: geminitest.Reply{}.Stop("TIRED"), want: answer{Finish: model.Other, Word: "TIRED"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			s := geminitest.New(t, tt.reply)
			got, err := collect(t.Context(), client(t, s, nil), ask("gemini-2.5-pro", "hi"))
			if err != nil {
				t.Fatal(err)
			}
			want := tt.want
			if want.Finish == "" {
				want.Finish, want.Word = model.Stop, "STOP"
			}
			if want.Usage == (model.Usage{}) {
				got.Usage = model.Usage{}
			}
			got.ID = ""
			if d := cmp.Diff(want, got); d != "" {
				t.Errorf("the answer differs (-want +got):\n%s", d)
			}
		})
	}
}
