package gemini_test

import (
	"bytes"
	"encoding/json"
	"image"
	"image/color"
	"image/gif"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/emendo-dev/emendo/agent/model"
	"github.com/emendo-dev/emendo/agent/model/gemini"
	"github.com/emendo-dev/emendo/agent/model/gemini/geminitest"
)

// user and said return messages of the two roles.
func user(parts ...model.Part) model.Message { return model.Message{Role: model.User, Parts: parts} }

func said(parts ...model.Part) model.Message { return model.Message{Role: model.Model, Parts: parts} }

func TestRequestsMatchTheAPI(t *testing.T) {
	call := func(id, name, args string) model.Call {
		return model.Call{ID: id, Name: name, Args: json.RawMessage(args)}
	}
	signed := call("1", "f", `{}`)
	signed.Signature = []byte{0, 1, 2}
	text := func(s string) model.Part { return model.Text{Text: s} }
	picture := model.Blob{MIME: "image/png", Data: []byte{1, 2, 3}}

	for _, tt := range []struct {
		name     string
		model    string // empty: gemini-2.5-pro
		messages []model.Message
		want     string // the contents
	}{
		{
			name:     "one question",
			messages: []model.Message{user(text("hi"))},
			want:     `[{"role":"user","parts":[{"text":"hi"}]}]`,
		},
		{
			name: "thoughts, empty texts and empty messages stay here, and neighbours join",
			messages: []model.Message{
				user(text("a"), text("")), user(text("b")),
				said(model.Thought{Text: "hm"}), said(text("c")), said(model.Thought{Text: "hm"}, text("d")), user(text("e")),
			},
			want: `[{"role":"user","parts":[{"text":"a"},{"text":"b"}]},{"role":"model","parts":[{"text":"c"},{"text":"d"}]},{"role":"user","parts":[{"text":"e"}]}]`,
		},
		{
			name: "a signature alone is kept, a thought's as well",
			messages: []model.Message{
				user(text("a")), said(model.Thought{Text: "hm", Signature: []byte{1}}, model.Text{Signature: []byte{0, 1, 2}}), user(text("b")),
			},
			want: `[{"role":"user","parts":[{"text":"a"}]},{"role":"model","parts":[{"text":"","thoughtSignature":"AQ=="},{"text":"","thoughtSignature":"AAEC"}]},{"role":"user","parts":[{"text":"b"}]}]`,
		},
		{
			name: "arguments keep their bytes, answers say output or error, ids go back only when they are theirs",
			messages: []model.Message{
				user(text("a")),
				said(call("1", "f", `{"z":9007199254740993,"a":1.50}`), model.Call{ID: "2", ProviderID: "p2", Name: "g", Args: json.RawMessage(`{}`)}),
				user(model.Result{CallID: "1", Name: "f", Output: "<fine> & 😀"}, model.Result{CallID: "2", ProviderID: "p2", Name: "g", Output: "no such file", Failed: true}),
			},
			want: `[{"role":"user","parts":[{"text":"a"}]},
				{"role":"model","parts":[{"functionCall":{"name":"f","args":{"z":9007199254740993,"a":1.50}}},{"functionCall":{"id":"p2","name":"g","args":{}}}]},
				{"role":"user","parts":[{"functionResponse":{"name":"f","response":{"output":"<fine> & 😀"}}},{"functionResponse":{"id":"p2","name":"g","response":{"error":"no such file"}}}]}]`,
		},
		{
			name: "arguments that are not an object are sent as an empty one",
			messages: []model.Message{
				user(text("a")), said(call("1", "f", ``), call("2", "f", `[1]`), call("3", "f", `{"cut`)),
				user(model.Result{Name: "f"}, model.Result{Name: "f"}, model.Result{Name: "f"}),
			},
			want: `[{"role":"user","parts":[{"text":"a"}]},
				{"role":"model","parts":[{"functionCall":{"name":"f","args":{}}},{"functionCall":{"name":"f","args":{}}},{"functionCall":{"name":"f","args":{}}}]},
				{"role":"user","parts":[{"functionResponse":{"name":"f","response":{"output":""}}},{"functionResponse":{"name":"f","response":{"output":""}}},{"functionResponse":{"name":"f","response":{"output":""}}}]}]`,
		},
		{
			name:     "a picture is sent inline",
			messages: []model.Message{user(picture, text("what is this?"))},
			want:     `[{"role":"user","parts":[{"inlineData":{"data":"AQID","mimeType":"image/png"}},{"text":"what is this?"}]}]`,
		},
		{
			name: "a picture that a tool returned follows all the answers",
			messages: []model.Message{
				user(text("a")), said(call("1", "f", `{}`), call("2", "g", `{}`)),
				user(model.Result{Name: "f", Output: "see", Blobs: []model.Blob{picture}}, model.Result{Name: "g", Output: "ok"}),
			},
			want: `[{"role":"user","parts":[{"text":"a"}]},
				{"role":"model","parts":[{"functionCall":{"name":"f","args":{}}},{"functionCall":{"name":"g","args":{}}}]},
				{"role":"user","parts":[{"functionResponse":{"name":"f","response":{"output":"see"}}},{"functionResponse":{"name":"g","response":{"output":"ok"}}},{"inlineData":{"data":"AQID","mimeType":"image/png"}}]}]`,
		},
		{
			name: "the third family takes it inside the answer", model: "gemini-3.1-pro-preview",
			messages: []model.Message{
				user(text("a")), said(call("1", "f", `{}`)),
				user(model.Result{CallID: "1", Name: "f", Output: "see", Blobs: []model.Blob{picture, {MIME: "audio/wav", Data: []byte{1, 2, 3}}}}),
			},
			want: `[{"role":"user","parts":[{"text":"a"}]},
				{"role":"model","parts":[{"functionCall":{"id":"1","name":"f","args":{}},"thoughtSignature":"skip_thought_signature_validator"}]},
				{"role":"user","parts":[{"functionResponse":{"id":"1","name":"f","response":{"output":"see"},"parts":[{"inlineData":{"data":"AQID","mimeType":"image/png"}}]}},{"inlineData":{"data":"AQID","mimeType":"audio/wav"}}]}]`,
		},
		{
			name: "the third family gets a stand-in on the first call of each step of this turn", model: "gemini-3-pro-preview",
			messages: []model.Message{
				user(text("a")), said(call("1", "old", `{}`)), user(model.Result{CallID: "1", Name: "old"}), said(text("done")),
				user(text("b")), said(call("2", "f", `{}`), call("3", "f", `{}`)), user(model.Result{CallID: "2", Name: "f"}, model.Result{CallID: "3", Name: "f"}, text("steered")),
				said(call("4", "g", `{}`)), user(model.Result{CallID: "4", Name: "g"}),
			},
			want: `[{"role":"user","parts":[{"text":"a"}]},
				{"role":"model","parts":[{"functionCall":{"id":"1","name":"old","args":{}}}]},
				{"role":"user","parts":[{"functionResponse":{"id":"1","name":"old","response":{"output":""}}}]},
				{"role":"model","parts":[{"text":"done"}]},
				{"role":"user","parts":[{"text":"b"}]},
				{"role":"model","parts":[{"functionCall":{"id":"2","name":"f","args":{}},"thoughtSignature":"skip_thought_signature_validator"},{"functionCall":{"id":"3","name":"f","args":{}}}]},
				{"role":"user","parts":[{"functionResponse":{"id":"2","name":"f","response":{"output":""}}},{"functionResponse":{"id":"3","name":"f","response":{"output":""}}},{"text":"steered"}]},
				{"role":"model","parts":[{"functionCall":{"id":"4","name":"g","args":{}},"thoughtSignature":"skip_thought_signature_validator"}]},
				{"role":"user","parts":[{"functionResponse":{"id":"4","name":"g","response":{"output":""}}}]}]`,
		},
		{
			name:     "a signature goes back as it came",
			messages: []model.Message{user(text("a")), said(signed), user(model.Result{Name: "f"})},
			want: `[{"role":"user","parts":[{"text":"a"}]},
				{"role":"model","parts":[{"functionCall":{"name":"f","args":{}},"thoughtSignature":"AAEC"}]},
				{"role":"user","parts":[{"functionResponse":{"name":"f","response":{"output":""}}}]}]`,
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			s := geminitest.New(t, geminitest.Say("ok"))
			req := model.Request{Model: tt.model, Messages: tt.messages}
			if req.Model == "" {
				req.Model = "gemini-2.5-pro"
			}
			if _, err := collect(t.Context(), client(t, s, nil), req); err != nil {
				t.Fatal(err)
			}
			if got, want := field(t, s, "contents"), canonical(t, tt.want); got != want {
				t.Errorf("the contents differ (-want +got):\n%s", cmp.Diff(strings.Split(want, "\n"), strings.Split(got, "\n")))
			}
		})
	}
}

func TestArgumentsKeepTheirBytesOnTheWire(t *testing.T) {
	const args = `{"z":9007199254740993,"a":{"y":1.50,"b":"a \u003c b"}}`
	s := geminitest.New(t, geminitest.Say("ok"))
	req := model.Request{Model: "gemini-3-pro-preview", Messages: []model.Message{
		user(model.Text{Text: "go"}), said(model.Call{ID: "1", Name: "f", Args: json.RawMessage(args)}), user(model.Result{CallID: "1", Name: "f"}),
	}}
	if _, err := collect(t.Context(), client(t, s, nil), req); err != nil {
		t.Fatal(err)
	}
	if body := s.Requests()[0].Body; !bytes.Contains(body, []byte(`"args":`+args)) {
		t.Errorf("the arguments are not as they were written: %s", body)
	}
}

// field returns a field of the body of the server's last request.
func field(t *testing.T, s *geminitest.Server, name string) string {
	t.Helper()
	var body map[string]json.RawMessage
	reqs := s.Requests()
	if err := json.Unmarshal(reqs[len(reqs)-1].Body, &body); err != nil {
		t.Fatal(err)
	}
	return canonical(t, string(body[name]))
}

// canonical returns JSON with sorted fields, one on each line, and unchanged numbers.
func canonical(t *testing.T, in string) string {
	t.Helper()
	dec := json.NewDecoder(strings.NewReader(in))
	dec.UseNumber()
	var v any
	if err := dec.Decode(&v); err != nil {
		t.Fatalf("%v in %s", err, in)
	}
	var out bytes.Buffer
	enc := json.NewEncoder(&out)
	enc.SetIndent("", " ")
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		t.Fatal(err)
	}
	return out.String()
}

func TestRequestSaysWhetherTheModelMayCall(t *testing.T) {
	for choice, want := range map[model.Choice]string{
		model.MayCall: "null", model.MustCall: `{"functionCallingConfig":{"mode":"ANY"}}`, model.MustNotCall: `{"functionCallingConfig":{"mode":"NONE"}}`,
	} {
		s := geminitest.New(t, geminitest.Say("ok"))
		req := ask("gemini-2.5-flash", "hi")
		req.Tools, req.Choice = []model.Tool{{Name: "f", Description: "does f"}}, choice
		if _, err := collect(t.Context(), client(t, s, nil), req); err != nil {
			t.Fatal(err)
		}
		body := map[string]json.RawMessage{"toolConfig": json.RawMessage("null")}
		if err := json.Unmarshal(s.Requests()[0].Body, &body); err != nil {
			t.Fatal(err)
		}
		if got := canonical(t, string(body["toolConfig"])); got != canonical(t, want) {
			t.Errorf("choice %d: got %s, want %s", choice, got, want)
		}
	}
}

func TestRequestCarriesToolsAndConfig(t *testing.T) {
	s := geminitest.New(t, geminitest.Say("ok"), geminitest.Say("ok"))
	schema := `{"type":"object","properties":{"z":{"type":"string","minLength":1},"a":{"$ref":"#/$defs/n"}},"required":["z"],"$defs":{"n":{"type":"integer","maximum":9007199254740993}}}`
	g := client(t, s, func(o *gemini.Options) { o.Way.UserAgent = "emendo/1.0 (test)" })
	req := ask("models/gemini-2.5-flash", "hi")
	req.System = "be brief"
	req.Tools = []model.Tool{{Name: "f", Description: "does f", Schema: json.RawMessage(schema)}, {Name: "g", Description: "takes nothing"}}
	req.Config = model.Config{Temperature: new(float32), MaxTokens: 99}
	if _, err := collect(t.Context(), g, req); err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]string{
		"systemInstruction": `{"role":"user","parts":[{"text":"be brief"}]}`,
		"generationConfig":  `{"temperature":0,"maxOutputTokens":99,"thinkingConfig":{"includeThoughts":true}}`,
		"tools":             `[{"functionDeclarations":[{"name":"f","description":"does f","parametersJsonSchema":` + schema + `},{"name":"g","description":"takes nothing"}]}]`,
	} {
		if got, want := field(t, s, name), canonical(t, want); got != want {
			t.Errorf("%s: got %s want %s", name, got, want)
		}
	}
	if got := s.Requests()[0].Header.Get("User-Agent"); got != "emendo/1.0 (test)" {
		t.Errorf("user agent %q", got)
	}
	if !bytes.Contains(s.Requests()[0].Body, []byte(`"parametersJsonSchema":`+schema)) {
		t.Error("the schema's fields lost their order")
	}

	if _, err := collect(t.Context(), g, ask("gemini-2.0-flash", "hi")); err != nil {
		t.Fatal(err)
	}
	if bytes.Contains(s.Requests()[1].Body, []byte("thinkingConfig")) {
		t.Error("a model that does not think was asked for thoughts")
	}
}

func TestGenerationIsTuned(t *testing.T) {
	f := func(v float32) *float32 { return &v }
	n := func(v int32) *int32 { return &v }
	off := false
	for _, tt := range []struct {
		name   string
		model  string // empty: gemini-2.5-pro
		config model.Config
		want   string // the generationConfig
	}{
		{name: "nothing is said", want: `{"thinkingConfig":{"includeThoughts":true}}`},
		{
			name: "everything is said", config: model.Config{Temperature: f(1), TopP: f(0.5), TopK: f(64), MaxTokens: 9, StopSequences: []string{"END"}, Seed: n(7), ThinkingBudget: n(8192), IncludeThoughts: &off},
			want: `{"temperature":1,"topP":0.5,"topK":64,"maxOutputTokens":9,"stopSequences":["END"],"seed":7,"thinkingConfig":{"thinkingBudget":8192}}`,
		},
		{name: "the third family takes a level and no budget", model: "gemini-3-pro-preview", config: model.Config{ThinkingLevel: "low", ThinkingBudget: n(100)}, want: `{"thinkingConfig":{"includeThoughts":true,"thinkingLevel":"LOW"}}`},
		{name: "a budget where no level is given", model: "gemini-3-pro-preview", config: model.Config{ThinkingBudget: n(1000)}, want: `{"thinkingConfig":{"includeThoughts":true,"thinkingBudget":1000}}`},
		{name: "the second family takes no level", config: model.Config{ThinkingLevel: "HIGH"}, want: `{"thinkingConfig":{"includeThoughts":true}}`},
		{name: "a model that cannot but think", config: model.Config{ThinkingBudget: n(0)}, want: `{"thinkingConfig":{"includeThoughts":true,"thinkingBudget":128}}`},
		{name: "a budget that is too large", config: model.Config{ThinkingBudget: n(99999)}, want: `{"thinkingConfig":{"includeThoughts":true,"thinkingBudget":32768}}`},
		{name: "as much as the model likes", config: model.Config{ThinkingBudget: n(-1)}, want: `{"thinkingConfig":{"includeThoughts":true,"thinkingBudget":-1}}`},
		{name: "no thoughts", model: "gemini-2.5-flash", config: model.Config{ThinkingBudget: n(0)}, want: `{"thinkingConfig":{"thinkingBudget":0}}`},
		{name: "a small model's least", model: "gemini-2.5-flash-lite", config: model.Config{ThinkingBudget: n(1)}, want: `{"thinkingConfig":{"includeThoughts":true,"thinkingBudget":512}}`},
		{name: "a model without thoughts", model: "gemini-2.0-flash", config: model.Config{ThinkingBudget: n(1), TopK: f(3)}, want: `{"topK":3}`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			s := geminitest.New(t, geminitest.Say("ok"))
			req := ask("gemini-2.5-pro", "hi")
			if tt.model != "" {
				req.Model = tt.model
			}
			req.Config = tt.config
			if _, err := collect(t.Context(), client(t, s, nil), req); err != nil {
				t.Fatal(err)
			}
			if got, want := field(t, s, "generationConfig"), canonical(t, tt.want); got != want {
				t.Errorf("got %s want %s", got, want)
			}
		})
	}
}

func TestSignaturesRoundTrip(t *testing.T) {
	s := geminitest.New(t, geminitest.Do(geminitest.Think("hm"), geminitest.Call("f", `{}`), geminitest.Call("g", `{}`)), geminitest.Say("done"))
	g := client(t, s, nil)
	req := ask("gemini-3-pro-preview", "go")
	a, err := collect(t.Context(), g, req)
	if err != nil {
		t.Fatal(err)
	}
	var results []model.Part
	for _, p := range a.Parts {
		if c, ok := p.(model.Call); ok {
			results = append(results, model.Result{CallID: c.ID, ProviderID: c.ProviderID, Name: c.Name})
		}
	}
	req.Messages = append(req.Messages, said(a.Parts...), user(results...))
	stored, err := json.Marshal(req.Messages)
	if err != nil {
		t.Fatal(err)
	}
	req.Messages = nil
	if err := json.Unmarshal(stored, &req.Messages); err != nil {
		t.Fatal(err)
	}
	if a, err = collect(t.Context(), g, req); err != nil || a.text() != "done" {
		t.Fatalf("%q, %v", a.text(), err)
	}
}

// The API takes no GIF, so a picture of that type is converted.
func TestAGIFIsConverted(t *testing.T) {
	var b bytes.Buffer
	if err := gif.Encode(&b, image.NewPaletted(image.Rect(0, 0, 2, 2), color.Palette{color.Black}), nil); err != nil {
		t.Fatal(err)
	}
	s := geminitest.New(t, geminitest.Say("ok"))
	g := model.Seeing(client(t, s, nil), func(string) *bool { return nil })
	req := model.Request{Model: "gemini-2.5-pro", Messages: []model.Message{user(model.Blob{MIME: "image/gif", Data: b.Bytes()})}}
	if _, err := collect(t.Context(), g, req); err != nil {
		t.Fatal(err)
	}
	if body := s.Requests()[0].Body; !bytes.Contains(body, []byte(`"mimeType":"image/png"`)) || bytes.Contains(body, []byte("gif")) {
		t.Errorf("sent %s", body)
	}
}
