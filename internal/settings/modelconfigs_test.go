package settings

import (
	"encoding/json"
	"errors"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestModelConfigs(t *testing.T) {
	half, yes := float32(0.5), true
	for _, tt := range []struct {
		name, text string
		want       ModelConfigs
		said       string // the error, or the first warning
	}{
		{
			name: "an alias and an override, as Gemini CLI writes them",
			text: `{"modelConfigs": {
				"customAliases": {"mine": {"extends": "chat-base", "modelConfig": {"model": "gemini-2.5-flash", "generateContentConfig": {"temperature": 0.5, "thinkingConfig": {"thinkingLevel": "LOW"}}}}},
				"customOverrides": [{"match": {"model": "mine", "overrideScope": "core", "isRetry": true}, "modelConfig": {"generateContentConfig": {"stopSequences": ["END"]}}}]}}`,
			want: ModelConfigs{
				CustomAliases: map[string]ModelAlias{"mine": {Extends: "chat-base", ModelConfig: ModelConfig{
					Model: "gemini-2.5-flash", GenerateContentConfig: Generation{Temperature: &half, ThinkingConfig: Thinking{ThinkingLevel: "LOW"}},
				}}},
				CustomOverrides: []ModelOverride{{
					Match:       ModelMatch{Model: "mine", OverrideScope: "core", IsRetry: &yes},
					ModelConfig: ModelConfig{GenerateContentConfig: Generation{StopSequences: []string{"END"}}},
				}},
			},
		},
		{
			name: "too hot", text: `{"modelConfigs.customAliases": {"a": {"modelConfig": {"generateContentConfig": {"temperature": 3}}}}}`,
			said: `"modelConfigs.customAliases.a.modelConfig.generateContentConfig.temperature" must be a number from 0 to 2`,
		},
		{
			name: "a level that there is not", text: `{"modelConfigs.customAliases": {"a": {"modelConfig": {"generateContentConfig": {"thinkingConfig": {"thinkingLevel": "huge"}}}}}}`,
			said: `"modelConfigs.customAliases.a.modelConfig.generateContentConfig.thinkingConfig.thinkingLevel" must be one of MINIMAL, LOW, MEDIUM, HIGH`,
		},
		{
			name: "a budget below none", text: `{"modelConfigs.customOverrides": [{"match": {}, "modelConfig": {"generateContentConfig": {"thinkingConfig": {"thinkingBudget": -2}}}}]}`,
			said: `"modelConfigs.customOverrides.0.modelConfig.generateContentConfig.thinkingConfig.thinkingBudget" must be a whole number, at least -1`,
		},
		{
			name: "no list", text: `{"modelConfigs.customOverrides": {}}`,
			said: `"modelConfigs.customOverrides" must be a list of overrides, not an object`,
		},
		{
			name: "what emendo does not send", text: `{"modelConfigs.customAliases": {"a": {"modelConfig": {"generateContentConfig": {"topp": 1}}}}}`,
			want: ModelConfigs{CustomAliases: map[string]ModelAlias{"a": {}}},
			said: `unknown setting "modelConfigs.customAliases.a.modelConfig.generateContentConfig.topp" is ignored: did you mean "topP"?`,
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			s, warnings, err := Load(Options{Editor: json.RawMessage(tt.text)})
			said := ""
			var bad *FileError
			if errors.As(err, &bad) {
				said = bad.What
			} else if len(warnings) > 0 {
				said = warnings[0].What
			}
			if d := cmp.Diff(tt.want, s.ModelConfigs); d != "" {
				t.Errorf("read something else (-want +got):\n%s", d)
			}
			if said != tt.said {
				t.Errorf("said %s\nwant %s", said, tt.said)
			}
		})
	}
}
