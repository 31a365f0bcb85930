package hooks

import (
	"encoding/json"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestParse(t *testing.T) {
	no := false
	for _, tt := range []struct {
		name           string
		stdout, stderr string
		code           int
		want           *Output
	}{
		{name: "nothing", want: nil},
		{name: "nothing, and it failed", code: 1, want: nil},
		{name: "an object", stdout: ` {"decision":"deny","reason":"no"} `, want: &Output{Decision: Deny, Reason: "no"}},
		{name: "an object, whatever the exit status", stdout: `{"decision":"ask"}`, code: 3, want: &Output{Decision: Ask}},
		{name: "an object on standard error, when it is all there is", stderr: `{"decision":"block","reason":"no"}`, code: 2, want: &Output{Decision: Block, Reason: "no"}},
		{name: "standard output goes before standard error", stdout: `{"reason":"a"}`, stderr: `{"reason":"b"}`, want: &Output{Reason: "a"}},
		{name: "an object in a string", stdout: `"{\"continue\":false,\"stopReason\":\"enough\"}"`, want: &Output{Continue: &no, StopReason: "enough"}},
		{name: "a field of a wrong type says nothing", stdout: `{"continue":"no","reason":7,"systemMessage":"m","hookSpecificOutput":[1]}`, want: &Output{SystemMessage: "m"}},
		{name: "a number says nothing", stdout: `42`},
		{name: "a truth says nothing", stdout: `true`},
		{name: "a list says nothing", stdout: `[{"decision":"deny"}]`},
		{name: "words", stdout: "Logged: x\n", want: &Output{Decision: Allow, SystemMessage: "Logged: x"}},
		{name: "words in a string", stdout: `"well"`, want: &Output{Decision: Allow, SystemMessage: `"well"`}},
		{name: "words and status 1", stderr: "oops", code: 1, want: &Output{Decision: Allow, SystemMessage: "Warning: oops", Warns: true}},
		{name: "words and status 2", stderr: "not that", code: 2, want: &Output{Decision: Deny, Reason: "not that"}},
		{name: "words and another status", stdout: "no", code: 77, want: &Output{Decision: Deny, Reason: "no"}},
		{name: "bytes that are no text", stdout: "caf\xe9", want: &Output{Decision: Allow, SystemMessage: "caf\uFFFD"}},
		{name: "bytes that are no text, in an object", stdout: "{\"decision\":\"deny\",\"reason\":\"caf\xe9\"}", want: &Output{Decision: Deny, Reason: "caf\uFFFD"}},
		{name: "broken JSON is words, of which the user is warned", stdout: `{"decision":"deny","reason":"no "quotes""}`, want: &Output{Decision: Allow, SystemMessage: `{"decision":"deny","reason":"no "quotes""}`, Warns: true}},
		{name: "broken JSON is words of which the exit status says more", stdout: `{"decision":`, code: 2, want: &Output{Decision: Deny, Reason: `{"decision":`}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got, _ := json.Marshal(parse(tt.stdout, tt.stderr, tt.code))
			want, _ := json.Marshal(tt.want)
			if string(got) != string(want) {
				t.Errorf("got  %s\nwant %s", got, want)
			}
		})
	}
}

func TestArgs(t *testing.T) {
	for _, tt := range []struct {
		name, have, says, want string
		changed                []string
	}{
		{"one of two", `{"a":1,"b":"x"}`, `{"b":"y"}`, `{"a":1,"b":"y"}`, []string{"b"}},
		{"a new one", `{"a":1}`, `{"c":null}`, `{"a":1,"c":null}`, []string{"c"}},
		{"the same, written otherwise", `{"a":{"b":[1,2]}}`, `{"a": {"b": [1, 2]}}`, `{"a":{"b":[1,2]}}`, nil},
		{"the same, escaped otherwise and in another order", `{"a":{"x":"é","y":1}}`, `{"a":{"y":1,"x":"\u00e9"}}`, `{"a":{"x":"é","y":1}}`, nil},
		{"a number that no float holds", `{"a":9007199254740993}`, `{"a":9007199254740992}`, `{"a":9007199254740992}`, []string{"a"}},
		{"nothing", `{"a":1}`, `{}`, `{"a":1}`, nil},
		{"no object", `{"a":1}`, `[1]`, `{"a":1}`, nil},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got, changed := Output{Specific: map[string]json.RawMessage{"tool_input": json.RawMessage(tt.says)}}.Args(json.RawMessage(tt.have))
			if string(got) != tt.want || !cmp.Equal(changed, tt.changed) {
				t.Errorf("got %s, changed %q", got, changed)
			}
		})
	}
}
