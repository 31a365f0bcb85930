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
