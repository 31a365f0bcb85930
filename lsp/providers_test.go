package lsp_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/emendo-dev/emendo/agent/model"
	"github.com/emendo-dev/emendo/agent/model/anthropic"
	"github.com/emendo-dev/emendo/agent/model/anthropic/anthropictest"
	"github.com/emendo-dev/emendo/agent/model/catalogue"
	"github.com/emendo-dev/emendo/agent/model/gemini"
	"github.com/emendo-dev/emendo/agent/model/gemini/geminitest"
	"github.com/emendo-dev/emendo/agent/model/openai"
	"github.com/emendo-dev/emendo/agent/model/openai/openaitest"
	"github.com/emendo-dev/emendo/agent/model/servertest"
	"github.com/emendo-dev/emendo/agent/model/transport"
	"github.com/emendo-dev/emendo/internal/sandbox/sandboxtest"
	"github.com/emendo-dev/emendo/lsp/lsptest"
	"github.com/emendo-dev/emendo/lsp/worldtest"
)

// scripted is a provider-independent answer.
type scripted struct {
	thought  string
	text     string
	calls    [][2]string // names and arguments
	finish   model.Finish
	throttle time.Duration // the request is throttled for this long
	cut      bool          // the stream breaks off
	holds    bool          // the stream stays open
}

// backend is a provider with a strict in-memory server.
type backend struct {
	name      string // the provider's name, and that of its model
	thinks    bool
	generator model.Generator
	add       func(...scripted)
	refused   func() []string // why requests were refused
	close     func()
}

// backends lists the providers and how to start them.
var backends = []struct {
	name  string
	start func(*testing.T) backend
}{
	{"gemini", func(t *testing.T) backend { return googleBackend(t, "gemini", gemini.Options{}) }},
	{"vertex", func(t *testing.T) backend {
		return googleBackend(t, "vertex", gemini.Options{Vertex: true, Project: "p", Location: "europe-west4"})
	}},
	{"OpenAI's Responses", func(t *testing.T) backend {
		return openAIBackend(t, "openai/gpt-5.4", openaitest.Options{}, openai.Options{API: openai.Responses})
	}},
	{"OpenAI's Chat Completions", func(t *testing.T) backend {
		return openAIBackend(t, "openai/gpt-4.1", openaitest.Options{}, openai.Options{API: openai.ChatCompletions})
	}},
	{"a compatible server", func(t *testing.T) backend {
		return openAIBackend(t, "ollama/local-model", openaitest.Options{Compatible: true}, openai.Options{API: openai.ChatCompletions, Compatible: true})
	}},
	{"anthropic", anthropicBackend},
}

func googleBackend(t *testing.T, provider string, o gemini.Options) backend {
	t.Helper()
	s := geminitest.Unlisted(geminitest.Options{})
	o.APIKey, o.BaseURL, o.Way.HTTP = s.Key, s.URL, s
	g, err := gemini.New(o)
	if err != nil {
		t.Fatal(err)
	}
	finishes := map[model.Finish]string{"": "STOP", model.MaxTokens: "MAX_TOKENS", model.Safety: "SAFETY"}
	return backend{
		name: provider + "/gemini-2.5-pro", thinks: true, generator: model.Issued(g, provider, ""), close: s.Close,
		add: func(answers ...scripted) {
			for _, a := range answers {
				if a.throttle > 0 {
					s.Add(geminitest.Throttle(a.throttle))
					continue
				}
				var r geminitest.Reply
				if a.thought != "" {
					r.Events = append(r.Events, geminitest.Think(a.thought))
				}
				if a.text != "" {
					r.Events = append(r.Events, geminitest.Text(a.text))
				}
				var calls []geminitest.Event
				for _, c := range a.calls {
					calls = append(calls, geminitest.Call(c[0], c[1]))
				}
				if len(calls) > 0 {
					r.Events = append(r.Events, geminitest.Join(calls...))
				}
				switch {
				case a.cut:
					r.End = servertest.Cut
				case a.holds:
					r.End = servertest.Stall
				default:
					r = r.Stop(finishes[a.finish])
				}
				s.Add(r)
			}
		},
		refused: func() (l []string) {
			for _, r := range s.Requests() {
				if r.Refused != "" {
					l = append(l, r.Refused)
				}
			}
			return l
		},
	}
}

func openAIBackend(t *testing.T, name string, so openaitest.Options, o openai.Options) backend {
	t.Helper()
	s := openaitest.Unlisted(so)
	o.APIKey, o.BaseURL, o.Way.HTTP = s.Key, s.URL, s
	if strings.HasPrefix(name, "openai/gpt-5") {
		o.Traits = func(string) (catalogue.Model, bool) {
			return catalogue.Model{Abilities: catalogue.Abilities{Thinking: catalogue.Efforts, Sampling: new(false)}}, true
		}
	}
	g, err := openai.New(o)
	if err != nil {
		t.Fatal(err)
	}
	provider, _, _ := strings.Cut(name, "/")
	finishes := map[model.Finish]string{model.MaxTokens: openaitest.Length, model.Safety: openaitest.Filtered}
	return backend{
		name: name, thinks: o.API == openai.Responses || so.Compatible, generator: model.Issued(g, provider), close: s.Close,
		add: func(answers ...scripted) {
			for _, a := range answers {
				if a.throttle > 0 {
					s.Add(openaitest.Throttle(a.throttle))
					continue
				}
				var events []openaitest.Event
				if a.thought != "" {
					events = append(events, openaitest.Think(a.thought))
				}
				if a.text != "" {
					events = append(events, openaitest.Text(a.text))
				}
				var calls []openaitest.Event
				for _, c := range a.calls {
					calls = append(calls, openaitest.Call(c[0], c[1]))
				}
				if len(calls) > 0 {
					events = append(events, openaitest.Join(calls...))
				}
				r := openaitest.Reply{Events: events}
				switch {
				case a.cut:
					r.End = servertest.Cut
				case a.holds:
					r.End = servertest.Stall
				case a.finish != "":
					r = r.Stop(finishes[a.finish])
				default:
					r = openaitest.Do(events...)
				}
				s.Add(r)
			}
		},
		refused: func() (l []string) {
			for _, r := range s.Requests() {
				if r.Refused != "" {
					l = append(l, r.Refused)
				}
			}
			return l
		},
	}
}

func anthropicBackend(t *testing.T) backend {
	t.Helper()
	s := anthropictest.Unlisted(anthropictest.Options{})
	g, err := anthropic.New(anthropic.Options{APIKey: s.Key, BaseURL: s.URL, Way: transport.Options{HTTP: s}})
	if err != nil {
		t.Fatal(err)
	}
	finishes := map[model.Finish]string{model.MaxTokens: "max_tokens", model.Safety: "refusal"}
	return backend{
		name: "anthropic/claude-opus-5-5", thinks: true, generator: model.Issued(g, "anthropic"), close: s.Close,
		add: func(answers ...scripted) {
			for _, a := range answers {
				if a.throttle > 0 {
					s.Add(anthropictest.Throttle(a.throttle))
					continue
				}
				var events []anthropictest.Event
				if a.thought != "" {
					events = append(events, anthropictest.Think(a.thought))
				}
				if a.text != "" {
					events = append(events, anthropictest.Text(a.text))
				}
				var calls []anthropictest.Event
				for _, c := range a.calls {
					calls = append(calls, anthropictest.Call(c[0], c[1]))
				}
				if len(calls) > 0 {
					events = append(events, anthropictest.Join(calls...))
				}
				r := anthropictest.Reply{Events: events}
				switch {
				case a.cut:
					r.End = servertest.Cut
				case a.holds:
					r.End = servertest.Stall
				case a.finish != "":
					r = r.Stop(finishes[a.finish])
				default:
					r = anthropictest.Do(events...)
				}
				s.Add(r)
			}
		},
		refused: func() (l []string) {
			for _, r := range s.Requests() {
				if r.Refused != "" {
					l = append(l, r.Refused)
				}
			}
			return l
		},
	}
}

// dot is a picture of one pixel.
const dot = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg=="

// long returns a long text without repetitions.
func long(what string) string {
	var b strings.Builder
	for i := range 500 {
		fmt.Fprintf(&b, "%s %d is about the number %d. ", what, i, i*i)
	}
	return b.String()
}

// reads returns an answer with n calls that read main.go.
func reads(n int) scripted {
	a := scripted{thought: "**Looking**\n\nAt the file.", text: "I look."}
	for i := range n {
		a.calls = append(a.calls, [2]string{"read_file", fmt.Sprintf(`{"file_path":"main.go","start_line":%d}`, i+1)})
	}
	return a
}

// conversations holds the same conversations with every provider. ask sends a prompt
// and returns its stop reason.
var conversations = []struct {
	name    string
	answers []scripted
	play    func(w *world, id string, b, other backend)
}{
	{"text", []scripted{{text: "Hello."}}, func(w *world, id string, _, _ backend) { w.Prompt(id, "Hi") }},
	{"thinking", []scripted{{thought: "**Weighing**\n\nIt is four.", text: "Four."}}, func(w *world, id string, _, _ backend) { w.Prompt(id, "Two and two?") }},
	{"parallel tools", []scripted{reads(2), {text: "Both read."}}, func(w *world, id string, _, _ backend) { w.Prompt(id, "Read") }},
	{
		"an edit under review",
		[]scripted{{thought: "An edit.", calls: [][2]string{{"replace", `{"file_path":"main.go","old_string":"return 1","new_string":"return 11"}`}}}, {text: "Changed."}},
		func(w *world, id string, _, _ backend) {
			w.Open()
			wait := w.Prompting(w.Context(), id, "Change it")
			w.Accept(w.Last().ChangeSetID)
			if _, err := wait(); err != nil {
				w.Error(err)
			}
		},
	},
	{
		"a command with approval",
		[]scripted{{thought: "A command.", calls: [][2]string{{"run_shell_command", `{"command":"touch a"}`}}}, {text: "Done."}},
		func(w *world, id string, _, _ backend) {
			w.Spawn.Scripts = map[string]sandboxtest.Script{"touch a": sandboxtest.Print("made\n", 0)}
			w.Editor.Ask = func(context.Context, lsptest.Question) (any, error) { return lsptest.Selected("allow_once"), nil }
			w.Prompt(id, "Run")
		},
	},
	{
		"an image",
		[]scripted{{text: "A dot."}},
		func(w *world, id string, _, _ backend) {
			w.Call("emendo/session/prompt", worldtest.Obj{"sessionId": id, "prompt": []worldtest.Obj{
				{"type": "text", "text": "What is this?"}, {"type": "image", "mimeType": "image/png", "data": dot},
			}}, nil)
		},
	},
	{
		"a long one, which is compacted",
		[]scripted{
			reads(1),
			{text: long("Answer")},
			{text: "Again."},
			{text: "<state_snapshot>They talked.</state_snapshot>"},
			{text: "<state_snapshot>They talked.</state_snapshot>"},
			{text: "Resumed."},
		},
		func(w *world, id string, _, _ backend) {
			w.Prompt(id, long("Question"))
			w.Prompt(id, "Again")
			w.Call("emendo/session/compact", worldtest.Obj{"sessionId": id}, nil)
			w.Prompt(id, "Go on")
		},
	},
	{
		"a retry after 429, and one after a stream that was cut",
		[]scripted{{throttle: 2 * time.Second}, {text: "Half of", cut: true}, {text: "All of it."}},
		func(w *world, id string, _, _ backend) { w.Prompt(id, "Hi") },
	},
	{"a refusal", []scripted{{text: "I", finish: model.Safety}}, func(w *world, id string, _, _ backend) { w.Prompt(id, "Hi") }},
	{
		"a cancelled answer",
		[]scripted{{text: "I begin", holds: true}, {text: "Next."}},
		func(w *world, id string, _, _ backend) {
			wait := w.Prompting(w.Context(), id, "Hi")
			w.Advance()
			w.Notify("emendo/session/cancel", worldtest.Obj{"sessionId": id})
			if _, err := wait(); err != nil {
				w.Error(err)
			}
			w.Prompt(id, "Again")
		},
	},
	{
		"another provider in the middle, and back",
		[]scripted{reads(1), {text: "Read."}, {text: "Back."}},
		func(w *world, id string, b, other backend) {
			w.Prompt(id, "Read")
			w.Call("emendo/session/setModel", worldtest.Obj{"sessionId": id, "model": other.name}, nil)
			other.add(reads(1), scripted{text: "Read by another."})
			w.Prompt(id, "Read")
			w.Call("emendo/session/setModel", worldtest.Obj{"sessionId": id, "model": b.name}, nil)
			w.Prompt(id, "And back")
		},
	},
	{"the limit of tokens", []scripted{{text: "A long ans", finish: model.MaxTokens}}, func(w *world, id string, _, _ backend) { w.Prompt(id, "Hi") }},
}

func TestConversationsAreTheSameWithEveryProvider(t *testing.T) {
	log.SetOutput(io.Discard) // warnings of the client libraries
	t.Cleanup(func() { log.SetOutput(os.Stderr) })
	for _, c := range conversations {
		t.Run(c.name, func(t *testing.T) {
			var want string
			for i, p := range backends {
				t.Run(p.name, func(t *testing.T) {
					got, thinks := "", false
					play(t, worldtest.Plugin, nil, func(w *world) {
						b := p.start(w.T)
						other := backends[(i+len(backends)-1)%len(backends)].start(w.T)
						defer other.close()
						defer b.close()
						w.Behind = func(name string) (model.Generator, string, error) {
							_, short, _ := strings.Cut(name, "/")
							if name == other.name && name != b.name {
								return other.generator, short, nil
							}
							return b.generator, short, nil
						}
						b.add(c.answers...)
						c.play(w, w.Session(worldtest.Obj{"model": b.name}), b, other)
						synctest.Wait()
						for _, why := range append(b.refused(), other.refused()...) {
							t.Errorf("a request was refused: %s", why)
						}
						got, thinks = updates(w), b.thinks && other.thinks
					})
					if want == "" {
						want = got
						return
					}
					expected := want
					if !thinks {
						expected, got = withoutThoughts(expected), withoutThoughts(got)
					}
					if d := cmp.Diff(strings.Split(expected, "\n"), strings.Split(got, "\n")); d != "" {
						t.Errorf("the client sees other updates (-%s +%s):\n%s", backends[0].name, p.name, d)
					}
				})
			}
		})
	}
}

func withoutThoughts(updates string) string {
	var l []string
	for line := range strings.Lines(updates) {
		if !strings.HasPrefix(line, "agent_thought_chunk") {
			l = append(l, line)
		}
	}
	return strings.Join(l, "")
}

// volatile are the fields that differ between providers.
var volatile = map[string]bool{
	"messageId": true, "toolCallId": true, "usage": true, "used": true, "size": true, "cost": true, "description": true, "model": true, "modelId": true,
	"finishReason": true, "retryAfterMs": true, "providerReason": true, "contextLimit": true, "inputTokens": true, "outputTokens": true, "cachedTokens": true, "thoughtTokens": true, "toolTokens": true, "totalTokens": true,
	"word": true, "durationMs": true, "currentModelId": true, "updatedAt": true, "originalTokens": true, "newTokens": true,
}

var anID = regexp.MustCompile(`\bid-\d+\b|\bcall_\w+`)

// updates returns the client's updates, one per line, with the pieces of a text joined.
func updates(w *world) string {
	var out []string
	for _, u := range w.Editor.Seen().Updates {
		kind := u.Kind()
		var v map[string]any
		if err := json.Unmarshal(u.Update, &v); err != nil {
			w.Fatal(err)
		}
		if text := u.Text(); strings.HasSuffix(kind, "_chunk") && text != "" {
			if n := len(out); n > 0 && strings.HasPrefix(out[n-1], kind+": ") {
				out[n-1] += oneLine(text)
			} else {
				out = append(out, kind+": "+oneLine(text))
			}
			continue
		}
		var b bytes.Buffer
		enc := json.NewEncoder(&b)
		enc.SetEscapeHTML(false)
		if err := enc.Encode(steady(v)); err != nil {
			w.Fatal(err)
		}
		out = append(out, kind+": "+strings.TrimSpace(b.String()))
	}
	// OpenAI only counts the tokens of answers that end.
	for i := len(out) - 1; i >= 0; i-- {
		if strings.HasPrefix(out[i], "usage_update: ") && (i+1 == len(out) || !strings.HasPrefix(out[i+1], "_emendo/response_finished: ")) {
			out = slices.Delete(out, i, i+1)
		}
	}
	for from := 0; from < len(out); from++ { // concurrent calls end in any order
		to := from
		for to < len(out) && strings.HasPrefix(out[to], "tool_call_update: ") {
			to++
		}
		slices.Sort(out[from:to])
		from = to
	}
	text := strings.ReplaceAll(strings.Join(out, "\n"), w.Dir, "DIR")
	return anID.ReplaceAllString(text, "ID") + "\n"
}

func oneLine(text string) string { return strings.ReplaceAll(text, "\n", `\n`) }

// steady returns a value without volatile fields.
func steady(v any) any {
	switch v := v.(type) {
	case map[string]any:
		for k, e := range v {
			if volatile[k] {
				delete(v, k)
				continue
			}
			v[k] = steady(e)
		}
	case []any:
		for i := range v {
			v[i] = steady(v[i])
		}
	}
	return v
}
