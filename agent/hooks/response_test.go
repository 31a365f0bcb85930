package hooks

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/emendo-dev/emendo/agent/model"
)

func TestDescribeChunk(t *testing.T) {
	for _, tt := range []struct {
		name  string
		chunk model.Chunk
		want  string
	}{
		{"texts", model.Chunk{Parts: []model.Part{text("a <b>"), model.Thought{Text: "not sent"}, text("c")}}, `{"text":"a <b>c","candidates":[{"content":{"role":"model","parts":["a <b>","c"]},"index":0}]}`},
		{"the end", model.Chunk{Finish: model.MaxTokens, Usage: &model.Usage{Input: 1, Output: 2, Total: 3}}, `{"candidates":[{"content":{"role":"model","parts":[]},"finishReason":"MAX_TOKENS","index":0}],"usageMetadata":{"promptTokenCount":1,"candidatesTokenCount":2,"totalTokenCount":3}}`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if got := string(DescribeChunk(tt.chunk)); got != tt.want {
				t.Errorf("got  %s\nwant %s", got, tt.want)
			}
		})
	}
}

func TestHookResponses(t *testing.T) {
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

func TestLongResponseIsTruncated(t *testing.T) {
	long := strings.Repeat("x", 2*maxAnswer)
	for _, says := range []string{`{"text":"` + long + `"}`, `{"candidates":[{"content":{"parts":["` + long + `"]}}]}`} {
		r, ok := Output{Specific: map[string]json.RawMessage{"llm_response": json.RawMessage(says)}}.Response()
		if want := long[:maxAnswer] + "\n(the rest, 1048576 bytes, is left out)"; !ok || r.Text != want {
			t.Errorf("it has %d bytes, want %d", len(r.Text), len(want))
		}
	}
}

// A hook that writes its input back changes nothing, including signatures.
func TestEchoedResponseChangesNothing(t *testing.T) {
	chunk := model.Chunk{Parts: []model.Part{model.Text{Text: "a", Signature: []byte("s")}, text("b")}, Finish: model.Stop}
	r, ok := Output{Specific: map[string]json.RawMessage{"llm_response": DescribeChunk(chunk)}}.Response()
	if diff := cmp.Diff(r.Over(chunk), chunk); !ok || diff != "" {
		t.Errorf("got -, want +:\n%s", diff)
	}
}
