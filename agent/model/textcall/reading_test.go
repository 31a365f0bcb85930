package textcall_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/emendo-dev/emendo/agent/model"
	"github.com/emendo-dev/emendo/agent/model/modeltest"
	"github.com/emendo-dev/emendo/agent/model/textcall"
)

// Calls that a server has left in the text are calls, in the forms in which open models
// write them; everything else is the text that it was.
func TestCallsInTheTextOfAServerAreRead(t *testing.T) {
	const call = "<tool_call>\n{\"name\": \"read\", \"arguments\": {\"path\": \"a\"}}\n</tool_call>"
	for name, tt := range map[string]struct {
		text string
		want answer
	}{
		"a block":                   {call, answer{Calls: []string{`read{"path": "a"}`}}},
		"text and a block":          {"I look.\n" + call + "\n", answer{Text: "I look.\n", Calls: []string{`read{"path": "a"}`}}},
		"an object":                 {`{"name": "read", "parameters": {"path": "a"}}`, answer{Calls: []string{`read{"path": "a"}`}}},
		"a list":                    {`[TOOL_CALLS] [{"name": "read", "arguments": {"path": "a"}}]`, answer{Calls: []string{`read{"path": "a"}`}}},
		"another tool":              {`{"name": "fly", "arguments": {}}`, answer{Text: `{"name": "fly", "arguments": {}}`}},
		"an object that is no call": {`{"a": 1}`, answer{Text: `{"a": 1}`}},
		"text about a block":        {"It writes\n" + call + "\nto call.", answer{Text: "It writes\n" + call + "\nto call."}},
		"a block that does not end": {"<tool_call>\n{", answer{Text: "<tool_call>\n{"}},
		"text":                      {"One.\n\nTwo {x}\n", answer{Text: "One.\n\nTwo {x}\n"}},
		"an object after text":      {"So:\n{\"name\": \"read\", \"arguments\": {}}", answer{Text: "So:\n{\"name\": \"read\", \"arguments\": {}}"}},
	} {
		t.Run(name, func(t *testing.T) {
			for _, n := range []int{1, 3, 1000} {
				var reply modeltest.Reply
				for rest := tt.text; rest != ""; {
					at := min(n, len(rest))
					reply = append(reply, modeltest.Say(rest[:at]))
					rest = rest[at:]
				}
				got := collect(t, textcall.Reading(&modeltest.Script{Lenient: true, Replies: []modeltest.Reply{reply}}), model.Request{Tools: reading})
				got.Finish, got.Word = "", ""
				if d := cmp.Diff(tt.want, got); d != "" {
					t.Errorf("in pieces of %d (-want +got):\n%s", n, d)
				}
			}
		})
	}
}
