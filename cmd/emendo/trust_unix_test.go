//go:build unix

package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/emendo-dev/emendo/agent/model/gemini/geminitest"
)

// script writes an executable script.
func (w *world) script(name, text string) {
	w.t.Helper()
	w.write(name, text)
	if err := os.Chmod(filepath.Join(w.dir, name), 0o755); err != nil {
		w.t.Fatal(err)
	}
}

// starting adds a hook to the workspace whose script records its runs.
func (w *world) starting() {
	w.t.Helper()
	w.script("hook.sh", "#!/bin/sh\necho one >>ran.txt\n")
	w.write(".gemini/settings.json", `{"hooks": {"SessionStart": [{"hooks": [{"type": "command", "command": "$GEMINI_PROJECT_DIR/hook.sh"}]}]}}`)
}

// ran returns what the hook recorded since the last call.
func (w *world) ran() string {
	w.t.Helper()
	path := filepath.Join(w.dir, "ran.txt")
	b, _ := os.ReadFile(path) // it may not exist
	os.Remove(path)
	return strings.TrimSpace(string(b))
}

func TestAHookOfAProjectRunsAsItWasApproved(t *testing.T) {
	w := newWorld(t)
	w.starting()
	run := func(args ...string) (ran, stderr string) {
		t.Helper()
		w.model.Add(geminitest.Say("Done."))
		r := w.exec(append([]string{"run", "-p", "hi", "--output-format", "stream-json"}, args...)...)
		r.wantCode(t, 0)
		return w.ran(), r.stdout + r.stderr
	}
	if ran, _ := run(); ran != "" {
		t.Errorf("in a restricted folder it ran: %s", ran)
	}
	if ran, _ := run("--trust"); ran != "one" {
		t.Errorf("with --trust the hook printed %q", ran)
	}
	if ran, _ := run(); ran != "" {
		t.Errorf("--trust applies after its run: %s", ran)
	}
	w.exec("trust", "add").wantCode(t, 0)
	if ran, _ := run(); ran != "one" {
		t.Errorf("approved, the hook printed %q", ran)
	}
	w.script("hook.sh", "#!/bin/sh\necho two >>ran.txt\n")
	ran, said := run()
	if ran != "" || !strings.Contains(said, "changed since it was approved") || !strings.Contains(said, "emendo trust add") {
		t.Errorf("changed, the hook printed %q, and emendo %s", ran, said)
	}
	if ran, _ := run("--trust"); ran != "two" {
		t.Errorf("with --trust the hook printed %q", ran)
	}
	w.exec("trust", "add").wantCode(t, 0)
	if ran, _ := run(); ran != "two" {
		t.Errorf("approved again, the hook printed %q", ran)
	}
	w.exec("trust", "remove").wantCode(t, 0)
	if ran, _ := run(); ran != "" {
		t.Errorf("restricted again, the hook printed %s", ran)
	}
}

// server is a running language server.
type server struct {
	wire
	id      int
	session string
}

// serve starts a language server for folders, with the client's capabilities and
// options.
func (w *world) serve(capabilities, options string, folders ...string) *server {
	w.t.Helper()
	c, in, out := w.startServer()
	s := &server{wire: wire{w.t, in, bufio.NewReader(out)}, id: 200}
	w.t.Cleanup(func() {
		in.Close()
		io.Copy(io.Discard, out)
		c.Wait()
	})
	var roots []string
	for i, f := range folders {
		roots = append(roots, fmt.Sprintf(`{"uri":"file://%s","name":"%d"}`, f, i))
	}
	s.ask("initialize", `{"processId":null,"workspaceFolders":[`+strings.Join(roots, ",")+`],"capabilities":`+capabilities+`,"initializationOptions":`+options+`}`)
	s.send(`{"jsonrpc":"2.0","method":"initialized","params":{}}`)
	id := regexp.MustCompile(`"sessionId":"([^"]+)"`).FindStringSubmatch(s.ask("emendo/session/new", `{}`))
	if id == nil {
		w.t.Fatal("there is no session")
	}
	s.session = id[1]
	return s
}

// ask makes a request and returns the raw response.
func (s *server) ask(method, params string) string {
	s.t.Helper()
	s.id++
	s.send(fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":%q,"params":%s}`, s.id, method, params))
	return s.answer(fmt.Sprint(s.id))
}

// begin sends a prompt as the request with this ID.
func (s *server) begin(id int) {
	s.send(fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"emendo/session/prompt","params":{"sessionId":%q,"prompt":[{"type":"text","text":"go on"}]}}`, id, s.session))
}

func (s *server) prompt() {
	s.t.Helper()
	if a := s.ask("emendo/session/prompt", fmt.Sprintf(`{"sessionId":%q,"prompt":[{"type":"text","text":"go on"}]}`, s.session)); !strings.Contains(a, `"end_turn"`) {
		s.t.Errorf("the prompt was answered %s", a)
	}
}

// sentRestricted reports whether the last request says that the folder is restricted.
func (w *world) sentRestricted() bool {
	w.t.Helper()
	l := w.model.Requests()
	return strings.Contains(string(l[len(l)-1].Body), "untrusted_workspace")
}

func TestAHookIsShownInTheEditorBeforeItStarts(t *testing.T) {
	w := newWorld(t, geminitest.Say("One."), geminitest.Say("Two."))
	w.starting()
	s := w.serve(`{"experimental":{"emendo":{"version":1,"permission":true}}}`, `{"trust":"trusted"}`, w.dir)
	s.begin(900)
	var asked struct {
		ID     json.RawMessage
		Params struct {
			SessionID string
			ToolCall  struct{ ToolCallID, Title string }
			Options   []struct{ OptionID, Kind string }
			Preview   json.RawMessage
		}
	}
	if err := json.Unmarshal([]byte(s.until("emendo/session/requestPermission")), &asked); err != nil {
		t.Fatal(err)
	}
	want := `{"executable":{"kind":"hook","name":"SessionStart 1.1","command":"$GEMINI_PROJECT_DIR/hook.sh","cwd":"` + w.dir + `","env":[],"scripts":["` + filepath.Join(w.dir, "hook.sh") + `"],"changed":false}}`
	if got := string(asked.Params.Preview); got != want {
		t.Errorf("shown:\n%s\nwant:\n%s", got, want)
	}
	var kinds []string
	for _, o := range asked.Params.Options {
		kinds = append(kinds, o.Kind)
	}
	if got := strings.Join(kinds, " "); got != "allow_once allow_always reject_once reject_always" || asked.Params.SessionID != s.session || asked.Params.ToolCall.ToolCallID == "" || asked.Params.ToolCall.Title == "" {
		t.Errorf("asked with %s: %+v", got, asked.Params)
	}
	if ran := w.ran(); ran != "" {
		t.Errorf("it ran before it was approved: %s", ran)
	}
	s.send(`{"jsonrpc":"2.0","id":` + string(asked.ID) + `,"result":{"outcome":"selected","optionId":"allow_always"}}`)
	s.answer("900")
	if ran := w.ran(); ran != "one" {
		t.Errorf("approved, the hook printed %q", ran)
	}
	if got := w.standing()["SessionStart 1.1"]; got != "approved" {
		t.Errorf("it is %s", got)
	}
}

func TestTrustAppliesFromTheNextPrompt(t *testing.T) {
	w := newWorld(t)
	s := w.serve(`{}`, `{}`, w.dir)
	try := func() (restricted bool) {
		t.Helper()
		w.model.Add(geminitest.Do(geminitest.Call("run_shell_command", `{"command": "touch made"}`)), geminitest.Say("Done."))
		before := len(w.model.Requests())
		s.prompt()
		l := w.model.Requests()
		if len(l) != before+2 {
			t.Fatalf("there were %d requests", len(l)-before)
		}
		said := string(l[len(l)-1].Body)
		return strings.Count(said, "untrusted_workspace") > strings.Count(string(l[before].Body), "untrusted_workspace")
	}
	if !try() {
		t.Error("an untrusted folder is not restricted")
	}
	w.exec("trust", "add").wantCode(t, 0)
	if try() {
		t.Error("trust given while the server runs has no effect")
	}
	w.exec("trust", "remove").wantCode(t, 0)
	made := filepath.Join(w.dir, "made")
	if err := os.RemoveAll(made); err != nil {
		t.Fatal(err)
	}
	if !try() {
		t.Error("removing trust while the server runs has no effect")
	}
	if _, err := os.Stat(made); err == nil {
		t.Error("a command ran in a restricted folder")
	}
}

func TestOneRestrictedFolderRestrictsTheSession(t *testing.T) {
	for _, c := range []struct {
		name, options string
		trusted       []string
		want          bool // restricted
	}{
		{name: "both are trusted", options: `{}`, trusted: []string{"a", "b"}},
		{name: "one is not", options: `{}`, trusted: []string{"a"}, want: true},
		{name: "the other is not", options: `{}`, trusted: []string{"b"}, want: true},
		{name: "the one above both is", options: `{}`, trusted: []string{"."}, want: true},
		{name: "the editor restricts what is trusted", options: `{"trust":"restricted"}`, trusted: []string{"a", "b"}, want: true},
		{name: "the editor trusts what nobody decided about", options: `{"trust":"trusted"}`},
	} {
		t.Run(c.name, func(t *testing.T) {
			w := newWorld(t, geminitest.Do(geminitest.Call("run_shell_command", `{"command": "true"}`)), geminitest.Say("Done."))
			w.write("a/x", "")
			w.write("b/x", "")
			for _, dir := range c.trusted {
				w.exec("trust", "add", dir).wantCode(t, 0)
			}
			w.serve(`{}`, c.options, filepath.Join(w.dir, "a"), filepath.Join(w.dir, "b")).prompt()
			if got := w.sentRestricted(); got != c.want {
				t.Errorf("restricted: %v, want %v", got, c.want)
			}
		})
	}
}
