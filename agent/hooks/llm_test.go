package hooks

import (
	"encoding/json"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/emendo-dev/emendo/agent/model"
)

func text(s string) model.Part { return model.Text{Text: s} }

func message(r model.Role, parts ...model.Part) model.Message {
	return model.Message{Role: r, Parts: parts}
}

func TestDescribeRequest(t *testing.T) {
	half, forty := float32(0.5), float32(40)
	req := model.Request{
		Model: "m", System: "not told",
		Messages: []model.Message{
			message(model.User, text("one "), text("two")),
			message(model.Model, model.Call{ID: "1", Name: "glob", Args: json.RawMessage(`{}`)}),
			message(model.User, model.Result{CallID: "1", Output: "not told"}),
			message(model.Model, text("three"), model.Blob{MIME: "image/png"}),
		},
		Tools:  []model.Tool{{Name: "glob"}, {Name: "replace"}},
		Config: model.Config{Temperature: &half, TopK: &forty, MaxTokens: 9, StopSequences: []string{"x"}},
	}
	want := `{"model":"m","messages":[{"role":"user","content":"one two"},{"role":"model","content":"three"}],"config":{"temperature":0.5,"maxOutputTokens":9,"topK":40},"toolConfig":{"mode":"AUTO","allowedFunctionNames":["glob","replace"]}}`
	if got := string(DescribeRequest(req)); got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
	if got, want := string(DescribeRequest(model.Request{Model: "m"})), `{"model":"m","messages":[],"config":{},"toolConfig":{"mode":"AUTO"}}`; got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}

func TestRequestsThatHooksChange(t *testing.T) {
	call, result, blob := model.Call{ID: "1", Name: "glob", Args: json.RawMessage(`{}`)}, model.Result{CallID: "1", Output: "found"}, model.Blob{MIME: "image/png"}
	signed := model.Text{Text: "three", Signature: []byte("s")}
	have := []model.Message{
		message(model.User, text("one")), message(model.Model, signed, call), message(model.User, result), message(model.Model, text("four")), message(model.User, text("five"), blob),
	}
	for _, tt := range []struct {
		name, says string
		want       []model.Message
	}{
		{"nothing", `{}`, have},
		{"no list", `{"messages":7}`, have},
		{"another last text", `{"messages":[{"role":"user","content":"one"},{"role":"model","content":"three"},{"role":"model","content":"four"},{"role":"user","content":"5"}]}`, []model.Message{
			have[0], have[1], have[2], have[3], message(model.User, text("5"), blob),
		}},
		{"a text beside a call", `{"messages":[{"content":"one"},{"content":"3"},{"content":"four"},{"content":"five"}]}`, []model.Message{
			have[0], message(model.Model, text("3"), call), have[2], have[3], have[4],
		}},
		{"parts for a text", `{"messages":[{"content":[{"type":"text","text":"o"},"ne",{"type":"image"}]},{"content":"three"},{"content":"four"},{"content":"five"}]}`, have},
		{"more than there are", `{"messages":[{"content":"one"},{"content":"three"},{"content":"four"},{"content":"five"},{"role":"model","content":"six"},{"role":"user","content":"seven"},{"role":"system","content":"eight"}]}`, []model.Message{
			have[0], have[1], have[2], have[3], have[4], message(model.Model, text("six")), message(model.User, text("seven"), text("eight")),
		}},
		{"fewer than there are", `{"messages":[{"content":"one"},{"content":"three"}]}`, []model.Message{
			have[0], have[1], message(model.User, result, blob),
		}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			o := Output{Specific: map[string]json.RawMessage{"llm_request": json.RawMessage(tt.says)}}
			got, _ := o.Request(model.Request{Model: "m", Messages: have})
			if diff := cmp.Diff(got.Messages, tt.want); diff != "" {
				t.Errorf("got -, want +:\n%s", diff)
			}
			if got.Model != "m" {
				t.Errorf("the model is %s", got.Model)
			}
		})
	}
}

func TestConfigsThatHooksChange(t *testing.T) {
	half, full := float32(0.5), float32(1)
	o := Output{Specific: map[string]json.RawMessage{"llm_request": json.RawMessage(`{"model":"n","config":{"temperature":1,"maxOutputTokens":3,"stopSequences":["y"]}}`)}}
	got, changed := o.Request(model.Request{Model: "m", Config: model.Config{Temperature: &half, TopP: &half, StopSequences: []string{"x"}}})
	want := model.Config{Temperature: &full, TopP: &half, MaxTokens: 3, StopSequences: []string{"x"}}
	if diff := cmp.Diff(got.Config, want); !changed || got.Model != "n" || diff != "" {
		t.Errorf("model %s, got -, want +:\n%s", got.Model, diff)
	}
	if _, changed := (Output{}).Request(model.Request{}); changed {
		t.Error("a hook that says nothing changes the request")
	}
}

func TestDescribeChunk(t *testing.T) {
	for _, tt := range []struct {
		name  string
		chunk model.Chunk
		want  string
	}{
		{"texts", model.Chunk{Parts: []model.Part{text("a <b>"), model.Thought{Text: "not told"}, text("c")}}, `{"text":"a <b>c","candidates":[{"content":{"role":"model","parts":["a <b>","c"]},"index":0}]}`},
		{"the end", model.Chunk{Finish: model.MaxTokens, Usage: &model.Usage{Input: 1, Output: 2, Total: 3}}, `{"candidates":[{"content":{"role":"model","parts":[]},"finishReason":"MAX_TOKENS","index":0}],"usageMetadata":{"promptTokenCount":1,"candidatesTokenCount":2,"totalTokenCount":3}}`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if got := string(DescribeChunk(tt.chunk)); got != tt.want {
				t.Errorf("got  %s\nwant %s", got, tt.want)
			}
		})
	}
}

func TestResponsesOfHooks(t *testing.T) {
	call := model.Call{ID: "1", Name: "glob", Args: json.RawMessage(`{}`)}
	chunk := model.Chunk{Parts: []model.Part{text("a"), call, model.Text{Signature: []byte("s")}}, Finish: model.Stop}
	for _, tt := range []struct {
		name, says string
		ok         bool
		alone      model.Chunk // as an answer of its own
		over       model.Chunk // in place of the chunk's text
	}{
		{
			name: "parts", says: `{"candidates":[{"content":{"role":"model","parts":["b","c"]},"finishReason":"STOP"}]}`, ok: true,
			alone: model.Chunk{Parts: []model.Part{text("bc")}, Finish: model.Stop},
			over:  model.Chunk{Parts: []model.Part{text("bc"), call, model.Text{Signature: []byte("s")}}, Finish: model.Stop},
		},
		{
			name: "parts as the provider has them, and another end", says: `{"candidates":[{"content":{"parts":[{"text":"b"}]},"finishReason":"max_tokens"}]}`, ok: true,
			alone: model.Chunk{Parts: []model.Part{text("b")}, Finish: model.MaxTokens},
			over:  model.Chunk{Parts: []model.Part{text("b"), call, model.Text{Signature: []byte("s")}}, Finish: model.MaxTokens},
		},
		{
			name: "an empty text", says: `{"candidates":[{"content":{"parts":[]}}]}`, ok: true,
			alone: model.Chunk{Finish: model.Stop}, over: model.Chunk{Parts: []model.Part{call, model.Text{Signature: []byte("s")}}, Finish: model.Stop},
		},
		{
			name: "a text alone, and an end that is unknown", says: `{"text":"b","candidates":[]}`, ok: true,
			alone: model.Chunk{Parts: []model.Part{text("b")}, Finish: model.Stop},
			over:  model.Chunk{Parts: []model.Part{text("b"), call, model.Text{Signature: []byte("s")}}, Finish: model.Stop},
		},
		{
			name: "counts that are none", says: `{"candidates":[{"content":{"parts":["b"]},"index":"0"}],"usageMetadata":[]}`, ok: true,
			alone: model.Chunk{Parts: []model.Part{text("b")}, Finish: model.Stop},
			over:  model.Chunk{Parts: []model.Part{text("b"), call, model.Text{Signature: []byte("s")}}, Finish: model.Stop},
		},
		{name: "nothing", says: `{}`},
		{name: "no object", says: `7`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			r, ok := Output{Specific: map[string]json.RawMessage{"llm_response": json.RawMessage(tt.says)}}.Response()
			if ok != tt.ok {
				t.Fatalf("ok is %v", ok)
			}
			if !ok {
				return
			}
			if diff := cmp.Diff(r.Chunk(), tt.alone); diff != "" {
				t.Errorf("alone: got -, want +:\n%s", diff)
			}
			if diff := cmp.Diff(r.Over(chunk), tt.over); diff != "" {
				t.Errorf("in place: got -, want +:\n%s", diff)
			}
		})
	}
}

// A hook that writes back what it was told changes nothing, a signature included.
func TestAnAnswerWrittenBackStaysAsItIs(t *testing.T) {
	chunk := model.Chunk{Parts: []model.Part{model.Text{Text: "a", Signature: []byte("s")}, text("b")}, Finish: model.Stop}
	r, ok := Output{Specific: map[string]json.RawMessage{"llm_response": DescribeChunk(chunk)}}.Response()
	if diff := cmp.Diff(r.Over(chunk), chunk); !ok || diff != "" {
		t.Errorf("got -, want +:\n%s", diff)
	}
}

func TestArgs(t *testing.T) {
	for _, tt := range []struct {
		name, have, says, want string
		changed                []string
	}{
		{"one of two", `{"a":1,"b":"x"}`, `{"b":"y"}`, `{"a":1,"b":"y"}`, []string{"b"}},
		{"a new one", `{"a":1}`, `{"c":null}`, `{"a":1,"c":null}`, []string{"c"}},
		{"the same, written otherwise", `{"a":{"b":[1,2]}}`, `{"a": {"b": [1, 2]}}`, `{"a":{"b":[1,2]}}`, nil},
		{"the same, escaped otherwise and in another order", `{"a":{"x":"é","y":1}}`, `{"a":{"y":1,"x":"\u00e9"}}`, `{"a":{"x":"é","y":1}}`, nil},
		{"a number that no float holds", `{"a":9007199254740993}`, `{"a":9007199254740992}`, `{"a":9007199254740992}`, []string{"a"}},
		{"nothing", `{"a":1}`, `{}`, `{"a":1}`, nil},
		{"no object", `{"a":1}`, `[1]`, `{"a":1}`, nil},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got, changed := Output{Specific: map[string]json.RawMessage{"tool_input": json.RawMessage(tt.says)}}.Args(json.RawMessage(tt.have))
			if string(got) != tt.want || !cmp.Equal(changed, tt.changed) {
				t.Errorf("got %s, changed %q", got, changed)
			}
		})
	}
}
