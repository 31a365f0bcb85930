package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/emendo-dev/emendo/agent/subagent"
	"github.com/emendo-dev/emendo/tools"
	"github.com/emendo-dev/emendo/tools/builtin"
	"github.com/emendo-dev/emendo/tools/shell"
	"github.com/emendo-dev/emendo/tools/web"
)

// Bad arguments of a built-in tool are an error that names the argument. Nothing is
// guessed, and no tool panics.
func TestToolsRejectBadArguments(t *testing.T) {
	all := builtin.Tools(shell.Options{}, web.Options{})
	all = append(all, subagent.NewInvoke(subagent.Load(t.Context(), nil, nil)))
	for _, tool := range all {
		spec := tool.Spec()
		t.Run(spec.Name, func(t *testing.T) {
			refuses := func(what, args, names string) {
				t.Helper()
				var e *tools.Error
				_, err := tool.Prepare(t.Context(), tools.Env{}, json.RawMessage(args))
				switch {
				case !errors.As(err, &e):
					t.Errorf("%s: %s: error %v", what, args, err)
				case e.Type != tools.InvalidParams:
					t.Errorf("%s: the error is of the type %s: %s", what, e.Type, e.Message)
				case !strings.Contains(e.Message, names):
					t.Errorf("%s: the error does not name %s: %s", what, names, e.Message)
				}
			}
			var s struct {
				Properties map[string]struct {
					Type any   `json:"type"`
					Enum []any `json:"enum"`
				} `json:"properties"`
				Required []string `json:"required"`
			}
			if err := json.Unmarshal(spec.Schema, &s); err != nil {
				t.Fatal(err)
			}
			for what, args := range map[string]string{"no JSON": "{", "a list": "[]", "a text": `"x"`, "two objects": "{}{}", "half a character": "{\"\xff\":1}"} {
				refuses(what, args, "")
			}
			refuses("an unknown argument", `{"no_such_thing":1}`, "")
			for _, name := range s.Required {
				refuses("a missing argument", `{}`, s.Required[0])
				refuses("null", fmt.Sprintf(`{%q:null}`, name), "")
			}
			for _, name := range slices.Sorted(maps.Keys(s.Properties)) {
				wrong := `{"a":1}`
				if s.Properties[name].Type == "object" {
					wrong = `[1]`
				}
				args := map[string]any{}
				for _, other := range s.Required {
					args[other] = map[any]any{"integer": 1, "boolean": true, "array": []any{}}[s.Properties[other].Type]
					if args[other] == nil {
						args[other] = "a"
					}
				}
				args[name] = json.RawMessage(wrong)
				text, err := json.Marshal(args)
				if err != nil {
					t.Fatal(err)
				}
				refuses("another type", string(text), name)
				refuses("twice", fmt.Sprintf(`{%q:"a",%q:"b"}`, name, name), name)
				if len(s.Properties[name].Enum) > 0 {
					refuses("not one of the choices", fmt.Sprintf(`{%q:"nothing like that"}`, name), "")
				}
			}
		})
	}
}
