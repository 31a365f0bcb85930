package logged_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"log/slog"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/emendo-dev/emendo/agent/model"
	"github.com/emendo-dev/emendo/agent/model/logged"
	"github.com/emendo-dev/emendo/agent/model/modeltest"
)

func TestRecords(t *testing.T) {
	req := model.Request{
		Model: "m", System: "be good", Tools: []model.Tool{{Name: "read", Schema: []byte(`{}`)}},
		Messages: []model.Message{{Role: model.User, Parts: []model.Part{model.Text{Text: "a secret plan"}}}},
	}
	for _, tt := range []struct {
		name  string
		reply modeltest.Reply
		text  bool
		leave bool
		want  map[string]any
	}{
		{
			name: "a good answer", reply: modeltest.Reply{modeltest.Say("secret words"), modeltest.Call("read", `{"a":1}`), modeltest.Usage(model.Usage{Input: 7, Cached: 3, Output: 2, Thought: 1})},
			want: map[string]any{"level": "DEBUG", "calls": 1.0, "sent": 26.0, "received": 23.0, "input": 7.0, "cached": 3.0, "output": 2.0, "thought": 1.0, "finish": "stop"},
		},
		{
			name: "a failure", reply: modeltest.Reply{modeltest.FailWith(&model.Error{Kind: model.Quota, Status: 429, Message: "no more"})},
			want: map[string]any{"level": "INFO", "finish": "error", "kind": "quota", "status": 429.0, "error": "no more"},
		},
		{name: "a cancelled request", reply: modeltest.Reply{modeltest.FailWith(errors.New("the user pressed escape"))}, want: map[string]any{"level": "DEBUG", "finish": "cancelled"}},
		{name: "an answer that the turn left", reply: modeltest.Reply{modeltest.Say("secret words")}, leave: true, want: map[string]any{"level": "DEBUG", "finish": "left"}},
		{
			name: "with text", reply: modeltest.Reply{modeltest.Say("secret words")}, text: true,
			want: map[string]any{"level": "DEBUG", "finish": "stop", "asked": "a secret plan", "answer": "secret words"},
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			var out bytes.Buffer
			now := time.Unix(0, 0)
			s := &modeltest.Script{Lenient: true, Replies: []modeltest.Reply{tt.reply}}
			g := logged.New(s, logged.Options{
				Provider: "p", Text: tt.text, Log: slog.New(slog.NewJSONHandler(&out, &slog.HandlerOptions{Level: slog.LevelDebug})),
				Now: func() time.Time { now = now.Add(time.Second); return now },
			})
			for range g.Stream(t.Context(), req) {
				if tt.leave {
					break
				}
			}
			var got map[string]any
			if err := json.Unmarshal(out.Bytes(), &got); err != nil {
				t.Fatalf("%v: %s", err, out.String())
			}
			if got["provider"] != "p" || got["model"] != "m" || got["messages"] != 1.0 || got["tools"] != 1.0 || got["duration"] == 0.0 || got["request"] == "" {
				t.Errorf("got %v", got)
			}
			for name, want := range tt.want {
				if d := cmp.Diff(want, got[name]); d != "" {
					t.Errorf("%s (-want +got):\n%s", name, d)
				}
			}
			if !tt.text && strings.Contains(out.String(), "secret") {
				t.Errorf("the text is in the log: %s", out.String())
			}
		})
	}
}

func TestWrapped(t *testing.T) {
	type lister struct {
		model.Generator
		model.Lister
	}
	g := logged.New(lister{}, logged.Options{})
	if _, ok := model.As[model.Lister](g); !ok {
		t.Error("the lister is hidden")
	}
	if _, ok := model.As[model.Searcher](g); ok {
		t.Error("a searcher was found")
	}
}
