package preview

import (
	"encoding/json"
	"testing"

	"github.com/emendo-dev/emendo/acp"
	"github.com/emendo-dev/emendo/agent/transcript"
	"github.com/emendo-dev/emendo/tools"
)

// What version 1 sends, in the form of version 2.
func TestOutgoing(t *testing.T) {
	old := "a\n"
	notify := func(e transcript.Event) any {
		u, _ := acp.Nearest(e, acp.Abilities{Notices: true, Compactions: true})
		return acp.Notification{SessionID: "s", Update: u}
	}
	update := func(e transcript.Event, want string) (string, any, string) {
		if want != "" {
			want = `{"sessionId":"s","update":` + want + `}`
		}
		return "session/update", notify(e), want
	}
	for name, of := range map[string]func() (method string, params any, want string){
		"a mode, which its option tells": func() (string, any, string) { return update(transcript.ModeChanged{Mode: "plan"}, "") },
		"a call": func() (string, any, string) {
			return update(transcript.ToolCall{CallID: "c", Name: "f", Args: json.RawMessage(`{"n":12345678901234567890,"s":"<"}`), Title: "f"},
				`{"_meta":{"emendo":{"state":"validating"}},"kind":"other","name":"f","rawInput":{"n":12345678901234567890,"s":"<"},"sessionUpdate":"tool_call_update","status":"pending","title":"f","toolCallId":"c"}`)
		},
		"a diff": func() (string, any, string) {
			return update(transcript.ToolUpdate{CallID: "c", State: transcript.AwaitingApproval, Diffs: []transcript.Diff{{Path: "/w/a", Old: &old, New: "b\n"}}},
				`{"_meta":{"emendo":{"state":"awaiting_approval"}},"content":[{"changes":[{"fileType":"text","operation":"modify","path":"/w/a"}],"patch":{"format":"git_patch","text":"diff --git a/w/a b/w/a\n--- a/w/a\n+++ b/w/a\n@@ -1,1 +1,1 @@\n-a\n+b\n"},"type":"diff"}],"sessionUpdate":"tool_call_update","status":"pending","toolCallId":"c"}`)
		},
		"the diff of a new file": func() (string, any, string) {
			return update(transcript.ToolUpdate{CallID: "c", State: transcript.AwaitingApproval, Diffs: []transcript.Diff{{Path: "/w/a", New: "b\n"}}},
				`{"_meta":{"emendo":{"state":"awaiting_approval"}},"content":[{"changes":[{"fileType":"text","operation":"add","path":"/w/a"}],"patch":{"format":"git_patch","text":"diff --git a/w/a b/w/a\nnew file mode 100644\n--- /dev/null\n+++ b/w/a\n@@ -0,0 +1,1 @@\n+b\n"},"type":"diff"}],"sessionUpdate":"tool_call_update","status":"pending","toolCallId":"c"}`)
		},
		"a plan": func() (string, any, string) {
			return update(transcript.PlanOf(tools.Notes{Todos: []tools.Todo{{Description: "x", Status: tools.TodoPending}}}),
				`{"plan":{"entries":[{"content":"x","priority":"medium","status":"pending"}],"planId":"todos","type":"items"},"sessionUpdate":"plan_update"}`)
		},
		"the commands": func() (string, any, string) {
			return update(transcript.CommandsChanged{Commands: []transcript.Command{{Name: "mode", Description: "d", Hint: "h"}}},
				`{"availableCommands":[{"description":"d","input":{"hint":"h","type":"text"},"name":"mode","type":"command"}],"sessionUpdate":"available_commands_update"}`)
		},
		"an answer that begins again": func() (string, any, string) {
			return update(transcript.Retract{MessageID: "m"}, `{"_meta":{"emendo":{"messageId":"m","sessionUpdate":"_emendo/retract"}},"content":[],"messageId":"m","sessionUpdate":"agent_message"}`)
		},
		"a question": func() (string, any, string) {
			return "session/request_permission", json.RawMessage(`{"sessionId":"s","toolCall":{"sessionUpdate":"tool_call_update","toolCallId":"c"},"options":[]}`),
				`{"options":[],"sessionId":"s","subject":{"toolCall":{"toolCallId":"c"},"type":"tool_call"},"title":"Allow this?"}`
		},
		"another request": func() (string, any, string) {
			return "fs/read_text_file", json.RawMessage(`{"path":"/a"}`), `{"path":"/a"}`
		},
	} {
		t.Run(name, func(t *testing.T) {
			method, params, want := of()
			got, sent, err := Outgoing(method, params)
			if err != nil || sent != (want != "") {
				t.Fatalf("sent %v, %v", sent, err)
			}
			if raw, _ := got.(json.RawMessage); string(raw) != want {
				t.Errorf("got\n%s, want\n%s", raw, want)
			}
		})
	}
}

func TestReadAbilities(t *testing.T) {
	always := acp.Abilities{Notices: true, Compactions: true}
	all := always
	all.SignsIn, all.Forms = true, true
	for raw, want := range map[string]acp.Abilities{
		``: always, `null`: always, `[]`: always, `{"auth":7}`: always,
		`{"auth":{"terminal":{}},"elicitation":{"form":{}}}`: all,
	} {
		if got := ReadAbilities(json.RawMessage(raw)); got != want {
			t.Errorf("%s: got %+v, want %+v", raw, got, want)
		}
	}
}
