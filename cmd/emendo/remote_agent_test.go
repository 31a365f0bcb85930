package main

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/a2aproject/a2a-go/a2a"

	"github.com/emendo-dev/emendo/agent/model/gemini/geminitest"
)

// helper defines the server as the remote agent helper, with its token in HELPER.
func (w *world) helper(r *peer) {
	w.t.Helper()
	w.remoteAgent("helper", strings.TrimSuffix(r.card.URL, "/")+"/.well-known/agent-card.json")
	w.put(filepath.Join(w.home, "config", "settings.json"), fmt.Sprintf(`{"agents.tokens": {%q: "$HELPER"}}`, strings.TrimSuffix(r.card.URL, "/")))
	w.env = append(w.env, "HELPER="+r.token)
}

func (w *world) remoteAgent(name, card string) {
	w.t.Helper()
	w.put(filepath.Join(w.home, "config", "agents", name+".md"), "---\nkind: remote\nname: "+name+"\ndescription: Works elsewhere.\nagent_card_url: "+card+"\n---\n")
}

var askHelper = geminitest.Do(geminitest.Call("invoke_agent", `{"agent_name":"helper","prompt":"Write b.txt over there"}`))

// TestRemoteAgent has three processes: a client, its emendo, and a second emendo, to
// which the first hands a task.
func TestRemoteAgent(t *testing.T) {
	far := newWorld(t,
		geminitest.Do(geminitest.Call("write_file", `{"file_path":"b.txt","content":"new\n"}`)),
		geminitest.Say("Written, says the far one."),
	)
	near := newWorld(t, askHelper, geminitest.Say("Done."))
	near.helper(far.serveA2A())
	r := near.serveA2A()
	sends := r.send(userText("Have it written", a2a.TaskInfo{}), nil)
	for _, want := range []string{"Send this task to the remote agent? http://127.0.0.1:", "Write b.txt over there"} {
		if sends.state != a2a.TaskStateInputRequired || !strings.Contains(sends.says, want) {
			t.Fatalf("the first question does not have %q: %s %s", want, sends.state, sends.says)
		}
	}
	if n := len(far.model.Requests()); n != 0 {
		t.Errorf("the task was sent before it was allowed: %d requests", n)
	}
	writes := r.send(userText("allow", sends.info), nil)
	for _, want := range []string{"The remote agent helper at http://127.0.0.1:", "+new", "Your answer applies there"} {
		if writes.state != a2a.TaskStateInputRequired || !strings.Contains(writes.says, want) {
			t.Fatalf("the second question does not have %q: %s %s", want, writes.state, writes.says)
		}
	}
	if n := strings.Count(writes.says, "Answer with a text"); n != 1 {
		t.Errorf("the question has the instructions of both, %d: %s", n, writes.says)
	}
	done := r.send(userText("allow", writes.info), nil)
	if done.state != a2a.TaskStateCompleted || done.text != "Done." {
		t.Errorf("in the end the task is %s: %q %s", done.state, done.text, done.says)
	}
	if got := far.read("b.txt"); got != "new\n" {
		t.Errorf("the remote file is %q", got)
	}
	if _, err := os.Stat(near.dir + "/b.txt"); err == nil {
		t.Error("the file is written here too")
	}
	sent := string(near.model.Requests()[1].Body)
	for _, want := range []string{"The remote agent helper has ended.", "State: completed", "untrusted_context", "Written, says the far one."} {
		if !strings.Contains(sent, want) {
			t.Errorf("the model does not read %q: %s", want, sent)
		}
	}
}

func TestRemoteAgentCancel(t *testing.T) {
	far := newWorld(t, geminitest.Do(geminitest.Call("write_file", `{"file_path":"b.txt","content":"new\n"}`)))
	near := newWorld(t, askHelper)
	near.helper(far.serveA2A())
	r := near.serveA2A("--allowed-tools", "invoke_agent")
	asked := r.send(userText("Have it written", a2a.TaskInfo{}), nil)
	if asked.state != a2a.TaskStateInputRequired || !strings.Contains(asked.says, "+new") {
		t.Fatalf("the task is %s: %s", asked.state, asked.says)
	}
	if task, err := r.CancelTask(t.Context(), &a2a.TaskIDParams{ID: asked.info.TaskID}); err != nil || task.Status.State != a2a.TaskStateCanceled {
		t.Errorf("the canceled task is %v, %v", task, err)
	}
	logs, err := filepath.Glob(filepath.Join(far.home, "state", "sessions", "*", "*.jsonl"))
	if err != nil || len(logs) != 1 || !strings.Contains(far.readFrom(logs[0]), `"cancelled"`) {
		t.Errorf("the remote task was not canceled: %v, %v", logs, err)
	}
}

// A headless run rejects the remote agent's requests for approval, and sends nothing
// that the policy does not allow.
func TestRemoteAgentHeadless(t *testing.T) {
	far := newWorld(t,
		geminitest.Do(geminitest.Call("write_file", `{"file_path":"b.txt","content":"new\n"}`)),
		geminitest.Say("It was not allowed."),
	)
	near := newWorld(t, askHelper, geminitest.Say("Denied."), askHelper, geminitest.Say("Rejected there."))
	near.helper(far.serveA2A())
	near.run("Have it written").wantCode(t, exitOK)
	if n := len(far.model.Requests()); n != 0 {
		t.Errorf("the task was sent without permission: %d requests", n)
	}
	near.run("--allowed-tools", "invoke_agent", "Have it written").wantCode(t, exitOK)
	if _, err := os.Stat(far.dir + "/b.txt"); err == nil {
		t.Error("the file was written without approval")
	}
	if sent := string(far.model.Requests()[1].Body); !strings.Contains(sent, "No user is available") {
		t.Errorf("the remote model does not get the reason: %s", sent)
	}
	if sent := string(near.model.Requests()[3].Body); !strings.Contains(sent, "It was not allowed.") {
		t.Errorf("the model does not read the answer: %s", sent)
	}
}

func TestRemoteAgentsThatFail(t *testing.T) {
	if testing.Short() {
		t.Skip("waits before it tries again")
	}
	far := newWorld(t)
	good := far.serveA2A()
	odd := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch {
		case r.URL.Path == "/page":
			_, _ = io.WriteString(w, "<html>")
		case r.Method == http.MethodGet:
			_, _ = io.WriteString(w, `{"url":"http://`+r.Host+`/","capabilities":{"streaming":true}}`)
		default: // the connection breaks during a task
			_, _ = io.WriteString(w, `data: {"jsonrpc":"2.0","id":"1","result":{"kind":"task","id":"t","contextId":"c","status":{"state":"working","message":{"kind":"message","messageId":"m","role":"agent","parts":[{"kind":"text","text":"half of it"}]}}}}`+"\n\n")
			w.(http.Flusher).Flush()
			panic(http.ErrAbortHandler)
		}
	}))
	defer odd.Close()
	for _, tt := range []struct{ name, card, want string }{
		{"no token", strings.TrimSuffix(good.card.URL, "/") + "/.well-known/agent-card.json", "401"},
		{"no card", odd.URL + "/page", "not an agent card"},
		{"an end in the middle", odd.URL + "/card", "half of it"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			near := newWorld(t, askHelper, geminitest.Say("It failed."))
			near.remoteAgent("helper", tt.card)
			near.run("--allowed-tools", "invoke_agent", "Have it written").wantCode(t, exitOK)
			if sent := string(near.model.Requests()[1].Body); !strings.Contains(sent, "did not finish the task") || !strings.Contains(sent, tt.want) {
				t.Errorf("the model does not read %q: %s", tt.want, sent)
			}
		})
	}
}

func TestRemoteAgentsAreShown(t *testing.T) {
	far := newWorld(t)
	w := newWorld(t)
	w.helper(far.serveA2A())
	w.remoteAgent("gone", "http://127.0.0.1:1/card.json")
	if r := w.run("/agents"); !strings.Contains(r.stdout, "remote, at `http://127.0.0.1:1/card.json`") {
		t.Errorf("/agents prints %s", r.stdout)
	}
	if r := w.exec("doctor"); !strings.Contains(r.stdout, "2 remote agents are defined") {
		t.Errorf("doctor prints %s", r.stdout)
	}
	var found struct {
		Checks []struct{ Name, Status, Message string }
	}
	w.model.Add(geminitest.Say("ok"))
	if err := json.Unmarshal([]byte(w.exec("doctor", "--online", "--json").stdout), &found); err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, c := range found.Checks {
		if c.Name == "agents" {
			got = append(got, c.Status+": "+c.Message)
		}
	}
	if len(got) != 2 || !strings.HasPrefix(got[0], "warning: the remote agent gone at") || !strings.Contains(got[0], "refused") || !strings.HasPrefix(got[1], "ok: the remote agent helper at") {
		t.Errorf("doctor --online finds %q", got)
	}
}
