package anthropic_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/emendo-dev/emendo/agent/model"
	"github.com/emendo-dev/emendo/agent/model/anthropic"
	"github.com/emendo-dev/emendo/agent/model/anthropic/anthropictest"
)

// body sends the request to a server that says "ok", and returns what it received.
func body(t *testing.T, req model.Request) string {
	t.Helper()
	s := anthropictest.New(t, anthropictest.Say("ok"))
	if _, err := collect(t.Context(), client(t, s, nil), req); err != nil {
		t.Fatal(err)
	}
	return string(s.Requests()[0].Body)
}

// fields returns the named fields of a body, as one JSON object.
func fields(t *testing.T, body string, names ...string) string {
	t.Helper()
	var all map[string]json.RawMessage
	if err := json.Unmarshal([]byte(body), &all); err != nil {
		t.Fatal(err)
	}
	var out []string
	for _, name := range names {
		if raw, ok := all[name]; ok {
			out = append(out, `"`+name+`":`+string(raw))
		}
	}
	return "{" + strings.Join(out, ",") + "}"
}

func TestHistory(t *testing.T) {
	const mark = `"cache_control":{"type":"ephemeral"}`
	call := func(id, theirs string) model.Call {
		return model.Call{ID: id, ProviderID: theirs, Name: "f", Args: json.RawMessage(`{"n": 9007199254740993,"b":"<&>"}`)}
	}
	png := model.Blob{MIME: "image/png", Data: []byte{0}}
	for _, tt := range []struct {
		name string
		in   []model.Message
		want string
	}{
		{
			"empty parts and messages are dropped, and messages of one role joined",
			[]model.Message{
				says(model.Text{Text: "a"}, model.Text{Text: " \n"}),
				{Role: model.Model, Parts: []model.Part{model.Text{Signature: []byte("gemini's")}, model.Thought{Text: "hm"}}},
				says(model.Text{Text: "b"}),
			},
			`[{"content":[{"text":"a","type":"text"},{"text":"b",` + mark + `,"type":"text"}],"role":"user"}]`,
		},
		{
			"ids of others are replaced, results come first, and arguments keep their bytes",
			[]model.Message{
				says(model.Text{Text: "a"}),
				{Role: model.Model, Parts: []model.Part{call("call_1", "theirs:1"), call("call 2", ""), call("call_3", "toolu_3")}},
				says(model.Text{Text: "b"}, model.Result{CallID: "call_3", ProviderID: "toolu_3", Name: "f", Output: "3"}, model.Result{CallID: "call 2", Name: "f", Failed: true, Output: "2", Blobs: []model.Blob{png}}, model.Result{CallID: "call_1", ProviderID: "theirs:1", Name: "f"}),
			},
			`[{"content":[{"text":"a",` + mark + `,"type":"text"}],"role":"user"},` +
				`{"content":[{"id":"call_1","input":{"n":9007199254740993,"b":"<&>"},"name":"f","type":"tool_use"},{"id":"HASH","input":{"n":9007199254740993,"b":"<&>"},"name":"f","type":"tool_use"},{"id":"toolu_3","input":{"n":9007199254740993,"b":"<&>"},"name":"f","type":"tool_use"}],"role":"assistant"},` +
				`{"content":[{"tool_use_id":"toolu_3","content":[{"text":"3","type":"text"}],"type":"tool_result"},{"tool_use_id":"HASH","is_error":true,"content":[{"text":"2","type":"text"}],"type":"tool_result"},{"tool_use_id":"call_1","type":"tool_result"},` +
				`{"text":"b","type":"text"},{"source":{"data":"AA==","media_type":"image/png","type":"base64"},` + mark + `,"type":"image"}],"role":"user"}]`,
		},
		{
			"attachments",
			[]model.Message{says(png, model.Blob{MIME: "application/pdf", Data: []byte("%PDF")}, model.Blob{MIME: "text/x-go; charset=utf-8", Data: []byte("package a")}, model.Blob{MIME: "audio/wav", Data: []byte{1}})},
			`[{"content":[{"source":{"data":"AA==","media_type":"image/png","type":"base64"},"type":"image"},{"source":{"data":"JVBERg==","media_type":"application/pdf","type":"base64"},"type":"document"},` +
				`{"source":{"data":"package a","media_type":"text/plain","type":"text"},"type":"document"},{"text":"[1 bytes of type \"audio/wav\" are left out: this model does not read this type]",` + mark + `,"type":"text"}],"role":"user"}]`,
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got := fields(t, body(t, model.Request{Model: thoughtless, Messages: tt.in}), "messages")
			var raw struct{ Messages []anthropictest.Message }
			if err := json.Unmarshal([]byte(got), &raw); err != nil {
				t.Fatal(err)
			}
			for _, m := range raw.Messages {
				for _, b := range m.Content {
					if len(b.ID) == len("call_")+20 && b.ID != "call_1" {
						got = strings.ReplaceAll(got, b.ID, "HASH")
					}
				}
			}
			var g, w any
			if json.Unmarshal([]byte(got), &g) != nil || json.Unmarshal([]byte(`{"messages":`+tt.want+`}`), &w) != nil {
				t.Fatalf("not JSON: %s\n%s", got, tt.want)
			}
			if diff := cmp.Diff(w, g); diff != "" {
				t.Errorf("(-want +got)\n%s", diff)
			}
			if strings.Contains(tt.want, "9007199254740993") && strings.Count(got, `"n":9007199254740993,"b":"`) != 3 {
				t.Errorf("the arguments have other bytes: %s", got)
			}
		})
	}
}

func TestConfig(t *testing.T) {
	f32, i32, no := func(f float32) *float32 { return &f }, func(n int32) *int32 { return &n }, false
	for _, tt := range []struct {
		name   string
		model  string
		config model.Config
		choice model.Choice
		want   string
	}{
		{"nothing is chosen", thoughtless, model.Config{}, 0, `{"max_tokens":8192}`},
		{"limits and sampling", thoughtless, model.Config{MaxTokens: 100, Temperature: f32(0.7), TopP: f32(0.9), TopK: f32(40), StopSequences: []string{"x", " "}}, 0, `{"max_tokens":100,"temperature":0.7,"top_k":40,"stop_sequences":["x"]}`},
		{"past the end", thoughtless, model.Config{MaxTokens: 1 << 20, Temperature: f32(2)}, 0, `{"max_tokens":8192,"temperature":1}`},
		{"a model without sampling", adaptive, model.Config{Temperature: f32(0.5), ThinkingBudget: i32(0)}, 0, `{"max_tokens":128000,"thinking":{"type":"disabled"}}`},
		{"a budget of its own", budgets, model.Config{Temperature: f32(0.5)}, 0, `{"max_tokens":64000,"thinking":{"budget_tokens":8192,"type":"enabled"}}`},
		{"a budget", budgets, model.Config{ThinkingBudget: i32(2000), IncludeThoughts: &no}, 0, `{"max_tokens":64000,"thinking":{"budget_tokens":2000,"display":"omitted","type":"enabled"}}`},
		{"a budget without bounds", budgets, model.Config{ThinkingBudget: i32(-1)}, 0, `{"max_tokens":64000,"thinking":{"budget_tokens":32000,"type":"enabled"}}`},
		{"a budget that is too small", budgets, model.Config{ThinkingBudget: i32(5)}, 0, `{"max_tokens":64000,"thinking":{"budget_tokens":1024,"type":"enabled"}}`},
		{"an answer too short for a budget", budgets, model.Config{MaxTokens: 2000, Temperature: f32(0.5)}, 0, `{"max_tokens":2000,"temperature":0.5}`},
		{"no budget", budgets, model.Config{ThinkingBudget: i32(0)}, 0, `{"max_tokens":64000}`},
		{"a budget and a demanded call", budgets, model.Config{}, model.MustCall, `{"max_tokens":64000,"tool_choice":{"type":"any"}}`},
		{"effort", adaptive, model.Config{ThinkingLevel: "HIGH"}, 0, `{"max_tokens":128000,"thinking":{"display":"summarized","type":"adaptive"},"output_config":{"effort":"high"}}`},
		{"the nearest effort", adaptive, model.Config{ThinkingLevel: "MINIMAL"}, 0, `{"max_tokens":128000,"thinking":{"display":"summarized","type":"adaptive"},"output_config":{"effort":"low"}}`},
		{"hidden thoughts", adaptive, model.Config{IncludeThoughts: &no}, 0, `{"max_tokens":128000,"thinking":{"display":"omitted","type":"adaptive"}}`},
		{"a short answer", adaptive, model.Config{MaxTokens: 100}, 0, `{"max_tokens":100,"thinking":{"type":"disabled"}}`},
		{"a demanded call", adaptive, model.Config{}, model.MustCall, `{"max_tokens":128000,"thinking":{"type":"disabled"},"tool_choice":{"type":"any"}}`},
		{"a demanded call of a model that always thinks", always, model.Config{}, model.MustCall, `{"max_tokens":128000,"thinking":{"display":"summarized","type":"adaptive"}}`},
		{"no thinking of a model that always thinks", always, model.Config{ThinkingBudget: i32(0)}, 0, `{"max_tokens":128000,"thinking":{"display":"summarized","type":"adaptive"},"output_config":{"effort":"low"}}`},
		{"no calls", adaptive, model.Config{}, model.MustNotCall, `{"max_tokens":128000,"thinking":{"display":"summarized","type":"adaptive"},"tool_choice":{"type":"none"}}`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			req := ask(tt.model, "hi")
			req.Config, req.Choice, req.Tools = tt.config, tt.choice, []model.Tool{{Name: "f"}}
			got := fields(t, body(t, req), "max_tokens", "temperature", "top_p", "top_k", "stop_sequences", "thinking", "output_config", "tool_choice")
			var g, w any
			if json.Unmarshal([]byte(got), &g) != nil || json.Unmarshal([]byte(tt.want), &w) != nil {
				t.Fatal(got)
			}
			if diff := cmp.Diff(w, g); diff != "" {
				t.Errorf("(-want +got)\n%s", diff)
			}
		})
	}
}

// TestThinkingComesBack runs turns with calls over both kinds of thinking, against a
// server that checks that the thinking comes back unchanged, as a session does.
func TestThinkingComesBack(t *testing.T) {
	for _, name := range []string{adaptive, always, budgets} {
		t.Run(name, func(t *testing.T) {
			s := anthropictest.New(t,
				anthropictest.Do(anthropictest.Think("first <hm> é\n"), anthropictest.Redact("secret"), anthropictest.Text("I look."), anthropictest.Call("f", `{"a":1}`), anthropictest.Call("a tool:1", `{}`)),
				anthropictest.Do(anthropictest.Think("second"), anthropictest.Call("f", `{"a":2}`)),
				anthropictest.Do(anthropictest.Think("third"), anthropictest.Text("done")),
				anthropictest.Say("bye"),
			)
			g := client(t, s, nil)
			req := ask(name, "hi")
			req.System = "Be brief."
			req.Tools = []model.Tool{{Name: "f", Schema: json.RawMessage(`{"type":"object","properties":{"a":{"type":"integer"}}}`)}, {Name: "a tool:1", Description: "odd"}}
			for range 4 {
				a, err := collect(t.Context(), g, req)
				if err != nil {
					t.Fatal(err)
				}
				var kept, results []model.Part
				for _, p := range a.Parts {
					switch p := p.(type) { //nolint:gochecksumtype // thoughts are not part of a session's history
					case model.Text, model.Call:
						kept = append(kept, p)
					}
					if c, ok := p.(model.Call); ok {
						if c.Name != "f" && c.Name != "a tool:1" {
							t.Errorf("the call is of %q", c.Name)
						}
						results = append(results, model.Result{CallID: c.ID, ProviderID: c.ProviderID, Name: c.Name, Output: "ok"})
					}
				}
				if len(results) == 0 {
					results = []model.Part{model.Text{Text: "next"}}
				}
				req.Messages = append(req.Messages, model.Message{Role: model.Model, Parts: kept}, says(results...))
			}
			if last := s.Requests()[3]; strings.Count(string(last.Body), `"cache_control"`) != 4 || !strings.Contains(string(last.Body), `"redacted_thinking"`) {
				t.Errorf("the last request is %s", last.Body)
			}
		})
	}
}

// TestTurnsThatAnotherModelBegan are continued without a thinking budget, which the
// API would refuse, and without the signatures of the other model.
func TestTurnsThatAnotherModelBegan(t *testing.T) {
	req := ask(budgets, "hi")
	req.Messages = append(req.Messages,
		model.Message{Role: model.Model, Parts: []model.Part{model.Text{Text: "", Signature: []byte("theirs")}, model.Call{ID: "call_1", ProviderID: "fc:1", Name: "f", Args: json.RawMessage(`{}`), Signature: []byte("theirs")}}},
		says(model.Result{CallID: "call_1", ProviderID: "fc:1", Name: "f", Output: "ok"}))
	got := body(t, req)
	if strings.Contains(got, "thinking") || strings.Contains(got, "theirs") || strings.Contains(got, "fc:1") {
		t.Errorf("the request is %s", got)
	}
}

func TestDeclarationsAreTheSameInEachRequest(t *testing.T) {
	req := ask(adaptive, "hi")
	req.System = "Be brief."
	req.Tools = []model.Tool{{Name: "f", Schema: json.RawMessage(`{"type":"object","properties":{"z":{"type":"string"},"a b":{},"a":{"type":"array","items":{"required":["b","a b"]}}}}`)}}
	first := fields(t, body(t, req), "tools", "system")
	for range 20 {
		if again := fields(t, body(t, req), "tools", "system"); again != first {
			t.Fatalf("%s\n%s", first, again)
		}
	}
}

func TestUnknownModelsAreLookedUpOnce(t *testing.T) {
	s := anthropictest.New(t, anthropictest.Say("a"), anthropictest.Say("a"))
	g := client(t, s, func(o *anthropic.Options) { o.Traits = nil })
	req := ask("claude-haiku-5-5", "hi")
	req.Config.ThinkingLevel = "max"
	for range 2 {
		if _, err := collect(t.Context(), g, req); err != nil {
			t.Fatal(err)
		}
	}
	got := fields(t, string(s.Requests()[1].Body), "max_tokens", "thinking", "output_config")
	if want := `{"max_tokens":64000,"thinking":{"display":"summarized","type":"adaptive"},"output_config":{"effort":"high"}}`; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

func TestModelsAndTokenCounts(t *testing.T) {
	s := anthropictest.New(t)
	g := client(t, s, nil)
	all, err := g.Models(t.Context())
	if err != nil || len(all) != 8 {
		t.Fatalf("%+v, %v", all, err)
	}
	want := model.Offered{ID: adaptive, Name: "The model " + adaptive, InputTokens: 1_000_000, OutputTokens: 128_000, Images: new(true)}
	if d := cmp.Diff(want, all[0]); d != "" {
		t.Errorf("the first one differs (-want +got):\n%s", d)
	}
	req := ask(adaptive, strings.Repeat("word ", 1000))
	req.System, req.Tools = "Be brief.", []model.Tool{{Name: "f"}}
	if n, err := g.CountTokens(t.Context(), req); err != nil || n < 1000 {
		t.Errorf("%d, %v", n, err)
	}
	_, err = g.CountTokens(t.Context(), ask("claude-none", "hi"))
	wantError(t, err, model.NotFound)
	_, err = client(t, s, func(o *anthropic.Options) { o.APIKey = "wrong-key" }).Models(t.Context())
	wantError(t, err, model.Auth)
}
