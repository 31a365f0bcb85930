package openai_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/emendo-dev/emendo/agent/model"
	"github.com/emendo-dev/emendo/agent/model/catalogue"
	"github.com/emendo-dev/emendo/agent/model/openai"
	"github.com/emendo-dev/emendo/agent/model/openai/openaitest"
)

// The smallest valid files that the servers look at.
var (
	png = model.Blob{MIME: "image/png", Data: []byte("\x89PNG")}
	pdf = model.Blob{MIME: "application/pdf", Data: []byte("%PDF-")}
)

// body returns the body of the last request.
func body(t *testing.T, s *openaitest.Server) map[string]any {
	t.Helper()
	all := s.Requests()
	last := all[len(all)-1]
	if last.Refused != "" {
		t.Fatalf("the server rejects the request: %s\n%s", last.Refused, last.Body)
	}
	var out map[string]any
	if err := json.Unmarshal(last.Body, &out); err != nil {
		t.Fatal(err)
	}
	return out
}

// parse decodes JSON.
func parse(t *testing.T, text string) any {
	t.Helper()
	var out any
	if err := json.Unmarshal([]byte(text), &out); err != nil {
		t.Fatalf("%v in %s", err, text)
	}
	return out
}

// everything is a conversation with all that one may hold, including parts that
// another provider has issued and that [model.Issued] has stripped.
func everything() []model.Message {
	return []model.Message{
		user(model.Text{Text: "look"}, model.Text{Text: "at this", Given: true}, png, pdf, model.Blob{MIME: "text/csv", Data: []byte("a,b")}),
		said(model.Thought{Text: "of another provider"}, model.Text{Text: "I "}, model.Text{Text: "see"},
			model.Call{ID: "call_a", Name: "read", Args: json.RawMessage(`{"n": 9007199254740993}`)},
			model.Call{ID: "call_b", ProviderID: "toolu_1", Name: "mcp.server:tool", Args: json.RawMessage(`{}`)}),
		user(
			model.Result{CallID: "call_a", Name: "read", Output: "one", Blobs: []model.Blob{png}},
			model.Result{CallID: "call_b", ProviderID: "toolu_1", Name: "mcp.server:tool", Failed: true, Output: "no such file"},
			model.Text{Text: "go on"}),
		said(model.Thought{Text: "only a thought"}, model.Text{Signature: []byte("of another provider")}),
		user(model.Text{Text: "well?"}),
	}
}

func TestConversationIsTranslated(t *testing.T) {
	const (
		image   = `data:image/png;base64,iVBORw==`
		file    = `data:application/pdf;base64,JVBERi0=`
		mangled = "mcp_server_tool_5220a126"
	)
	for _, tt := range []struct{ name, field, want string }{
		{"responses", "input", `[
			{"role":"user","content":[{"type":"input_text","text":"look"},{"type":"input_text","text":"at this"},
				{"type":"input_image","detail":"auto","image_url":"` + image + `"},{"type":"input_file","filename":"document.pdf","file_data":"` + file + `"},{"type":"input_text","text":"a,b"}]},
			{"type":"message","role":"assistant","content":[{"type":"output_text","text":"I see","annotations":[]}]},
			{"type":"function_call","call_id":"call_a","name":"read","arguments":"{\"n\": 9007199254740993}"},
			{"type":"function_call","call_id":"toolu_1","name":"` + mangled + `","arguments":"{}"},
			{"type":"function_call_output","call_id":"call_a","output":[{"type":"input_text","text":"one"},{"type":"input_image","detail":"auto","image_url":"` + image + `"}]},
			{"type":"function_call_output","call_id":"toolu_1","output":"Error: no such file"},
			{"role":"user","content":[{"type":"input_text","text":"go on"}]},
			{"role":"user","content":[{"type":"input_text","text":"well?"}]}]`},
		{"chat completions", "messages", `[
			{"role":"developer","content":"be brief"},
			{"role":"user","content":[{"type":"text","text":"look"},{"type":"text","text":"at this"},{"type":"image_url","image_url":{"url":"` + image + `"}},
				{"type":"file","file":{"filename":"document.pdf","file_data":"` + file + `"}},{"type":"text","text":"a,b"}]},
			{"role":"assistant","content":"I see","tool_calls":[
				{"id":"call_a","type":"function","function":{"name":"read","arguments":"{\"n\": 9007199254740993}"}},
				{"id":"toolu_1","type":"function","function":{"name":"` + mangled + `","arguments":"{}"}}]},
			{"role":"tool","tool_call_id":"call_a","content":"one"},
			{"role":"tool","tool_call_id":"toolu_1","content":"Error: no such file"},
			{"role":"user","content":[{"type":"text","text":"Output of the tool read:"},{"type":"image_url","image_url":{"url":"` + image + `"}},{"type":"text","text":"go on"}]},
			{"role":"user","content":"well?"}]`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			for _, api := range apis {
				if api.name != tt.name {
					continue
				}
				s := start(t, api.server, openaitest.Say("ok"))
				req := model.Request{Model: api.model, System: "be brief", Messages: everything()}
				if _, err := collect(t.Context(), client(t, s, api.change), req); err != nil {
					t.Fatal(err)
				}
				if d := cmp.Diff(parse(t, tt.want), body(t, s)[tt.field]); d != "" {
					t.Errorf("(-want +got):\n%s", d)
				}
			}
		})
	}
}

func TestContentThatAModelCannotReadIsMentioned(t *testing.T) {
	s := start(t, openaitest.Options{Compatible: true}, openaitest.Say("ok"))
	g := client(t, s, func(o *openai.Options) {
		compatible(o)
		o.Traits = func(string) (catalogue.Model, bool) {
			return catalogue.Model{Abilities: catalogue.Abilities{Images: new(false)}}, true
		}
	})
	blind := model.Seeing(g, func(string) *bool { return new(false) })
	if _, err := collect(t.Context(), blind, model.Request{Model: "local-model", Messages: everything()}); err != nil {
		t.Fatal(err)
	}
	const left = "[a picture of the type image/png is left out: this model cannot see pictures]"
	want := `[{"role":"user","content":"look\n\nat this\n\n` + left + `\n\n[a file of the type application/pdf is left out: this model does not read this type]\n\na,b"},
		{"role":"assistant","content":"I see","tool_calls":[
			{"id":"call_a","type":"function","function":{"name":"read","arguments":"{\"n\": 9007199254740993}"}},
			{"id":"toolu_1","type":"function","function":{"name":"mcp_server_tool_5220a126","arguments":"{}"}}]},
		{"role":"tool","tool_call_id":"call_a","content":"one\n\n` + left + `"},
		{"role":"tool","tool_call_id":"toolu_1","content":"Error: no such file"},
		{"role":"user","content":"go on"},{"role":"user","content":"well?"}]`
	if d := cmp.Diff(parse(t, want), body(t, s)["messages"]); d != "" {
		t.Errorf("(-want +got):\n%s", d)
	}
}

func TestConfiguration(t *testing.T) {
	temperature, topP, topK, seed, budget := float32(0.2), float32(0.9), float32(40), int32(7), int32(9000)
	hidden := false
	config := model.Config{
		Temperature: &temperature, TopP: &topP, TopK: &topK, Seed: &seed, MaxTokens: 1000, StopSequences: []string{"a", "b", "c", "d", "e"},
		ThinkingBudget: &budget,
	}
	tools := []model.Tool{{Name: "f", Description: "does it"}, {Name: "a.b", Schema: json.RawMessage(`{"type":"object","properties":{"n":{"type":"integer","minimum":9007199254740993}}}`)}}
	for _, tt := range []struct {
		name   string
		change func(*openai.Options)
		server openaitest.Options
		model  string
		config model.Config
		choice model.Choice
		tools  []model.Tool
		want   string // beside the conversation
	}{
		{
			name: "a model that reasons", model: "gpt-5.4", config: config, choice: model.MustCall, tools: tools,
			want: `{"model":"gpt-5.4","store":false,"stream":true,"instructions":"s","max_output_tokens":1000,"include":["reasoning.encrypted_content"],
				"reasoning":{"effort":"medium","summary":"auto"},"tool_choice":"required","tools":[
				{"type":"function","name":"f","description":"does it","strict":false,"parameters":{"type":"object","properties":{}}},
				{"type":"function","name":"a_b_2e7336dc","strict":false,"parameters":{"type":"object","properties":{"n":{"type":"integer","minimum":9007199254740993}}}}]}`,
		},
		{
			name: "thoughts that nobody wants to see, and a small answer", model: "gpt-5.4", config: model.Config{IncludeThoughts: &hidden, ThinkingLevel: "XHIGH", MaxTokens: 5},
			want: `{"model":"gpt-5.4","store":false,"stream":true,"instructions":"s","max_output_tokens":16,"include":["reasoning.encrypted_content"],"reasoning":{"effort":"high"}}`,
		},
		{
			name: "a model that does not reason", model: "gpt-4.1", config: config, choice: model.MustNotCall, tools: tools[:1],
			want: `{"model":"gpt-4.1","store":false,"stream":true,"instructions":"s","max_output_tokens":1000,"temperature":0.2,"top_p":0.9,"tool_choice":"none",
				"tools":[{"type":"function","name":"f","description":"does it","strict":false,"parameters":{"type":"object","properties":{}}}]}`,
		},
		{
			name: "chat completions of a model that reasons", change: chat, model: "gpt-5.4", config: config, choice: model.MustCall, tools: tools[:1],
			want: `{"model":"gpt-5.4","store":false,"stream":true,"stream_options":{"include_usage":true},"max_completion_tokens":1000,"reasoning_effort":"medium","tool_choice":"required",
				"tools":[{"type":"function","function":{"name":"f","description":"does it","parameters":{"type":"object","properties":{}}}}]}`,
		},
		{
			name: "chat completions of one that does not", change: chat, model: "gpt-4.1", config: config,
			want: `{"model":"gpt-4.1","store":false,"stream":true,"stream_options":{"include_usage":true},"max_completion_tokens":1000,"temperature":0.2,"top_p":0.9,"seed":7,"stop":["a","b","c","d"]}`,
		},
		{
			name: "a compatible server", change: compatible, server: openaitest.Options{Compatible: true}, model: "local-model", config: config, choice: model.MustNotCall,
			want: `{"model":"local-model","stream":true,"stream_options":{"include_usage":true},"max_tokens":1000,"temperature":0.2,"top_p":0.9,"seed":7,"stop":["a","b","c","d"]}`,
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			s := start(t, tt.server, openaitest.Say("ok"))
			req := ask(tt.model, "hi")
			req.System, req.Config, req.Choice, req.Tools = "s", tt.config, tt.choice, tt.tools
			if _, err := collect(t.Context(), client(t, s, tt.change), req); err != nil {
				t.Fatal(err)
			}
			got := body(t, s)
			key, _ := got["prompt_cache_key"].(string)
			if (len(key) == 32) == tt.server.Compatible {
				t.Errorf("the cache key is %q", key)
			}
			delete(got, "prompt_cache_key")
			delete(got, "input")
			delete(got, "messages")
			if d := cmp.Diff(parse(t, tt.want), any(got)); d != "" {
				t.Errorf("(-want +got):\n%s", d)
			}
		})
	}
}

// A name that the API does not accept is another one on the wire, and the tool's own
// in the call.
func TestCallsHaveTheNamesOfTools(t *testing.T) {
	for _, api := range apis {
		t.Run(api.name, func(t *testing.T) {
			long := strings.Repeat("long", 30)
			s := start(t, api.server, openaitest.Do(openaitest.Call("a_b_2e7336dc", `{}`), openaitest.Call("unknown", `{}`)))
			req := ask(api.model, "hi")
			req.Tools = []model.Tool{{Name: "a.b"}, {Name: long + ".1"}, {Name: long + ".2"}, {Name: "a_b"}}
			got, err := collect(t.Context(), client(t, s, api.change), req)
			if err != nil {
				t.Fatal(err)
			}
			var names []string
			for _, p := range got.Parts {
				if c, ok := p.(model.Call); ok {
					names = append(names, c.Name)
				}
			}
			if d := cmp.Diff([]string{"a.b", "unknown"}, names); d != "" {
				t.Errorf("(-want +got):\n%s", d)
			}
		})
	}
}

func TestSchemasAreAccepted(t *testing.T) {
	for _, tt := range []struct{ name, schema, want string }{
		{"none", ``, `{"type":"object","properties":{}}`},
		{"no properties", `{"type":"object"}`, `{"type":"object","properties":{}}`},
		{"an object of anything", `{"type":"object","properties":{"a":{"type":"array","items":{"type":"object"}}}}`, `{"type":"object","properties":{"a":{"type":"array","items":{"type":"object","properties":{}}}}}`},
		{
			"what may be null", `{"type":"object","properties":{"a":{"type":"string","nullable":true,"enum":["x"]},"b":{"anyOf":[{"type":"array","nullable":true,"items":{}}]}}}`,
			`{"type":"object","properties":{"a":{"type":["string","null"],"enum":["x",null]},"b":{"anyOf":[{"type":["array","null"],"items":{}}]}}}`,
		},
	} {
		for _, api := range apis[:3] {
			t.Run(tt.name+"/"+api.name, func(t *testing.T) {
				s := start(t, api.server, openaitest.Say("ok"))
				req := ask(api.model, "hi")
				req.Tools = []model.Tool{{Name: "f", Schema: json.RawMessage(tt.schema)}}
				if _, err := collect(t.Context(), client(t, s, api.change), req); err != nil {
					t.Fatal(err)
				}
				tool := body(t, s)["tools"].([]any)[0].(map[string]any)
				if f, ok := tool["function"].(map[string]any); ok {
					tool = f
				}
				if d := cmp.Diff(parse(t, tt.want), tool["parameters"]); d != "" {
					t.Errorf("(-want +got):\n%s", d)
				}
			})
		}
	}
}

func TestRequestsThatMakeNoSense(t *testing.T) {
	for _, tt := range []struct {
		name string
		req  model.Request
		says string
	}{
		{"no model", model.Request{Messages: ask("x", "hi").Messages}, "no model is selected"},
		{"no messages", model.Request{Model: "gpt-5.4"}, "the conversation is empty"},
		{"nothing to send", model.Request{Model: "gpt-5.4", Messages: []model.Message{user(model.Text{})}}, "the conversation is empty"},
		{"a schema that is not one", model.Request{Model: "gpt-5.4", Messages: ask("x", "hi").Messages, Tools: []model.Tool{{Name: "f", Schema: json.RawMessage(`[`)}}}, "the schema of the tool f is not a JSON object"},
	} {
		for _, api := range apis {
			t.Run(tt.name+"/"+api.name, func(t *testing.T) {
				s := start(t, api.server)
				_, err := collect(t.Context(), client(t, s, api.change), tt.req)
				if e := wantError(t, err, model.Invalid); !strings.Contains(e.Message, tt.says) {
					t.Errorf("says %q", e.Message)
				}
				if len(s.Requests()) != 0 {
					t.Error("it was sent")
				}
			})
		}
	}
}
