package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/emendo-dev/emendo/acp"
	"github.com/emendo-dev/emendo/acp/acptest"
	"github.com/emendo-dev/emendo/agent/model/gemini/geminitest"
	"github.com/emendo-dev/emendo/internal/trust"
)

// acp runs `emendo acp` in this process with a client that has not sent anything yet.
func (w *world) acp(args ...string) *acptest.Client {
	w.t.Helper()
	stdin, in, err := os.Pipe()
	if err != nil {
		w.t.Fatal(err)
	}
	out, stdout := io.Pipe()
	c := acptest.Connect(w.t, in)
	var errs bytes.Buffer
	done := make(chan int, 1)
	go func() {
		p := process{args: append([]string{"acp"}, args...), env: lookup(w.env), environ: w.env, stdin: stdin, stdout: stdout, stderr: &errs, level: lookup(w.env)(levelVariable)}
		code := p.run(context.Background()) // the test's context ends before its cleanup
		_ = stdout.Close()
		done <- code
	}()
	go c.Run(out)
	w.t.Cleanup(func() {
		c.Hang()
		<-c.Ended()
		if code := <-done; code != 0 {
			w.t.Errorf("emendo acp ended with %d: %s", code, errs.String())
		}
	})
	return c
}

// trusted stores that the workspace is trusted.
func (w *world) trusted() *world {
	w.t.Helper()
	if _, err := trust.Open(filepath.Join(w.home, "state")).Add(w.dir); err != nil {
		w.t.Fatal(err)
	}
	return w
}

// acpSession opens a session in the workspace and returns its ID.
func (w *world) acpSession(c *acptest.Client) string {
	w.t.Helper()
	var opened struct{ SessionID string }
	c.Must("session/new", openParams("", w.dir), &opened)
	return opened.SessionID
}

func openParams(id, dir string) map[string]any {
	p := map[string]any{"cwd": dir, "mcpServers": []any{}}
	if id != "" {
		p["sessionId"] = id
	}
	return p
}

func promptParams(id, text string) map[string]any {
	return map[string]any{"sessionId": id, "prompt": []any{map[string]any{"type": "text", "text": text}}}
}

// askACP prompts a session and returns its stop reason.
func askACP(t *testing.T, c *acptest.Client, id, text string) string {
	t.Helper()
	var r struct{ StopReason string }
	c.Must("session/prompt", promptParams(id, text), &r)
	return r.StopReason
}

func TestACPConversation(t *testing.T) {
	w := newWorld(t, geminitest.Do(geminitest.Think("**Greeting** politely"), geminitest.Text("Hel"), geminitest.Text("lo")))
	c := w.acp()
	c.Initialize()
	id := w.acpSession(c)
	c.AwaitUpdate("the commands", func(u acptest.Update) bool { return u.Update.SessionUpdate == "available_commands_update" })
	if got := askACP(t, c, id, "hi"); got != "end_turn" {
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

// TestACPSessions lists, loads, resumes, closes and deletes what another process has
// stored.
func TestACPSessions(t *testing.T) {
	w := newWorld(t, geminitest.Say("first answer"), geminitest.Say("second answer"))
	w.exec("run", "-p", "remember this").wantCode(t, 0)
	c := w.acp()
	c.Initialize()
	var list struct {
		Sessions []struct{ SessionID, Cwd, Title string }
	}
	c.Must("session/list", map[string]any{"cwd": w.dir}, &list)
	if len(list.Sessions) != 1 || list.Sessions[0].Cwd != w.dir || list.Sessions[0].Title == "" {
		t.Fatalf("the sessions are %+v", list.Sessions)
	}
	id := list.Sessions[0].SessionID
	wantFailure(t, c.Call("session/prompt", promptParams(id, "x"), nil), -32002, "unknown_session")
	wantFailure(t, c.Call("session/load", openParams(id, filepath.Dir(w.dir)), nil), -32602, "")
	c.Must("session/load", openParams(id, w.dir), nil)
	var replayed string
	for _, u := range c.Updates() {
		if u.Update.SessionUpdate == "agent_message_chunk" && u.Meta.Emendo.Replay {
			replayed += u.Text()
		}
	}
	if replayed != "first answer" {
		t.Errorf("replayed %q", replayed)
	}
	if got := askACP(t, c, id, "and now?"); got != "end_turn" {
		t.Errorf("stop reason %q", got)
	}
	before := len(c.Updates())
	c.Must("session/close", map[string]any{"sessionId": id}, nil)
	wantFailure(t, c.Call("session/prompt", promptParams(id, "x"), nil), -32002, "unknown_session")
	c.Must("session/resume", openParams(id, w.dir), nil)
	for _, u := range c.Updates()[before:] {
		if u.Meta.Emendo.Replay {
			t.Errorf("resuming replays %s", u.Update.SessionUpdate)
		}
	}
	c.Must("session/delete", map[string]any{"sessionId": id}, nil)
	wantFailure(t, c.Call("session/delete", map[string]any{"sessionId": id}, nil), -32002, "unknown_session")
	c.Must("session/list", struct{}{}, &list)
	if len(list.Sessions) != 0 {
		t.Errorf("after deleting: %+v", list.Sessions)
	}
}

// wantFailure checks the code of an error answer, and that of its data.
func wantFailure(t *testing.T, err error, code int, data string) {
	t.Helper()
	var e *acptest.Error
	if !errors.As(err, &e) || e.Code != code || e.Data.Code != data {
		t.Errorf("got %v, want the error %d (%s)", err, code, data)
	}
}

func editCall(old, text string) geminitest.Event {
	args, err := json.Marshal(map[string]string{"file_path": "a.txt", "old_string": old, "new_string": text})
	if err != nil {
		panic(err)
	}
	return geminitest.Call("replace", string(args))
}

// option returns a Permit that chooses the option of a kind, and notes the questions.
func option(kind string, asked *[]acptest.Permission) func(acptest.Permission) string {
	return func(p acptest.Permission) string {
		if asked != nil {
			*asked = append(*asked, p)
		}
		for _, o := range p.Options {
			if o.Kind == kind {
				return o.OptionID
			}
		}
		return ""
	}
}

func TestACPEditQuestions(t *testing.T) {
	for _, tt := range []struct{ name, kind, want, mode string }{
		{"allowed", "allow_once", "one\nTWO\nthree\n", "default"},
		{"rejected", "reject_once", "one\ntwo\nthree\n", "default"},
		{"cancelled", "none", "one\ntwo\nthree\n", "default"},
		{"always", "allow_always", "one\nTWO\nthree\n", "auto_edit"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			w := newWorld(t, geminitest.Do(editCall("two", "TWO")), geminitest.Say("ok")).trusted()
			w.write("a.txt", "one\ntwo\nthree\n")
			c := w.acp()
			var asked []acptest.Permission
			choose := option(tt.kind, &asked)
			diffFirst := false
			c.Permit = func(p acptest.Permission) string {
				for _, u := range c.Updates() { // before the question
					if u.Update.ToolCallID == p.ToolCall.ToolCallID && len(u.Contents()) == 1 && u.Contents()[0].Type == "diff" {
						diffFirst = true
					}
				}
				return choose(p)
			}
			c.Initialize()
			id := w.acpSession(c)
			if got := askACP(t, c, id, "edit"); got != "end_turn" {
				t.Errorf("stop reason %q", got)
			}
			if got := w.read("a.txt"); got != tt.want {
				t.Errorf("the file is %q, want %q", got, tt.want)
			}
			if len(asked) != 1 || !diffFirst || len(asked[0].ToolCall.Content) == 0 || asked[0].ToolCall.Content[0].NewText != "one\nTWO\nthree\n" {
				t.Errorf("asked %+v; the diff came first: %t", asked, diffFirst)
			}
			mode := "default"
			for _, u := range c.Updates() {
				if u.Update.SessionUpdate == "current_mode_update" {
					mode = u.Update.CurrentModeID
				}
			}
			if mode != tt.mode {
				t.Errorf("the mode is %q, want %q", mode, tt.mode)
			}
		})
	}
}

func TestACPCancel(t *testing.T) {
	for _, way := range []string{"session/cancel", "$/cancel_request"} {
		t.Run(way, func(t *testing.T) {
			hold := make(chan struct{})
			defer close(hold)
			r := geminitest.Say("never")
			r.Hold = hold
			w := newWorld(t, r)
			c := w.acp()
			c.Initialize()
			id := w.acpSession(c)
			call, wait := c.Go("session/prompt", promptParams(id, "wait"))
			c.AwaitUpdate("the echo", func(u acptest.Update) bool { return u.Update.SessionUpdate == "user_message_chunk" })
			wantFailure(t, c.Call("session/prompt", promptParams(id, "too"), nil), -32803, "busy")
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

// TestACPCancelWithdrawsQuestions: the question of a cancelled turn is withdrawn.
func TestACPCancelWithdrawsQuestions(t *testing.T) {
	w := newWorld(t, geminitest.Do(editCall("two", "TWO"))).trusted()
	w.write("a.txt", "one\ntwo\n")
	c := w.acp()
	release := make(chan struct{})
	c.Permit = func(acptest.Permission) string { <-release; return "" }
	c.Initialize()
	id := w.acpSession(c)
	_, wait := c.Go("session/prompt", promptParams(id, "edit"))
	question := c.Await("the question", func(m acptest.Message) bool { return m.Method == "session/request_permission" })
	c.Tell("session/cancel", map[string]any{"sessionId": id})
	raw, err := wait()
	if err != nil || !strings.Contains(string(raw), `"stopReason":"cancelled"`) || !c.Withdrew(question) || w.read("a.txt") != "one\ntwo\n" {
		t.Errorf("answered %s, %v; withdrawn: %t; the file is %q", raw, err, c.Withdrew(question), w.read("a.txt"))
	}
	close(release)
}

func TestACPOptions(t *testing.T) {
	w := newWorld(t).trusted()
	c := w.acp("--model", "gemini-3-flash-preview")
	c.Initialize()
	var opened struct {
		SessionID     string
		Modes         struct{ CurrentModeID string }
		ConfigOptions []acptest.Option
	}
	c.Must("session/new", openParams("", w.dir), &opened)
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
	if got := current(opened.ConfigOptions); got["mode"] != "default" || got["model"] != "gemini-3-flash-preview" || opened.Modes.CurrentModeID != "default" {
		t.Errorf("the options are %v, the mode is %s", got, opened.Modes.CurrentModeID)
	}
	id := opened.SessionID
	set := func(option string, value any) error {
		return c.Call("session/set_config_option", map[string]any{"sessionId": id, "configId": option, "value": value}, &opened)
	}
	if err := set("model", "gemini-2.5-pro"); err != nil || current(opened.ConfigOptions)["model"] != "gemini-2.5-pro" {
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
	wantFailure(t, set("mode", "fast"), -32602, "")
	wantFailure(t, set("colour", "red"), -32602, "")
	wantFailure(t, c.Call("session/set_config_option", map[string]any{"sessionId": id, "configId": "mode", "type": "boolean", "value": true}, nil), -32602, "")
	wantFailure(t, c.Call("session/set_mode", map[string]any{"sessionId": "nobody", "modeId": "plan"}, nil), -32002, "unknown_session")
}

func TestACPRestricted(t *testing.T) {
	w := newWorld(t)
	c := w.acp()
	c.Initialize()
	id := w.acpSession(c)
	err := c.Call("session/set_mode", map[string]any{"sessionId": id, "modeId": "yolo"}, nil)
	wantFailure(t, err, -32803, "untrusted_workspace")
	if !strings.Contains(err.Error(), "emendo trust add") {
		t.Errorf("the error does not say how to trust the folder: %v", err)
	}
	if w.trusted(); c.Call("session/set_mode", map[string]any{"sessionId": id, "modeId": "yolo"}, nil) != nil {
		t.Error("a folder that was trusted meanwhile is still restricted")
	}
}

func TestACPTrustFlag(t *testing.T) {
	w := newWorld(t)
	c := w.acp("--trust", "--approval-mode", "auto_edit")
	c.Initialize()
	var opened struct {
		Modes struct{ CurrentModeID string }
	}
	c.Must("session/new", openParams("", w.dir), &opened)
	if opened.Modes.CurrentModeID != "auto_edit" {
		t.Errorf("the mode is %q", opened.Modes.CurrentModeID)
	}
}

// A client that has terminals may run the sign-in in one.
func TestACPSignsInAtATerminal(t *testing.T) {
	w := newWorld(t)
	r := w.exec("acp", "--login")
	r.wantCode(t, exitInput)
	r.wantLine(t, "name the provider", "emendo auth login gemini") // this is not a terminal
	for _, can := range []bool{false, true} {
		c := w.acp()
		var got struct{ AuthMethods []acp.AuthMethod }
		c.Must("initialize", map[string]any{"protocolVersion": 1, "clientCapabilities": map[string]any{"auth": map[string]any{"terminal": can}}}, &got)
		i := slices.IndexFunc(got.AuthMethods, func(m acp.AuthMethod) bool { return m.Type == acp.TerminalAuth })
		if (i >= 0) != can || can && !slices.Equal(got.AuthMethods[i].Args, []string{"--login"}) {
			t.Errorf("with terminals %v the methods are %+v", can, got.AuthMethods)
		}
		for _, m := range got.AuthMethods {
			if m.ID == "api-key" && !strings.Contains(m.Description, "`emendo auth login`") {
				t.Errorf("the method is %+v", m)
			}
		}
	}
}

func TestACPSignedOut(t *testing.T) {
	w := newWorld(t)
	w.env = slices.DeleteFunc(w.env, func(v string) bool { return strings.HasPrefix(v, "GEMINI_API_KEY=") })
	c := w.acp()
	c.Initialize()
	id := w.acpSession(c)
	err := c.Call("session/prompt", promptParams(id, "hi"), nil)
	wantFailure(t, err, -32000, "auth_required")
	var e *acptest.Error
	if errors.As(err, &e) && len(e.Data.AuthMethods) == 0 {
		t.Error("the error names no ways to sign in")
	}
	wantFailure(t, c.Call("authenticate", map[string]any{"methodId": "api-key"}, nil), -32000, "auth_required")
	wantFailure(t, c.Call("authenticate", map[string]any{"methodId": "magic"}, nil), -32602, "")
	w.put(filepath.Join(w.home, "config", "keys"), "GEMINI_API_KEY=abc\n")
	if err := os.Chmod(filepath.Join(w.home, "config", "keys"), 0o600); err != nil {
		t.Fatal(err)
	}
	c.Must("authenticate", map[string]any{"methodId": "api-key"}, nil)
}

func TestACPBadParams(t *testing.T) {
	w := newWorld(t)
	w.write("file", "")
	c := w.acp()
	wantFailure(t, c.Call("session/list", struct{}{}, nil), -32600, "")
	c.Initialize()
	id := w.acpSession(c)
	for _, tt := range []struct {
		name, method, params string
		code                 int
	}{
		{"a relative cwd", "session/new", `{"cwd":"work","mcpServers":[]}`, -32602},
		{"no cwd", "session/new", `{"mcpServers":[]}`, -32602},
		{"a cwd that does not exist", "session/new", `{"cwd":"` + w.dir + `/gone","mcpServers":[]}`, -32602},
		{"a cwd that is a file", "session/new", `{"cwd":"` + w.dir + `/file","mcpServers":[]}`, -32602},
		{"a relative directory", "session/new", `{"cwd":"` + w.dir + `","additionalDirectories":["x"],"mcpServers":[]}`, -32602},
		{"a server without a command", "session/new", `{"cwd":"` + w.dir + `","mcpServers":[{"name":"x"}]}`, -32602},
		{"a server of an unknown kind", "session/new", `{"cwd":"` + w.dir + `","mcpServers":[{"name":"x","type":"carrier pigeon"}]}`, -32602},
		{"a number for a string", "session/new", `{"cwd":7}`, -32602},
		{"a list for params", "session/new", `[]`, -32602},
		{"an empty prompt", "session/prompt", `{"sessionId":"` + id + `","prompt":[]}`, -32602},
		{"a block of an unknown kind", "session/prompt", `{"sessionId":"` + id + `","prompt":[{"type":"smell"}]}`, -32602},
		{"an image without data", "session/prompt", `{"sessionId":"` + id + `","prompt":[{"type":"image","mimeType":"image/png"}]}`, -32602},
		{"an unknown session", "session/load", `{"sessionId":"nobody","cwd":"` + w.dir + `","mcpServers":[]}`, -32002},
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
