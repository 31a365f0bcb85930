package main

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/emendo-dev/emendo/acp/acptest"
	"github.com/emendo-dev/emendo/agent/model/gemini/geminitest"
	"github.com/emendo-dev/emendo/agent/model/servertest"
)

// TestACPServersOfTheClient: a server that the client hands over starts once the user
// has approved it, and is remembered where the user says so.
func TestACPServersOfTheClient(t *testing.T) {
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		name, kind string
		trusted    bool
		asked      []string // by session
		offered    bool
	}{
		{name: "approved once", kind: "allow_once", trusted: true, asked: []string{"start", "start"}, offered: true},
		{name: "approved from now on", kind: "allow_always", trusted: true, asked: []string{"start"}, offered: true},
		{name: "refused", kind: "reject_once", trusted: true, asked: []string{"start", "start"}},
		{name: "in a restricted folder", kind: "allow_once"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			w := newWorld(t, geminitest.Say("one"), geminitest.Say("two"))
			if tt.trusted {
				w.trusted()
			}
			c := w.acp()
			var asked []string
			c.Permit = func(p acptest.Permission) string {
				asked = append(asked, "start")
				if text := acptest.Text(p.ToolCall.Content); !strings.Contains(text, self) || !strings.Contains(text, "Your editor would start it") || !strings.Contains(text, "EMENDO_TEST_SERVER") {
					t.Errorf("the question says %q", text)
				}
				return option(tt.kind, nil)(p)
			}
			c.Initialize()
			for range 2 {
				var opened struct{ SessionID string }
				c.Must("session/new", map[string]any{"cwd": w.dir, "mcpServers": []any{map[string]any{
					"name": "double", "command": self, "args": []string{}, "env": []any{map[string]string{"name": "EMENDO_TEST_SERVER", "value": "1"}},
				}}}, &opened)
				askACP(t, c, opened.SessionID, "hi")
			}
			if strings.Join(asked, " ") != strings.Join(tt.asked, " ") {
				t.Errorf("asked %v, want %v", asked, tt.asked)
			}
			for _, r := range w.model.Requests() {
				if got := strings.Contains(string(r.Body), "mcp_double_greet"); got != tt.offered {
					t.Errorf("the tool is offered: %t, want %t", got, tt.offered)
				}
			}
		})
	}
}

// askUser is a call of the model that asks the user.
func askUser(questions string) geminitest.Reply {
	return geminitest.Do(geminitest.Call("ask_user", `{"questions":[`+questions+`]}`))
}

const (
	unitQuestion = `{"header":"Unit","question":"In what should prices be?","type":"choice","options":[{"label":"Cents","description":"whole"},{"label":"Euros","description":"with a point"}]}`
	sureQuestion = `{"header":"Sure","question":"Are you sure?","type":"yesno"}`
	nameQuestion = `{"header":"Name","question":"What is its name?","type":"text"}`
	manyQuestion = `{"header":"Which","question":"Which of them?","type":"choice","multiSelect":true,"options":[{"label":"A","description":""},{"label":"B","description":""}]}`
)

func TestACPElicitation(t *testing.T) {
	forms := map[string]any{"elicitation": map[string]any{"form": map[string]any{}}}
	accept := func(content map[string]any) any { return map[string]any{"action": "accept", "content": content} }
	for _, tt := range []struct {
		name, questions string
		can, answer     any
		choose          []string // options, where there are no forms
		want            string   // in what the model reads
	}{
		{
			name: "a form", questions: unitQuestion + "," + sureQuestion + "," + nameQuestion + "," + manyQuestion, can: forms,
			answer: accept(map[string]any{"question1": "Euros", "question2": true, "question3": "Bob", "question4": []string{"A", "B"}}), want: "Bob",
		},
		{name: "a declined form", questions: nameQuestion, can: forms, answer: map[string]any{"action": "decline"}, want: "declined"},
		{name: "a cancelled form", questions: nameQuestion, can: forms, answer: map[string]any{"action": "cancel"}, want: "without answering"},
		{name: "choices without forms", questions: unitQuestion + "," + sureQuestion, choose: []string{"option-2", "yes"}, want: "Euros"},
		{name: "a text without forms", questions: nameQuestion, want: "no way to show this question"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			w := newWorld(t, askUser(tt.questions), geminitest.Say("ok")).trusted()
			c := w.acp()
			c.Capabilities = tt.can
			c.Answer = func(method string, params json.RawMessage) (any, error) {
				if method != "elicitation/create" || tt.can == nil {
					return nil, fmt.Errorf("%s was not declared", method)
				}
				return tt.answer, nil
			}
			n := 0
			c.Permit = func(acptest.Permission) string { n++; return tt.choose[n-1] }
			c.Initialize()
			askACP(t, c, w.acpSession(c), "ask me")
			rs := w.model.Requests()
			if got := string(rs[len(rs)-1].Body); !strings.Contains(got, tt.want) || n != len(tt.choose) {
				t.Errorf("%d questions; the model reads %s", n, got)
			}
		})
	}
}

// TestACPNearestKinds: what the client did not declare is sent as something that it
// knows.
func TestACPNearestKinds(t *testing.T) {
	if testing.Short() {
		t.Skip("waits before it tries again")
	}
	for _, declared := range []bool{false, true} {
		t.Run(fmt.Sprintf("declared %t", declared), func(t *testing.T) {
			cut := geminitest.Reply{Events: []geminitest.Event{geminitest.Text("half an ans")}, End: servertest.Cut}
			w := newWorld(t, cut, geminitest.Say("whole"))
			c := w.acp()
			if declared {
				c.Capabilities = map[string]any{"session": map[string]any{"notices": map[string]any{}, "compaction": map[string]any{}}}
			}
			c.Initialize()
			askACP(t, c, w.acpSession(c), "hi")
			var retracted, retried, restricted bool
			for _, u := range c.Updates() {
				own := string(u.Update.Meta.Emendo)
				switch u.Update.SessionUpdate {
				case "agent_message_chunk":
					retracted = retracted || strings.Contains(own, "_emendo/retract") && strings.Contains(u.Text(), "begins again")
				case "agent_thought_chunk":
					retried = retried || !declared && strings.Contains(own, `"notice"`)
					restricted = restricted || !declared && strings.Contains(u.Text(), "restricted")
				case "notice":
					retried = retried || declared && u.Update.Severity != ""
					restricted = restricted || declared && strings.Contains(u.Update.Title, "restricted")
				}
			}
			if !retracted || !retried || !restricted {
				t.Errorf("retracted: %t, retried: %t, restricted: %t", retracted, retried, restricted)
			}
		})
	}
}

// TestACPBlocks: everything that a prompt may hold reaches the model.
func TestACPBlocks(t *testing.T) {
	w := newWorld(t, geminitest.Say("ok"))
	w.write("linked.txt", "")
	c := w.acp()
	c.Initialize()
	const png = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="
	c.Must("session/prompt", map[string]any{"sessionId": w.acpSession(c), "prompt": []any{
		map[string]any{"type": "text", "text": "look"},
		map[string]any{"type": "image", "mimeType": "image/png", "data": png},
		map[string]any{"type": "audio", "mimeType": "audio/wav", "data": "UklGRg=="},
		map[string]any{"type": "resource_link", "name": "linked.txt", "uri": "file://" + w.dir + "/linked.txt"},
		map[string]any{"type": "resource", "resource": map[string]any{"uri": "file:///x.txt", "text": "the embedded text"}},
	}}, nil)
	body := string(w.model.Requests()[0].Body)
	for _, want := range []string{"look", png, "UklGRg==", "work/linked.txt)", "the embedded text"} {
		if !strings.Contains(body, want) {
			t.Errorf("the model does not read %.40q: %s", want, body)
		}
	}
}

func TestACPPlansAndLocations(t *testing.T) {
	w := newWorld(t, geminitest.Do(
		geminitest.Call("write_todos", `{"todos":[{"description":"read it","status":"in_progress"}]}`),
		geminitest.Call("read_file", `{"file_path":"a.txt"}`),
	), geminitest.Say("ok"))
	w.write("a.txt", "text\n")
	c := w.acp()
	c.Initialize()
	askACP(t, c, w.acpSession(c), "plan")
	c.AwaitUpdate("the plan", func(u acptest.Update) bool {
		return u.Update.SessionUpdate == "plan" && len(u.Update.Entries) == 1 && u.Update.Entries[0].Content == "read it"
	})
	c.AwaitUpdate("the location", func(u acptest.Update) bool {
		return len(u.Update.Locations) == 1 && u.Update.Locations[0].Path == filepath.Join(w.dir, "a.txt")
	})
}

func TestACPSlashCommands(t *testing.T) {
	w := newWorld(t)
	c := w.acp()
	c.Initialize()
	id := w.acpSession(c)
	if got := askACP(t, c, id, "/help"); got != "end_turn" {
		t.Errorf("stop reason %q", got)
	}
	c.AwaitUpdate("the commands", func(u acptest.Update) bool {
		return u.Update.SessionUpdate == "agent_message_chunk" && strings.Contains(u.Text(), "/compact")
	})
	wantFailure(t, c.Call("session/prompt", promptParams(id, "/helpme"), nil), -32602, "")
	if n := len(w.model.Requests()); n != 0 {
		t.Errorf("the model was asked %d times", n)
	}
}

func TestACPAdditionalDirectories(t *testing.T) {
	w := newWorld(t)
	other := filepath.Join(filepath.Dir(w.dir), "other")
	w.put(filepath.Join(other, "b.txt"), "from elsewhere\n")
	w.model = geminitest.New(t, geminitest.Do(geminitest.Call("read_file", `{"file_path":"`+other+`/b.txt"}`)), geminitest.Say("ok"))
	w.env = append(w.env, "GEMINI_API_KEY="+w.model.Key, "GOOGLE_GEMINI_BASE_URL="+w.model.URL)
	c := w.acp()
	c.Initialize()
	var opened struct{ SessionID string }
	c.Must("session/new", map[string]any{"cwd": w.dir, "additionalDirectories": []string{other}, "mcpServers": []any{}}, &opened)
	askACP(t, c, opened.SessionID, "read it")
	rs := w.model.Requests()
	if got := string(rs[len(rs)-1].Body); !strings.Contains(got, "from elsewhere") {
		t.Errorf("the model reads %s", got)
	}
	var list struct {
		Sessions []struct{ AdditionalDirectories []string }
	}
	c.Must("session/list", struct{}{}, &list)
	if len(list.Sessions) != 1 || len(list.Sessions[0].AdditionalDirectories) != 1 || list.Sessions[0].AdditionalDirectories[0] != other {
		t.Errorf("listed %+v", list.Sessions)
	}
}

// TestACPHostileInput: whatever the client writes costs its own message at most.
func TestACPHostileInput(t *testing.T) {
	w := newWorld(t, geminitest.Say("still here"))
	c := w.acp()
	c.Initialize()
	answered := func(what string, code int) {
		t.Helper()
		c.Await("the refusal of "+what, func(m acptest.Message) bool { return m.Error != nil && m.Error.Code == code })
	}
	c.Raw("this is no JSON\n")
	answered("garbage", -32700)
	c.Raw("\xff\xfe\x00\n{\n}\n[]\n\"text\"\n7\nnull\n\n   \n")
	c.Raw("[{\"jsonrpc\":\"2.0\",\"id\":9001,\"method\":\"session/list\"}]\n")
	answered("a batch", -32600)
	c.Raw(`{"jsonrpc":"1.0","id":null,"method":"session/list"}` + "\n")
	c.Raw(`{"jsonrpc":"2.0","id":{"a":1},"method":"session/list"}` + "\n")
	c.Raw(`{"jsonrpc":"2.0","method":"session/cancel","params":[1,2]}` + "\n")
	c.Raw(`{"jsonrpc":"2.0","method":"session/cancel","params":{"sessionId":7}}` + "\n")
	c.Raw(`{"jsonrpc":"2.0","method":"$/cancel_request","params":{"requestId":{}}}` + "\n")
	c.Raw(`{"jsonrpc":"2.0","method":"$/unknown"}` + "\n")
	c.Raw(`{"jsonrpc":"2.0","method":"no/such/notification","params":{}}` + "\n")
	c.Raw(`{"jsonrpc":"2.0","id":999999,"result":{}}` + "\n")
	c.Raw(`{"jsonrpc":"2.0","method":"x","params":"` + strings.Repeat("x", 65<<20) + "\"}\n") // over the limit
	c.Raw(`{"jsonrpc":"2.0","method":"x","params":` + strings.Repeat("[", 100_000) + "}\n")
	id := w.acpSession(c)
	if got := askACP(t, c, id, "are you there?"); got != "end_turn" {
		t.Errorf("stop reason %q", got)
	}
}

// TestACPClientEndsInTheMiddle: the end of the client's stream ends a turn that runs and
// a question that is open, and the process.
func TestACPClientEndsInTheMiddle(t *testing.T) {
	for _, asked := range []bool{false, true} {
		t.Run(fmt.Sprintf("asked %t", asked), func(t *testing.T) {
			hold := make(chan struct{})
			defer close(hold)
			r := geminitest.Say("never")
			r.Hold = hold
			if asked {
				r = geminitest.Do(editCall("two", "TWO"))
			}
			w := newWorld(t, r).trusted()
			w.write("a.txt", "one\ntwo\n")
			c := w.acp()
			c.Permit = func(acptest.Permission) string { <-c.Ended(); return "" }
			c.Initialize()
			_, wait := c.Go("session/prompt", promptParams(w.acpSession(c), "wait"))
			if asked {
				c.Await("the question", func(m acptest.Message) bool { return m.Method == "session/request_permission" })
			} else {
				c.AwaitUpdate("the echo", func(u acptest.Update) bool { return u.Update.SessionUpdate == "user_message_chunk" })
			}
			c.Hang()
			<-c.Ended()
			_, _ = wait() // answered or not
			if got := w.read("a.txt"); got != "one\ntwo\n" {
				t.Errorf("the file is %q", got)
			}
		})
	}
}

// TestACPSameIDs: two requests under one ID are both answered.
func TestACPSameIDs(t *testing.T) {
	w := newWorld(t)
	c := w.acp()
	c.Initialize()
	c.Raw(strings.Repeat(`{"jsonrpc":"2.0","id":"same","method":"session/list","params":{}}`+"\n", 2))
	n := 0
	c.Await("two answers", func(m acptest.Message) bool {
		if string(m.ID) == `"same"` && m.Result != nil {
			n++
		}
		return n == 2
	})
}
