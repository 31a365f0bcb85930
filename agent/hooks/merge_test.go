package hooks

import (
	"encoding/json"
	"strings"
	"testing"
)

func TestMerge(t *testing.T) {
	for _, tt := range []struct {
		name  string
		event Event
		says  []string
		want  string
	}{
		{"nothing said allows", BeforeTool, nil, `{"decision":"allow"}`},
		{"a refusal beats a question beats leave", BeforeTool, []string{`{"decision":"allow"}`, `{"decision":"block","reason":"a"}`, `{"decision":"ask","reason":"b"}`, `{"decision":"approve"}`}, `{"decision":"block","reason":"a\nb"}`},
		{"a question beats leave", BeforeTool, []string{`{"decision":"ask"}`, `{"decision":"allow"}`}, `{"decision":"ask"}`},
		{"one stop stops", AfterTool, []string{`{"continue":false,"stopReason":"a"}`, `{"continue":true,"stopReason":"b"}`}, `{"continue":false,"decision":"allow","stopReason":"a\nb"}`},
		{"words are joined", BeforeAgent, []string{`{"systemMessage":"a","hookSpecificOutput":{"additionalContext":"x"}}`, `{"systemMessage":"b","suppressOutput":true,"hookSpecificOutput":{"additionalContext":"y"}}`}, `{"decision":"allow","systemMessage":"a\nb","suppress":true,"specific":{"additionalContext":"x\ny"}}`},
		{"arguments are laid over each other", BeforeTool, []string{`{"hookSpecificOutput":{"tool_input":{"a":1,"b":1}}}`, `{"hookSpecificOutput":{"tool_input":{"b":2}}}`}, `{"decision":"allow","specific":{"tool_input":{"a":1,"b":2}}}`},
		{"a cleared context stays cleared", AfterAgent, []string{`{"hookSpecificOutput":{"clearContext":true}}`, `{"hookSpecificOutput":{"clearContext":false}}`}, `{"decision":"allow","specific":{"clearContext":true}}`},
		{"of a model's hooks the later one counts", BeforeModel, []string{`{"decision":"allow","reason":"a","hookSpecificOutput":{"llm_request":{"model":"m"}}}`, `{"decision":"allow","hookSpecificOutput":{"llm_request":{"config":{}},"other":1}}`}, `{"decision":"allow","reason":"a","specific":{"llm_request":{"config":{},"model":"m"},"other":1}}`},
		{"a later one lifts no refusal", BeforeModel, []string{`{"decision":"deny","reason":"a"}`, `words`}, `{"decision":"deny","reason":"a","systemMessage":"words"}`},
		{"nor a stop", AfterModel, []string{`{"continue":false,"stopReason":"a"}`, `{"continue":true,"stopReason":"b"}`}, `{"continue":false,"stopReason":"a"}`},
		{"none beats any beats auto", BeforeToolSelection, []string{`{"hookSpecificOutput":{"toolConfig":{"mode":"ANY","allowedFunctionNames":["b","a"]}}}`, `{"hookSpecificOutput":{"toolConfig":{"mode":"AUTO","allowedFunctionNames":["c","a"]}}}`}, `{"specific":{"toolConfig":{"mode":"ANY","allowedFunctionNames":["a","b","c"]}}}`},
		{"none has no names", BeforeToolSelection, []string{`{"hookSpecificOutput":{"toolConfig":{"mode":"NONE","allowedFunctionNames":["b"]}}}`, `{"hookSpecificOutput":{"toolConfig":{"mode":"any"}}}`}, `{"specific":{"toolConfig":{"mode":"NONE"}}}`},
		{"a mode that is unknown", BeforeToolSelection, []string{`{"hookSpecificOutput":{"toolConfig":{"mode":"VALIDATED","allowedFunctionNames":["b"]}}}`}, `{"specific":{"toolConfig":{"allowedFunctionNames":["b"]}}}`},
		{"as the provider nests it", BeforeToolSelection, []string{`{"hookSpecificOutput":{"toolConfig":{"functionCallingConfig":{"mode":"ANY","allowedFunctionNames":["b"]}}}}`}, `{"specific":{"toolConfig":{"mode":"ANY","allowedFunctionNames":["b"]}}}`},
		{"of the others the later one counts", Notification, []string{`{"systemMessage":"a"}`, `{"systemMessage":"b"}`}, `{"systemMessage":"b"}`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			var all []Output
			for _, s := range tt.says {
				all = append(all, *parse(s, "", 0))
			}
			got, err := encode(formatted(merge(tt.event, all)))
			if err != nil {
				t.Fatal(err)
			}
			if string(got) != canonical(t, tt.want) {
				t.Errorf("got  %s\nwant %s", got, canonical(t, tt.want))
			}
		})
	}
}

// formatted formats an output as in the tables.
func formatted(o Output) map[string]any {
	m := map[string]any{}
	for name, s := range map[string]string{"stopReason": o.StopReason, "reason": o.Reason, "systemMessage": o.SystemMessage, "decision": string(o.Decision)} {
		if s != "" {
			m[name] = s
		}
	}
	if o.Continue != nil {
		m["continue"] = *o.Continue
	}
	if o.Suppress {
		m["suppress"] = true
	}
	if len(o.Specific) > 0 {
		m["specific"] = o.Specific
	}
	return m
}

func canonical(t *testing.T, s string) string {
	t.Helper()
	dec := json.NewDecoder(strings.NewReader(s))
	m := map[string]json.RawMessage{}
	if err := dec.Decode(&m); err != nil {
		t.Fatal(err)
	}
	b, err := encode(m)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}
