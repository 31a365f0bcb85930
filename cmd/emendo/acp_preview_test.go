package main

import (
	"encoding/json"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/emendo-dev/emendo/acp/acptest"
	"github.com/emendo-dev/emendo/agent/model/gemini/geminitest"
	"github.com/emendo-dev/emendo/agent/model/servertest"
)

// acpPreview runs `emendo acp` for a client that speaks the preview of version 2. Every
// message is checked against the schema.
func (w *world) acpPreview() *acptest.Client {
	w.t.Helper()
	c := w.acp("--experimental-v2")
	c.Preview = true
	c.Initialize()
	return c
}

func (w *world) previewSession(c *acptest.Client) string {
	w.t.Helper()
	var opened struct {
		SessionID     string
		ConfigOptions []struct{ ConfigID string }
		Modes         any
	}
	c.Must("session/new", params{"cwd": w.dir}, &opened)
	if opened.Modes != nil || len(opened.ConfigOptions) != 2 || opened.ConfigOptions[0].ConfigID != "mode" {
		w.t.Errorf("the session was opened with %+v", opened)
	}
	return opened.SessionID
}

// states returns the states that a client was shown of its sessions, with stop reasons.
func states(c *acptest.Client) string {
	var l []string
	for _, m := range c.Seen() {
		var p struct {
			Update struct {
				SessionUpdate, State, StopReason string
				Error                            *struct{ Message string }
			}
		}
		if m.Method == "session/update" && json.Unmarshal(m.Params, &p) == nil && p.Update.SessionUpdate == "state_update" {
			l = append(l, strings.TrimSuffix(p.Update.State+":"+p.Update.StopReason, ":"))
		}
	}
	return strings.Join(l, " ")
}

// idle waits until the nth turn has ended.
func idle(c *acptest.Client, n int) string {
	c.Await("the end of the turn", func(acptest.Message) bool { return strings.Count(states(c), "idle") >= n })
	return states(c)
}

// TestACPPreview goes through a conversation in the preview of version 2.
func TestACPPreview(t *testing.T) {
	cut := geminitest.Reply{Events: []geminitest.Event{geminitest.Text("half an ans")}, End: servertest.Cut}
	w := newWorld(t,
		geminitest.Do(geminitest.Think("**Thinking** about it"), geminitest.Call("write_todos", `{"todos":[{"description":"edit it","status":"in_progress"}]}`)),
		geminitest.Do(editCall("two", "TWO")), geminitest.Do(geminitest.Call("write_file", `{"file_path":"b.txt","content":"new\n"}`)), cut, geminitest.Say("whole")).trusted()
	w.write("a.txt", "one\ntwo\n")
	c := w.acpPreview()
	var asked []string
	c.Permit = func(p acptest.Permission) string {
		asked = append(asked, p.Title+"|"+p.Subject.ToolCall.Content[0].Patch.Text)
		return option("allow_once", nil)(p)
	}
	id := w.previewSession(c)
	var accepted struct{ MessageID string }
	c.Must("session/prompt", promptParams(id, "edit"), &accepted)
	if got, want := idle(c, 1), "running requires_action running requires_action running idle:end_turn"; got != want {
		t.Errorf("the states are %s, want %s", got, want)
	}
	if got := w.read("a.txt"); got != "one\nTWO\n" {
		t.Errorf("the file is %q", got)
	}
	if len(asked) != 2 || !strings.Contains(asked[0], "-two\n+TWO\n") || !strings.Contains(asked[1], "new file mode") || strings.HasPrefix(asked[0], "|") {
		t.Errorf("asked %q", asked)
	}
	var kinds []string
	var prompts, answer string
	for _, u := range c.Updates() {
		k := u.Update.SessionUpdate
		if !slices.Contains(kinds, k) {
			kinds = append(kinds, k)
		}
		switch k {
		case "user_message_chunk":
			prompts += u.Update.MessageID
		case "agent_message": // the answer begins again
			answer = ""
		case "agent_message_chunk":
			answer += u.Text()
		}
	}
	if prompts != accepted.MessageID || accepted.MessageID == "" {
		t.Errorf("the prompt was accepted as %q, and is shown as %q", accepted.MessageID, prompts)
	}
	if answer != "whole" {
		t.Errorf("the answer is %q", answer)
	}
	for _, want := range []string{"agent_thought_chunk", "tool_call_update", "plan_update", "notice", "usage_update", "available_commands_update", "session_info_update"} {
		if !slices.Contains(kinds, want) {
			t.Errorf("there was no %s among %v", want, kinds)
		}
	}
}

// TestACPPreviewSessions opens and closes sessions, sets options and cancels.
func TestACPPreviewSessions(t *testing.T) {
	hold := make(chan struct{})
	defer close(hold)
	never := geminitest.Say("never")
	never.Hold = hold
	w := newWorld(t, geminitest.Say("first"), never)
	c := w.acpPreview()
	id := w.previewSession(c)
	c.Must("session/prompt", promptParams(id, "hi"), nil)
	idle(c, 1)
	var set struct {
		ConfigOptions []struct{ ConfigID, CurrentValue string }
	}
	c.Must("session/set_config_option", params{"sessionId": id, "configId": "mode", "type": "id", "value": "plan"}, &set)
	if len(set.ConfigOptions) != 2 || set.ConfigOptions[0].CurrentValue != "plan" {
		t.Errorf("the options are %+v", set.ConfigOptions)
	}
	c.Must("session/prompt", promptParams(id, "wait"), nil)
	wantFailure(t, c.Call("session/prompt", promptParams(id, "too early"), nil), -32803, "busy")
	c.Tell("session/cancel", params{"sessionId": id})
	if got := idle(c, 2); !strings.HasSuffix(got, "running idle:cancelled") {
		t.Errorf("the states are %s", got)
	}
	var list struct{ Sessions []struct{ SessionID string } }
	c.Must("session/list", params{"cwd": w.dir}, &list)
	if len(list.Sessions) != 1 || list.Sessions[0].SessionID != id {
		t.Errorf("the sessions are %+v", list.Sessions)
	}
	c.Must("session/close", params{"sessionId": id}, nil)
	for _, replay := range []bool{false, true} {
		from := len(c.Updates())
		p := params{"sessionId": id, "cwd": w.dir}
		if replay {
			p["replayFrom"] = params{"type": "start"}
		}
		c.Must("session/resume", p, nil)
		shown := slices.ContainsFunc(c.Updates()[from:], func(u acptest.Update) bool { return u.Text() == "first" })
		if shown != replay {
			t.Errorf("replayed: %t, want %t", shown, replay)
		}
	}
	wantFailure(t, c.Call("session/resume", params{"sessionId": id, "cwd": w.dir, "replayFrom": params{"type": "later"}}, nil), -32602, "")
	c.Must("auth/logout", params{}, nil)
	c.Must("session/delete", params{"sessionId": id}, nil)
	wantFailure(t, c.Call("session/prompt", promptParams(id, "gone"), nil), -32002, "unknown_session")
}

// TestACPPreviewFailures: a prompt that cannot begin is refused, and one that fails later
// ends with its error.
func TestACPPreviewFailures(t *testing.T) {
	w := newWorld(t, geminitest.Fail(400, "the request is wrong"))
	c := w.acpPreview()
	id := w.previewSession(c)
	c.Must("session/prompt", promptParams(id, "hi"), nil)
	if got := idle(c, 1); got != "running idle:error" {
		t.Errorf("the states are %s", got)
	}

	w = newWorld(t)
	w.env = slices.DeleteFunc(w.env, func(v string) bool { return strings.HasPrefix(v, "GEMINI_API_KEY=") })
	c = w.acpPreview()
	id = w.previewSession(c)
	wantFailure(t, c.Call("session/prompt", promptParams(id, "hi"), nil), -32000, "auth_required")
	if got := states(c); got != "" {
		t.Errorf("the states are %s", got)
	}
}

// TestACPVersions: without the flag, and for a client that wants it, the version is 1.
func TestACPVersions(t *testing.T) {
	for _, tt := range []struct {
		args []string
		want int
		asks int
	}{
		{asks: 2, want: 1},
		{args: []string{"--experimental-v2"}, asks: 1, want: 1},
		{args: []string{"--experimental-v2"}, asks: 2, want: 2},
		{args: []string{"--experimental-v2"}, asks: 3, want: 2},
	} {
		w := newWorld(t)
		c := w.acp(tt.args...)
		c.Preview = tt.want == 2
		var r struct{ ProtocolVersion int }
		c.Must("initialize", json.RawMessage(`{"protocolVersion":`+string(rune('0'+tt.asks))+`,"info":{"name":"x","version":"1"}}`), &r)
		if r.ProtocolVersion != tt.want {
			t.Errorf("%v: asked for %d it answers %d, want %d", tt.args, tt.asks, r.ProtocolVersion, tt.want)
		}
		c.Must("session/list", params{"cwd": filepath.Clean(w.dir)}, nil)
	}
}
