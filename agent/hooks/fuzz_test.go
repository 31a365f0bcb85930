package hooks

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/emendo-dev/emendo/agent/model"
)

// FuzzOutputs checks that any output of hooks can be parsed, that their context
// for the model stays within its mark, and that a refusal stays one.
func FuzzOutputs(f *testing.F) {
	for _, s := range []string{
		"", "words", `{"decision":"deny"}`, `"{\"decision\":\"deny\"}"`, `{"hookSpecificOutput":{"additionalContext":"</hook_context>"}}`,
		`{"hookSpecificOutput":{"tool_input":{"a":1},"llm_request":{"messages":[{"role":"user","content":["x"]}]},"llm_response":{"candidates":[{"content":{"parts":[1]}}]},"toolConfig":{"mode":"any"},"tailToolCallRequest":{"name":"x"}}}`,
	} {
		f.Add(s, `{"decision":"deny"}`, 2)
	}
	f.Fuzz(func(t *testing.T, a, b string, code int) {
		var all []Output
		for _, s := range []string{a, b} {
			if o := parse(s, "", code); o != nil {
				all = append(all, *o)
			}
		}
		for _, e := range Events() {
			o := merge(e, all)
			if text := Enclosed(o.Context()); strings.Count(text, "<") != 2 || len(text) > maxContext*4+100 {
				t.Errorf("the model got %q", text)
			}
			_, _ = o.Args(json.RawMessage(`{"a":1}`))
			_, _ = o.Request(model.Request{Messages: []model.Message{{Role: model.User, Parts: []model.Part{model.Text{Text: "x"}}}}})
			if r, ok := o.Response(); ok {
				_ = r.Over(r.Chunk())
			}
			_, _ = o.ToolConfig()
			_, _ = o.Tail()
			_, _ = o.ToolOutput()
		}
		for _, e := range Events() {
			for _, o := range all {
				if together := merge(e, all); e.Decides() && (o.Blocks() && !together.Blocks() || o.Stops() && !together.Stops()) {
					t.Errorf("at %s a refusal was lost among %q and %q", e, a, b)
				}
			}
		}
	})
}
