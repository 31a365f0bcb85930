package gemini_test

import (
	"encoding/json"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/emendo-dev/emendo/agent/model"
	"github.com/emendo-dev/emendo/agent/model/gemini/geminitest"
)

// What a generator sends must not depend on what it has sent before.
func TestConversationIsSentLikeANewOne(t *testing.T) {
	user := func(id string, parts ...model.Part) model.Message {
		return model.Message{ID: id, Role: model.User, Parts: parts}
	}
	said := func(id string, parts ...model.Part) model.Message {
		return model.Message{ID: id, Role: model.Model, Parts: parts}
	}
	call := func(id, args string) model.Part {
		return model.Call{ID: id, Name: "read_file", Args: json.RawMessage(args)}
	}
	result := func(id, out string) model.Part { return model.Result{CallID: id, Name: "read_file", Output: out} }
	first := []model.Message{user("1", model.Text{Text: "hello <you> & \"all\""})}
	called := append(first[:1:1], said("2", model.Text{Text: "hm", Signature: []byte("s")}, call("a", `{"big":12345678901234567890}`), call("b", `{}`)))
	answered := append(called[:2:2], user("2/results", result("a", "one"), result("b", "two")))
	more := append(answered[:3:3], said("3", call("c", `{"x":1}`)), user("3/results", result("c", "three")))
	spoken := append(more[:5:5], said("4", model.Text{Text: "done"}), user("5", model.Text{Text: "and now?"}))
	changed := append([]model.Message{user("1", model.Text{Text: "hello"}, model.Text{Text: "there"})}, spoken[1:]...)
	for _, name := range []string{"gemini-2.5-pro", "gemini-3-pro-preview"} {
		t.Run(name, func(t *testing.T) {
			s := geminitest.Start(geminitest.Options{Answer: func(geminitest.Request) geminitest.Reply { return geminitest.Say("ok") }})
			t.Cleanup(s.Close)
			old := client(t, s, nil)
			for i, history := range [][]model.Message{first, answered, answered, more, spoken, changed, first, spoken} {
				var bodies []any
				for _, g := range []model.Generator{old, client(t, s, nil)} {
					req := model.Request{Model: name, Messages: history, Tools: []model.Tool{{Name: "read_file", Schema: json.RawMessage(`{"type":"object"}`)}}}
					for _, err := range g.Stream(t.Context(), req) {
						_ = err // a refusal is the same for both, and its body is seen
					}
					all := s.Requests()
					var body any
					if err := json.Unmarshal(all[len(all)-1].Body, &body); err != nil {
						t.Fatal(err)
					}
					bodies = append(bodies, body)
				}
				if diff := cmp.Diff(bodies[0], bodies[1]); diff != "" {
					t.Errorf("request %d (-after others +alone):\n%s", i, diff)
				}
			}
		})
	}
}
