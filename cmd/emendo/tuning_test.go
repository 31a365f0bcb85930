package main

import (
	"encoding/json"
	"path/filepath"
	"strings"
	"testing"

	"github.com/emendo-dev/emendo/agent/model/catalogue"
	"github.com/emendo-dev/emendo/agent/model/gemini/geminitest"
)

// newest returns the first choice for a name that leaves the model to emendo.
func newest(t *testing.T, name string) string {
	t.Helper()
	n, ok := catalogue.BuiltIn().Lookup("gemini", name)
	if !ok {
		t.Fatalf("no such name: %s", name)
	}
	return n.Candidates(n.Role)[0]
}

// The effect of settings on requests.
func TestRequestsFollowTheSettings(t *testing.T) {
	ok, strong, fast := geminitest.Say("ok"), newest(t, "pro"), newest(t, "flash")
	for _, tt := range []struct {
		name, settings string
		args           []string
		replies        []geminitest.Reply
		code           int
		want           string // models and their configuration in the last requests
		says           string // on standard error
	}{
		{name: "nothing is set", settings: `{}`, replies: []geminitest.Reply{ok}, want: strong + ` {"temperature":1,"topP":0.95,"topK":64,"thinkingConfig":{"includeThoughts":true,"thinkingLevel":"HIGH"}}`},
		{name: "the newest family", settings: `{}`, args: []string{"-m", "auto-gemini-3"}, replies: []geminitest.Reply{ok}, want: newest(t, "auto-gemini-3") + ` {"temperature":1,"topP":0.95,"topK":64,"thinkingConfig":{"includeThoughts":true,"thinkingLevel":"HIGH"}}`},
		{
			name:     "a name of the user's own",
			settings: `{"modelConfigs": {"customAliases": {"mine": {"extends": "base", "modelConfig": {"model": "flash", "generateContentConfig": {"maxOutputTokens": 99, "thinkingConfig": {"thinkingBudget": 0}}}}}, "customOverrides": [{"match": {"model": "mine"}, "modelConfig": {"generateContentConfig": {"topP": 0.5}}}]}}`,
			args:     []string{"-m", "mine"}, replies: []geminitest.Reply{ok}, want: fast + ` {"temperature":0,"topP":0.5,"maxOutputTokens":99,"thinkingConfig":{"thinkingBudget":0}}`,
		},
		{
			name: "an easy prompt", settings: `{"model.routing.classifier": true}`, replies: []geminitest.Reply{geminitest.Say(`{"reasoning":"r","model_choice":"fast"}`), ok},
			want: fast + ` {"temperature":1,"topP":0.95,"topK":64,"thinkingConfig":{"includeThoughts":true,"thinkingLevel":"HIGH"}}`,
		},
		{name: "names that extend each other", settings: `{"modelConfigs.customAliases": {"a": {"extends": "b"}, "b": {"extends": "a"}}}`, code: 52, says: `modelConfigs.customAliases: preset "a" extends itself`},
		{name: "a name that extends none", settings: `{"modelConfigs.customAliases": {"a": {"extends": "b"}}}`, code: 52, says: `preset "a" extends unknown preset "b"`},
		{name: "a model that there is not", settings: `{}`, args: []string{"-m", "gemini-9"}, code: 52, want: "gemini-9", says: "the model is not available"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			w := newWorld(t, tt.replies...)
			w.put(filepath.Join(w.home, "config", "settings.json"), tt.settings)
			r := w.run(append(tt.args, "-p", "hi")...)
			r.wantCode(t, tt.code)
			if !strings.Contains(r.stderr, tt.says) {
				t.Errorf("standard error is %q", r.stderr)
			}
			got := ""
			if reqs := w.model.Requests(); len(reqs) > 0 {
				last := reqs[len(reqs)-1]
				var body struct {
					GenerationConfig json.RawMessage `json:"generationConfig"`
				}
				if err := json.Unmarshal(last.Body, &body); err != nil {
					t.Fatal(err)
				}
				if got = last.Model; tt.code == 0 {
					got += " " + sorted(t, body.GenerationConfig)
				}
			}
			want := tt.want
			if name, config, ok := strings.Cut(want, " "); ok {
				want = name + " " + sorted(t, []byte(config))
			}
			if got != want {
				t.Errorf("got  %s\nwant %s", got, want)
			}
		})
	}
}

// sorted returns JSON with sorted fields.
func sorted(t *testing.T, raw []byte) string {
	t.Helper()
	var v any
	if err := json.Unmarshal(raw, &v); err != nil {
		t.Fatal(err)
	}
	b, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}
