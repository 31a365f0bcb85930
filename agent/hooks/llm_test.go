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
		Model: "m", System: "not sent",
		Messages: []model.Message{
			message(model.User, text("one "), text("two")),
			message(model.Model, model.Call{ID: "1", Name: "glob", Args: json.RawMessage(`{}`)}),
			message(model.User, model.Result{CallID: "1", Output: "not sent"}),
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

func TestHooksChangeRequests(t *testing.T) {
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

func TestHooksChangeConfigs(t *testing.T) {
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
