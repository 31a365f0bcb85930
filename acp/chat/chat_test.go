package chat_test

import (
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/emendo-dev/emendo/acp/acptest"
	"github.com/emendo-dev/emendo/acp/worldtest"
	"github.com/emendo-dev/emendo/agent/model/modeltest"
)

func TestConversation(t *testing.T) {
	w := worldtest.New(t, modeltest.Reply{modeltest.Think("**Greeting** politely"), modeltest.Say("Hel"), modeltest.Say("lo")})
	c := w.Connect()
	c.Initialize()
	id := w.Session(c)
	c.AwaitUpdate("the commands", func(u acptest.Update) bool { return u.Update.SessionUpdate == "available_commands_update" })
	if got := worldtest.Ask(c, id, "hi"); got != "end_turn" {
		t.Errorf("stop reason %q", got)
	}
	var text, thought, echo string
	last := int64(0)
	for _, u := range c.Updates() {
		if u.SessionID != id {
			t.Errorf("an update of session %q", u.SessionID)
		}
		switch u.Update.SessionUpdate {
		case "agent_message_chunk":
			text += u.Text()
		case "agent_thought_chunk":
			thought += u.Text()
		case "user_message_chunk":
			echo += u.Text()
		}
		if seq := u.Meta.Emendo.Seq; seq != 0 && seq <= last {
			t.Errorf("update %d follows %d", seq, last)
		} else if seq != 0 {
			last = seq
		}
	}
	if text != "Hello" || echo != "hi" || last == 0 {
		t.Errorf("text %q, echo %q, last number %d", text, echo, last)
	}
	if !strings.Contains(thought, "politely") || !strings.Contains(thought, "emendo trust add") {
		t.Errorf("thoughts %q, want those of the model and how to trust the folder", thought)
	}
}

// TestSessions lists, loads, resumes, closes and deletes what another process has
// stored.
func TestSessions(t *testing.T) {
	w := worldtest.New(t, modeltest.Reply{modeltest.Say("first answer")}, modeltest.Reply{modeltest.Say("second answer")})
	other := w.Connect()
	other.Initialize()
	worldtest.Ask(other, w.Session(other), "remember this")
	other.Hang()
	<-other.Ended()
	c := w.Connect()
	c.Initialize()
	var list struct {
		Sessions []struct{ SessionID, Cwd, Title string }
	}
	c.Must("session/list", map[string]any{"cwd": w.Dir}, &list)
	if len(list.Sessions) != 1 || list.Sessions[0].Cwd != w.Dir || list.Sessions[0].Title == "" {
		t.Fatalf("the sessions are %+v", list.Sessions)
	}
	id := list.Sessions[0].SessionID
	worldtest.WantFailure(t, c.Call("session/prompt", worldtest.PromptParams(id, "x"), nil), -32002, "unknown_session")
	worldtest.WantFailure(t, c.Call("session/load", worldtest.OpenParams(id, filepath.Dir(w.Dir)), nil), -32602, "")
	c.Must("session/load", worldtest.OpenParams(id, w.Dir), nil)
	var replayed string
	for _, u := range c.Updates() {
		if u.Update.SessionUpdate == "agent_message_chunk" && u.Meta.Emendo.Replay {
			replayed += u.Text()
		}
	}
	if replayed != "first answer" {
		t.Errorf("replayed %q", replayed)
	}
	if got := worldtest.Ask(c, id, "and now?"); got != "end_turn" {
		t.Errorf("stop reason %q", got)
	}
	before := len(c.Updates())
	c.Must("session/close", map[string]any{"sessionId": id}, nil)
	worldtest.WantFailure(t, c.Call("session/prompt", worldtest.PromptParams(id, "x"), nil), -32002, "unknown_session")
	c.Must("session/resume", worldtest.OpenParams(id, w.Dir), nil)
	for _, u := range c.Updates()[before:] {
		if u.Meta.Emendo.Replay {
			t.Errorf("resuming replays %s", u.Update.SessionUpdate)
		}
	}
	c.Must("session/delete", map[string]any{"sessionId": id}, nil)
	worldtest.WantFailure(t, c.Call("session/delete", map[string]any{"sessionId": id}, nil), -32002, "unknown_session")
	c.Must("session/list", struct{}{}, &list)
	if len(list.Sessions) != 0 {
		t.Errorf("after deleting: %+v", list.Sessions)
	}
}

func TestCancel(t *testing.T) {
	for _, way := range []string{"session/cancel", "$/cancel_request"} {
		t.Run(way, func(t *testing.T) {
			hold := make(chan struct{})
			defer close(hold)
			w := worldtest.New(t, modeltest.Reply{modeltest.Hold(hold), modeltest.Say("never")})
			c := w.Connect()
			c.Initialize()
			id := w.Session(c)
			call, wait := c.Go("session/prompt", worldtest.PromptParams(id, "wait"))
			c.AwaitUpdate("the echo", func(u acptest.Update) bool { return u.Update.SessionUpdate == "user_message_chunk" })
			worldtest.WantFailure(t, c.Call("session/prompt", worldtest.PromptParams(id, "too"), nil), -32803, "busy")
			if way == "session/cancel" {
				c.Tell(way, map[string]any{"sessionId": id})
			} else {
				c.Tell(way, map[string]any{"requestId": call})
			}
			raw, err := wait()
			if err != nil || !strings.Contains(string(raw), `"stopReason":"cancelled"`) {
				t.Errorf("the prompt is answered %s, %v", raw, err)
			}
		})
	}
}

func TestOptions(t *testing.T) {
	w := worldtest.New(t)
	w.Trusted.Store(true)
	c := w.Connect()
	c.Initialize()
	var opened struct {
		SessionID     string
		Modes         struct{ CurrentModeID string }
		ConfigOptions []acptest.Option
	}
	c.Must("session/new", worldtest.OpenParams("", w.Dir), &opened)
	current := func(l []acptest.Option) map[string]string {
		m := map[string]string{}
		for _, o := range l {
			m[o.ID] = o.CurrentValue
			if !slices.ContainsFunc(o.Options, func(v struct{ Value string }) bool { return v.Value == o.CurrentValue }) {
				t.Errorf("%s has no value %s", o.ID, o.CurrentValue)
			}
		}
		return m
	}
	if got := current(opened.ConfigOptions); got["mode"] != "default" || got["model"] != "large" || opened.Modes.CurrentModeID != "default" {
		t.Errorf("the options are %v, the mode is %s", got, opened.Modes.CurrentModeID)
	}
	id := opened.SessionID
	set := func(option string, value any) error {
		return c.Call("session/set_config_option", map[string]any{"sessionId": id, "configId": option, "value": value}, &opened)
	}
	if err := set("model", "small"); err != nil || current(opened.ConfigOptions)["model"] != "small" {
		t.Errorf("the options are %v, %v", current(opened.ConfigOptions), err)
	}
	if err := set("mode", "auto_edit"); err != nil || current(opened.ConfigOptions)["mode"] != "auto_edit" {
		t.Errorf("the options are %v, %v", current(opened.ConfigOptions), err)
	}
	c.AwaitUpdate("the mode", func(u acptest.Update) bool { return u.Update.CurrentModeID == "auto_edit" })
	c.Must("session/set_mode", map[string]any{"sessionId": id, "modeId": "plan"}, nil)
	c.AwaitUpdate("the options", func(u acptest.Update) bool {
		return u.Update.SessionUpdate == "config_option_update" && current(u.Update.ConfigOptions)["mode"] == "plan"
	})
	worldtest.WantFailure(t, set("mode", "fast"), -32602, "")
	worldtest.WantFailure(t, set("colour", "red"), -32602, "")
	worldtest.WantFailure(t, c.Call("session/set_config_option", map[string]any{"sessionId": id, "configId": "mode", "type": "boolean", "value": true}, nil), -32602, "")
	worldtest.WantFailure(t, c.Call("session/set_mode", map[string]any{"sessionId": "nobody", "modeId": "plan"}, nil), -32002, "unknown_session")
}

func TestRestricted(t *testing.T) {
	w := worldtest.New(t)
	c := w.Connect()
	c.Initialize()
	id := w.Session(c)
	err := c.Call("session/set_mode", map[string]any{"sessionId": id, "modeId": "yolo"}, nil)
	worldtest.WantFailure(t, err, -32803, "untrusted_workspace")
	if !strings.Contains(err.Error(), "emendo trust add") {
		t.Errorf("the error does not say how to trust the folder: %v", err)
	}
	if w.Trusted.Store(true); c.Call("session/set_mode", map[string]any{"sessionId": id, "modeId": "yolo"}, nil) != nil {
		t.Error("a folder that was trusted meanwhile is still restricted")
	}
}

func TestBadParams(t *testing.T) {
	w := worldtest.New(t)
	if err := os.WriteFile(filepath.Join(w.Dir, "file"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	c := w.Connect()
	worldtest.WantFailure(t, c.Call("session/list", struct{}{}, nil), -32600, "")
	c.Initialize()
	id := w.Session(c)
	for _, tt := range []struct {
		name, method, params string
		code                 int
	}{
		{"a relative cwd", "session/new", `{"cwd":"work","mcpServers":[]}`, -32602},
		{"no cwd", "session/new", `{"mcpServers":[]}`, -32602},
		{"a cwd that does not exist", "session/new", `{"cwd":"` + w.Dir + `/gone","mcpServers":[]}`, -32602},
		{"a cwd that is a file", "session/new", `{"cwd":"` + w.Dir + `/file","mcpServers":[]}`, -32602},
		{"a relative directory", "session/new", `{"cwd":"` + w.Dir + `","additionalDirectories":["x"],"mcpServers":[]}`, -32602},
		{"a server without a command", "session/new", `{"cwd":"` + w.Dir + `","mcpServers":[{"name":"x"}]}`, -32602},
		{"a server of an unknown kind", "session/new", `{"cwd":"` + w.Dir + `","mcpServers":[{"name":"x","type":"carrier pigeon"}]}`, -32602},
		{"a number for a string", "session/new", `{"cwd":7}`, -32602},
		{"a list for params", "session/new", `[]`, -32602},
		{"an empty prompt", "session/prompt", `{"sessionId":"` + id + `","prompt":[]}`, -32602},
		{"a block of an unknown kind", "session/prompt", `{"sessionId":"` + id + `","prompt":[{"type":"smell"}]}`, -32602},
		{"an image without data", "session/prompt", `{"sessionId":"` + id + `","prompt":[{"type":"image","mimeType":"image/png"}]}`, -32602},
		{"an unknown session", "session/load", `{"sessionId":"nobody","cwd":"` + w.Dir + `","mcpServers":[]}`, -32002},
		{"no session", "session/close", `{}`, -32602},
		{"an unknown method", "session/fly", `{}`, -32601},
		{"initialize again", "initialize", `{"protocolVersion":1}`, -32600},
	} {
		err := c.Call(tt.method, json.RawMessage(tt.params), nil)
		var e *acptest.Error
		if !errors.As(err, &e) || e.Code != tt.code {
			t.Errorf("%s: got %v, want the error %d", tt.name, err, tt.code)
		}
	}
}
