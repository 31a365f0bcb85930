package settings

import (
	"fmt"
	"strings"
	"testing"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/google/go-cmp/cmp"
)

func TestObjects(t *testing.T) {
	half := float32(0.5)
	alias := func(text string) string { return `{"rex": {"modelConfig": {"generateContentConfig": ` + text + `}}}` }
	rex := func(g Generation) ModelAliases {
		return ModelAliases{"rex": {ModelConfig: ModelConfig{GenerateContentConfig: g}}}
	}
	const inner = `"modelConfigs.customAliases.rex.modelConfig.generateContentConfig`
	for _, tt := range []struct {
		name, text string
		want       ModelAliases
		said       string
	}{
		{name: "empty", text: `{}`, want: ModelAliases{}},
		{
			name: "all kinds of values, comments and a trailing comma",
			text: alias(`{"maxOutputTokens": 4, /* few */ "temperature": 0.5, "stopSequences": ["a", "b"],}`),
			want: rex(Generation{MaxOutputTokens: 4, Temperature: &half, StopSequences: []string{"a", "b"}}),
		},
		{name: "a null inside is unset", text: alias(`{"maxOutputTokens": null, "temperature": null}`), want: rex(Generation{})},
		{
			name: "unknown names are left out, with a warning each", text: "{\n\"rex\": {\"extendz\": 4, \"extends\": \"Rex\", \"$ref\": {}}}", want: ModelAliases{"rex": {Extends: "Rex"}},
			said: `2:9: unknown setting "modelConfigs.customAliases.rex.extendz" is ignored: did you mean "extends"?` + "\n" + `2:41: unknown setting "modelConfigs.customAliases.rex.$ref" is ignored: did you mean "extends"?`,
		},
		{name: "no object", text: `[]`, said: `1:1: "modelConfigs.customAliases" must be an object: names to aliases, not a list`},
		{name: "another type inside", text: alias("{\n\"maxOutputTokens\": \"4\"}"), said: `2:20: ` + inner + `.maxOutputTokens" must be a whole number, not a string`},
		{name: "a fraction for a whole number", text: alias("{\n\"maxOutputTokens\": 1.5}"), said: `2:20: ` + inner + `.maxOutputTokens" must be a whole number, not 1.5`},
		{name: "another type in a list", text: alias("\n{\"stopSequences\": [\"a\", 2]}"), said: `2:25: ` + inner + `.stopSequences.1" must be a string, not a number`},
		{name: "no object inside", text: `{"rex": 7}`, said: `1:9: "modelConfigs.customAliases.rex" must be an object, not a number`},
		{name: "what only its type knows to be wrong", text: alias("{ // two at most\n\"temperature\": 9}"), said: `2:16: ` + inner + `.temperature" must be a number from 0 to 2`},
		{name: "a name twice", text: `{"rex": {"extends": "a", "extends": "b"}}`, said: `1:26: "modelConfigs.customAliases.rex.extends" is set twice: remove one of the two`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			text := []byte("{\"modelConfigs.customAliases\":\n" + tt.text + "}")
			r, broken := read(text, false, nil)
			if broken != nil {
				t.Fatal(broken)
			}
			var said []string
			for _, m := range append(r.unknown, r.bad...) {
				line, column := position(text, m.offset)
				said = append(said, fmt.Sprintf("%d:%d: %s", line-1, column, m.what))
			}
			var s Settings
			for _, f := range r.found {
				f.setting.assign(&s, f.value)
			}
			if got := strings.Join(said, "\n"); got != tt.said {
				t.Errorf("said\n%s\nwant\n%s", got, tt.said)
			}
			if diff := cmp.Diff(s.ModelConfigs.CustomAliases, tt.want); diff != "" {
				t.Errorf("aliases differ (-got +want):\n%s", diff)
			}
		})
	}
}

func TestObjectsOfLayers(t *testing.T) {
	weak := LanguageServerTable{"zls": {Command: []string{"a", "b"}, Extensions: map[string]string{".zig": "zig"}}, "tom": {Disabled: true}}
	s := Settings{LanguageServers: LanguageServers{Servers: weak}}
	d, _ := lookup("languageServers.servers")
	d.merge(&s, jsontext.Value(`{"zls": {"disabled": true, "command": ["c"], "extensions": {".zon": "zig"}}, "ada": {}}`))
	want := LanguageServerTable{
		"zls": {Disabled: true, Command: []string{"c"}, Extensions: map[string]string{".zig": "zig", ".zon": "zig"}},
		"tom": {Disabled: true}, "ada": {},
	}
	if diff := cmp.Diff(s.LanguageServers.Servers, want); diff != "" {
		t.Errorf("servers differ (-got +want):\n%s", diff)
	}
	if len(weak) != 2 || len(weak["zls"].Extensions) != 1 {
		t.Errorf("the weaker layer's own value changed: %v", weak)
	}
}
